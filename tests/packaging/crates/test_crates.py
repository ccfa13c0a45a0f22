"""The archives for crates.io: what is in them, and what they do outside of this repository."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from archives import FOLDERS, ROOT, RUST_VERSION, VERSION, WORKSPACE, archive, manifest, packed_lock, run, unpack_all

HERE = Path(__file__).parent

DEPENDENCIES = {
    "bulkheads-core": {"thiserror"},
    "bulkheads-driver": {"bulkheads-core"},
    "bulkheads-engine": {"bulkheads-core", "thiserror"},
}
"""What comes along with each unless a feature is asked for: the driver's `shuttle` is for its
models only."""
NO_STD = {"bulkheads-core", "bulkheads-engine"}
ON_THE_CORE = [name for name in FOLDERS if name != "bulkheads-core"]
LINK = re.compile(r"\]\(([^)]+)\)")


@pytest.fixture(scope="module")
def crates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return unpack_all(tmp_path_factory.mktemp("crates"))


@pytest.fixture(params=FOLDERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def crate(crates: dict[str, Path], name: str) -> Path:
    return crates[name]


def test_nothing_else_was_packed() -> None:
    assert set((ROOT / "target/packages").glob("*.crate")) == {archive(name) for name in FOLDERS}


def test_it_holds_the_sources_the_licences_and_nothing_of_the_repository_around_them(name: str, crate: Path) -> None:
    folder = ROOT / FOLDERS[name]
    tops = {path.name for path in crate.iterdir()} - {".cargo_vcs_info.json", ".cargo-ok"}
    assert tops == {"Cargo.lock", "Cargo.toml", "Cargo.toml.orig", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src"}
    assert files(crate / "src") == files(folder / "src")
    assert (crate / "README.md").read_bytes() == (folder / "README.md").read_bytes()
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"]:
        assert (crate / licence).read_bytes() == (ROOT / licence).read_bytes()


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_says_what_crates_io_asks_for(name: str, crate: Path) -> None:
    package = manifest(crate)["package"]
    assert package["name"] == name
    for field in ["version", "license", "rust-version", "edition"]:
        assert package[field] == WORKSPACE[field]
    assert package["description"] and package["readme"] == "README.md"
    assert package["documentation"] == f"https://docs.rs/{name}"
    assert 0 < len(package["keywords"]) <= 5 and 0 < len(package["categories"]) <= 5
    assert ("no-std" in package["categories"]) == (name in NO_STD)


def test_its_readme_links_only_to_what_its_readers_have(crate: Path) -> None:
    assert [target for target in LINK.findall((crate / "README.md").read_text()) if not target.startswith("https://")] == []


@pytest.mark.parametrize("name", ON_THE_CORE)
def test_it_asks_for_the_core_of_its_own_version(name: str, crate: Path) -> None:
    assert manifest(crate)["dependencies"]["bulkheads-core"] == {"version": VERSION}


@pytest.mark.parametrize("name", ON_THE_CORE)
def test_its_lock_file_names_the_very_core_that_is_published_with_it(name: str) -> None:
    (core,) = [package for package in packed_lock(name) if package["name"] == "bulkheads-core"]
    assert core["checksum"] == hashlib.sha256(archive("bulkheads-core").read_bytes()).hexdigest()


def test_nothing_else_comes_along(name: str, crate: Path) -> None:
    assert {dependency for dependency, _ in dependencies(crate, "--depth=1")} - {name} == DEPENDENCIES[name]


def test_what_it_depends_on_asks_for_no_newer_compiler(name: str, crate: Path) -> None:
    graph = json.loads(run("cargo", "metadata", "--format-version=1", "--locked", cwd=crate))
    asked = {(package["name"], package["version"]): package["rust_version"] for package in graph["packages"]}
    used = dependencies(crate)
    assert (name, VERSION) in used
    assert {package: asked[package] for package in used if asked[package] and newer(asked[package])} == {}


def dependencies(crate: Path, *options: str) -> set[tuple[str, str]]:
    """With their versions: another one of the same name may be in the lock file for the sake of a
    feature."""
    tree = ["cargo", "tree", "--locked", "--target=all", "--edges=normal,build", "--prefix=none", "--format={p}", *options]
    lines = [line.split() for line in run(*tree, cwd=crate).splitlines() if line]
    return {(line[0], line[1].removeprefix("v")) for line in lines}


def newer(rust: str) -> bool:
    return [int(part) for part in rust.split(".")[:2]] > [int(part) for part in RUST_VERSION.split(".")[:2]]


def test_it_uses_nothing_of_the_library_that_is_newer_than_the_stated_compiler(crate: Path) -> None:
    run("cargo", "clippy", "--quiet", "--locked", "--", "-D", "clippy::incompatible_msrv", cwd=crate)


def test_the_stated_compiler_builds_it(crate: Path) -> None:
    toolchains = subprocess.run(["rustup", "toolchain", "list"], capture_output=True, text=True, check=False).stdout
    if not any(line.startswith((f"{RUST_VERSION}.", f"{RUST_VERSION}-")) for line in toolchains.splitlines()):
        pytest.skip(f"there is no Rust {RUST_VERSION} on this machine")
    run("cargo", f"+{RUST_VERSION}", "check", "--quiet", "--locked", cwd=crate)


def test_its_docs_build_without_a_warning(crate: Path) -> None:
    run("cargo", "doc", "--quiet", "--locked", "--no-deps", cwd=crate, RUSTDOCFLAGS="-D warnings")


@pytest.mark.parametrize("name", sorted(NO_STD))
def test_it_builds_where_there_is_no_standard_library(crate: Path) -> None:
    run(HERE / "no-std.sh", crate, cwd=ROOT)


@pytest.mark.parametrize(
    ("program", "prints"),
    [
        ("one", ["no permit free and no queue configured", "1 completed"]),
        ("threads", ["the other thread's turn", "2 completed"]),
    ],
)
def test_a_program_uses_them(crates: dict[str, Path], tmp_path: Path, program: str, prints: list[str]) -> None:
    shutil.copytree(HERE / "consumer", tmp_path, dirs_exist_ok=True)
    for name in ["bulkheads-core", "bulkheads-driver"]:
        (tmp_path / name).symlink_to(crates[name], target_is_directory=True)
    assert run("cargo", "run", "--quiet", "--bin", program, cwd=tmp_path).splitlines() == prints
