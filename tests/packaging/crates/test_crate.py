"""The archive for crates.io: what is in it, and what it does outside of this repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
NAME = f"bulkheads-{WORKSPACE['version']}"
RUST_VERSION = WORKSPACE["rust-version"]


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crate")
    with tarfile.open(ROOT / f"target/packages/{NAME}.crate") as archive:
        archive.extractall(folder, filter="data")
    # All files of all archives bear the same date, by which cargo would take new ones for those it knows.
    for file in (folder / NAME).rglob("*"):
        file.touch()
    return folder / NAME


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target/crate"), **variables}
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_it_holds_the_sources_the_licences_and_nothing_of_the_repository_around_them(crate: Path) -> None:
    assert (crate / "src/lib.rs").is_file()
    for name in ["LICENSE-APACHE", "LICENSE-MIT"]:
        assert (crate / name).read_bytes() == (ROOT / name).read_bytes()
    tops = {path.name for path in crate.iterdir()} - {".cargo_vcs_info.json", ".cargo-ok"}
    assert tops == {"Cargo.lock", "Cargo.toml", "Cargo.toml.orig", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src"}


def test_it_says_what_crates_io_asks_for(crate: Path) -> None:
    package = tomllib.loads((crate / "Cargo.toml").read_text())["package"]
    for field in ["version", "license", "rust-version", "edition"]:
        assert package[field] == WORKSPACE[field]
    assert package["description"] and package["documentation"] and package["readme"] == "README.md"
    assert 0 < len(package["keywords"]) <= 5 and 0 < len(package["categories"]) <= 5


def test_a_program_uses_it(crate: Path, tmp_path: Path) -> None:
    shutil.copytree(HERE / "consumer", tmp_path, dirs_exist_ok=True)
    (tmp_path / "bulkheads").symlink_to(crate, target_is_directory=True)
    shown = run("cargo", "run", "--quiet", cwd=tmp_path)
    assert shown.splitlines() == ["no permit free and no queue configured", "1 completed"]


def test_its_docs_build_without_a_warning(crate: Path) -> None:
    run("cargo", "doc", "--quiet", "--locked", "--no-deps", cwd=crate, RUSTDOCFLAGS="-D warnings")


def test_it_builds_where_there_is_no_standard_library(crate: Path) -> None:
    run(HERE / "no-std.sh", crate, cwd=ROOT)


def test_what_it_depends_on_asks_for_no_newer_compiler(crate: Path) -> None:
    graph = json.loads(run("cargo", "metadata", "--format-version=1", "--locked", cwd=crate))
    used = run("cargo", "tree", "--locked", "--edges=normal,build", "--prefix=none", "--format={p}", cwd=crate).split("\n")
    names = {line.split()[0] for line in used if line}
    for package in graph["packages"]:
        if package["name"] in names and package["rust_version"]:
            assert version(package["rust_version"]) <= version(RUST_VERSION), package["id"]


def test_it_uses_nothing_of_the_library_that_is_newer_than_the_stated_compiler(crate: Path) -> None:
    run("cargo", "clippy", "--quiet", "--locked", "--", "-D", "clippy::incompatible_msrv", cwd=crate)


def test_the_stated_compiler_builds_it(crate: Path) -> None:
    toolchains = subprocess.run(["rustup", "toolchain", "list"], capture_output=True, text=True, check=False).stdout
    if not any(line.startswith((f"{RUST_VERSION}.", f"{RUST_VERSION}-")) for line in toolchains.splitlines()):
        pytest.skip(f"there is no Rust {RUST_VERSION} on this machine")
    run("cargo", f"+{RUST_VERSION}", "check", "--quiet", "--locked", cwd=crate)


def version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
