"""What is inside the wheel and the sources, opened and looked at."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from pathlib import Path, PurePosixPath

import pytest

from packages import CARGO, PROJECT, ROOT, metadata, names_in, sdist, wheel

VERSION = CARGO["version"]
SOURCES = ROOT / "bindings-python"
MODULES = {
    path.relative_to(SOURCES / "python").as_posix() for path in (SOURCES / "python").rglob("*.py*") if path.suffix != ".pyc"
}
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]


def wheel_metadata() -> Message:
    with zipfile.ZipFile(wheel()) as archive:
        return metadata(archive.read(f"bulkheads-{VERSION}.dist-info/METADATA").decode())


def sdist_files() -> dict[str, bytes]:
    """By their names below the one folder at the top."""
    with tarfile.open(sdist()) as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        tops = {PurePosixPath(member.name).parts[0] for member in members}
        assert tops == {f"bulkheads-{VERSION}"}
        read = {member.name.removeprefix(f"bulkheads-{VERSION}/"): archive.extractfile(member) for member in members}
        return {name: file.read() for name, file in read.items() if file}


def test_the_names_say_the_version_of_the_workspace_and_the_stable_abi() -> None:
    assert wheel().name.startswith(f"bulkheads-{VERSION}-cp311-abi3-")
    assert sdist().name == f"bulkheads-{VERSION}.tar.gz"


def test_the_wheel_holds_every_module_the_engine_the_stubs_and_nothing_else() -> None:
    names = names_in(wheel())
    package = {name for name in names if not name.startswith(f"bulkheads-{VERSION}.dist-info/")}
    engine = package - MODULES - {"bulkheads/py.typed"}
    assert package == MODULES | {"bulkheads/py.typed"} | engine
    assert engine in ({"bulkheads/_engine.abi3.so"}, {"bulkheads/_engine.pyd"})
    assert "bulkheads/_engine.pyi" in MODULES


@pytest.mark.parametrize("where", ["wheel", "sdist"])
def test_both_carry_the_same_metadata(where: str) -> None:
    read = wheel_metadata() if where == "wheel" else metadata(sdist_files()["PKG-INFO"].decode())
    assert (read["Name"], read["Version"]) == ("bulkheads", VERSION)
    assert read["Requires-Python"] == ">=3.11"
    assert read["License-Expression"] == CARGO["license"]
    assert sorted(read.get_all("License-File", [])) == LICENCES
    assert read["Summary"] == PROJECT["description"]
    assert sorted(read.get_all("Classifier", [])) == sorted(PROJECT["classifiers"])
    assert read.get_all("Requires-Dist") is None
    assert read["Description-Content-Type"].startswith("text/markdown")
    assert "pip install bulkheads" in str(read.get_payload())


def test_the_classifiers_are_in_order_and_name_what_is_tested() -> None:
    classifiers = PROJECT["classifiers"]
    assert classifiers == sorted(classifiers)
    for classifier in ["Framework :: AsyncIO", "Typing :: Typed", "Programming Language :: Python :: 3.11"]:
        assert classifier in classifiers
    assert not [classifier for classifier in classifiers if classifier.startswith("License ::")], "the licence is an expression"


def test_the_licences_are_inside_word_for_word() -> None:
    sources = sdist_files()
    with zipfile.ZipFile(wheel()) as archive:
        for name in LICENCES:
            text = (ROOT / name).read_bytes()
            assert archive.read(f"bulkheads-{VERSION}.dist-info/licenses/{name}") == text
            assert sources[f"bindings-python/{name}"] == text


def test_the_sources_hold_what_a_build_needs_and_the_tests_and_nothing_that_was_built() -> None:
    names = set(sdist_files())
    assert {"Cargo.lock", "core/src/lib.rs", "bindings-python/src/lib.rs", "pyproject.toml", "python/bulkheads/py.typed"} <= names
    assert {f"python/{module}" for module in MODULES} <= names
    assert "bindings-python/tests/test_run.py" in names
    assert not [name for name in names if name.endswith((".so", ".pyc")) or "bindings-node" in name or "bindings-wasm" in name]


@pytest.mark.skipif(sys.platform != "linux", reason="the tag of a wheel promises a C library only on Linux")
def test_the_tag_promises_no_older_c_library_than_the_engine_needs() -> None:
    auditwheel = Path(sys.executable).with_name("auditwheel")
    shown = subprocess.run([auditwheel, "show", wheel()], capture_output=True, text=True, check=True).stdout
    print(shown)
    tag = wheel().stem.rsplit("-", 1)[1]
    assert tag.startswith(("manylinux_2_", "musllinux_1_"))
    assert f'"{tag.split(".")[0]}"' in " ".join(shown.split())
