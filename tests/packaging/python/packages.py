"""The packages that `make package-python` left in target/packages, and the interpreters to try them
with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ROOT / "target/packages"
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
PROJECT = tomllib.loads((ROOT / "bindings-python/pyproject.toml").read_text())["project"]

VERSIONS = ["3.11", "3.12", "3.13", "3.14"]
"""One wheel serves all of these; which of them are tested depends on what the machine has."""


def only(pattern: str) -> Path:
    """Older ones are removed by what packs, so that two of a kind are a fault."""
    (found,) = PACKAGES.glob(pattern)
    return found


def wheel() -> Path:
    return only("bulkheads-*.whl")


def sdist() -> Path:
    return only("bulkheads-*.tar.gz")


def metadata(text: str) -> Message:
    return Parser().parsestr(text)


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def interpreter(version: str) -> Path | None:
    """The CPython of that version: the one that runs this, on the path, or among those of pyenv."""
    if version == "{}.{}".format(*sys.version_info):
        return Path(sys.executable)
    candidates = [shutil.which(f"python{version}"), *sorted(pyenv().glob(f"{version}.*/bin/python"))]
    return next((Path(path) for path in candidates if path and is_cpython(path, version)), None)


def pyenv() -> Path:
    return Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"


def is_cpython(path: str | Path, version: str) -> bool:
    """A shim of pyenv is there for versions that are not chosen, too, and then fails."""
    question = "import sys; print(sys.implementation.name, '{}.{}'.format(*sys.version_info))"
    asked = subprocess.run([path, "-c", question], capture_output=True, text=True, check=False)
    return asked.stdout.split() == ["cpython", version]
