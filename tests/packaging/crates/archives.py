"""The archives that `make package-crates` left in target/packages, unpacked as cargo unpacks them
for those who use them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tarfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
VERSION = WORKSPACE["version"]
RUST_VERSION = WORKSPACE["rust-version"]

FOLDERS = {"bulkheads-core": "core", "bulkheads-driver": "driver", "bulkheads-engine": "engine"}
"""Where each published crate lies in the repository."""


def archive(name: str) -> Path:
    return ROOT / f"target/packages/{name}-{VERSION}.crate"


def unpack(name: str, folder: Path) -> Path:
    with tarfile.open(archive(name)) as packed:
        packed.extractall(folder, filter="data")
    crate = folder / f"{name}-{VERSION}"
    # All files of all archives bear the same date, by which cargo would take new ones for those it
    # knows.
    for file in crate.rglob("*"):
        file.touch()
    return crate


def unpack_all(folder: Path) -> dict[str, Path]:
    crates = {name: unpack(name, folder / name) for name in FOLDERS}
    for name in FOLDERS:
        if name != "bulkheads-core":
            use_instead_of_registry(crates["bulkheads-core"], crates[name])
    return crates


def use_instead_of_registry(core: Path, crate: Path) -> None:
    """No registry has this core yet. Everything else stays as the lock file in the archive says, so
    that `--locked` holds."""
    configuration = crate.parent / ".cargo/config.toml"
    configuration.parent.mkdir()
    configuration.write_text(f"[patch.crates-io]\nbulkheads-core = {{ path = {json.dumps(str(core))} }}\n")
    lock = crate / "Cargo.lock"
    without_source, times = re.subn(
        r'(name = "bulkheads-core"\nversion = "[^"]+"\n)source = "[^"]+"\nchecksum = "[^"]+"\n', r"\1", lock.read_text()
    )
    assert times == 1, f"{lock} does not take the core from the registry"
    lock.write_text(without_source)


def manifest(crate: Path) -> dict[str, Any]:
    return tomllib.loads((crate / "Cargo.toml").read_text())


def packed_lock(name: str) -> list[dict[str, Any]]:
    """The packages of the lock file as it is in the archive."""
    with tarfile.open(archive(name)) as packed:
        file = packed.extractfile(f"{name}-{VERSION}/Cargo.lock")
        assert file
        packages: list[dict[str, Any]] = tomllib.loads(file.read().decode())["package"]
        return packages


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target/crate"), **variables}
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
