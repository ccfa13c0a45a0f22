"""One version, one licence: what every package says of itself is the same."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import version
from version import COPIES, ROOT, SOURCE

LICENCE = "MIT OR Apache-2.0"
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]
WORKSPACES = {SOURCE, "tools/Cargo.toml"}
PUBLISHED = {"core/Cargo.toml", "driver/Cargo.toml", "engine/Cargo.toml"}
CRATES = {"bulkheads-core", "bulkheads-driver", "bulkheads-engine"}

COMMANDS = [
    (".github/workflows/ci.yml", "cargo +{rust-version} check --locked"),
    (".github/workflows/release.yml", "cargo publish --locked"),
    ("tests/packaging/crates/pack.sh", "cargo package --quiet --locked --allow-dirty"),
    ("RELEASING.md", "cargo publish --locked"),
]
"""Where commands name the crates that are published."""


def tracked(pattern: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", pattern], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


@pytest.mark.parametrize("file", COPIES)
def test_every_copy_is_the_version_of_the_workspace(file: str) -> None:
    copies = version.copies(file)
    assert copies, "nothing that looks like a version"
    assert set(copies) == {version.version()}


def test_every_lock_file_of_cargo_is_looked_at() -> None:
    assert set(tracked("*Cargo.lock")) == {file for file in COPIES if file.endswith("Cargo.lock")}


@pytest.mark.parametrize("file", sorted(set(tracked("*Cargo.toml")) - WORKSPACES))
def test_crates_that_are_published_or_packed_take_version_and_licence_from_the_workspace(file: str) -> None:
    package = tomllib.loads((ROOT / file).read_text())["package"]
    if file in PUBLISHED or file.startswith("bindings-"):
        assert (package["version"], package["license"]) == ({"workspace": True}, {"workspace": True})
    assert package.get("publish", True) is (file in PUBLISHED)


def test_the_published_crates_depend_on_each_other_in_this_version() -> None:
    assert {tomllib.loads((ROOT / file).read_text())["package"]["name"] for file in PUBLISHED} == CRATES
    shared = tomllib.loads((ROOT / SOURCE).read_text())["workspace"]["dependencies"]
    assert {name: shared[name]["version"] for name in CRATES} == dict.fromkeys(CRATES, version.version())
    assert len(version.copies(SOURCE)) == len(CRATES), "a version that would not be written"
    for file in PUBLISHED:
        dependencies = tomllib.loads((ROOT / file).read_text())["dependencies"]
        assert all(dependencies[name] == {"workspace": True} for name in CRATES & set(dependencies)), file


@pytest.mark.parametrize(("file", "command"), COMMANDS)
def test_whatever_packs_or_publishes_crates_names_all_of_them(file: str, command: str) -> None:
    workspace = tomllib.loads((ROOT / SOURCE).read_text())["workspace"]["package"]
    command = command.replace("{rust-version}", workspace["rust-version"])
    lines = [line for line in (ROOT / file).read_text().splitlines() if command in line]
    assert lines, f"no {command}"
    for line in lines:
        assert set(re.findall(r"-p (bulkheads-[a-z]+)", line)) == CRATES


def test_the_installed_python_package_has_the_version() -> None:
    assert importlib.metadata.version("bulkheads") == version.version()


def test_writing_a_version_changes_all_of_them_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in COPIES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    monkeypatch.setattr(version, "ROOT", tmp_path)
    before = version.version()
    version.write("98.76.54")
    assert version.version() == "98.76.54"
    for file in COPIES:
        text = (tmp_path / file).read_text()
        assert set(version.copies(file)) == {"98.76.54"}
        assert text.replace("98.76.54", before) == (ROOT / file).read_text()


def test_a_tag_that_says_something_else_is_refused() -> None:
    command: list[str | Path] = [sys.executable, ROOT / "tests/release/version.py", "--released", "v98.76.54"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr == f"the tag is v98.76.54 and the version {version.version()}\n"


def test_the_changelog_ends_where_the_version_is() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased" or headings[0].split()[0] == version.version()


def test_every_manifest_names_the_licence() -> None:
    assert tomllib.loads((ROOT / SOURCE).read_text())["workspace"]["package"]["license"] == LICENCE
    assert tomllib.loads((ROOT / "bindings-python/pyproject.toml").read_text())["project"]["license"] == LICENCE
    assert json.loads((ROOT / "js/package.json").read_text())["license"] == LICENCE


@pytest.mark.parametrize("folder", ["core", "driver", "engine", "bindings-python"])
def test_the_licences_beside_a_package_are_those_of_the_project(folder: str) -> None:
    for name in LICENCES:
        assert (ROOT / folder / name).read_bytes() == (ROOT / name).read_bytes()
