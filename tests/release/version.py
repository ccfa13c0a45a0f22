"""The version, which Cargo.toml has and others copy.

python3 tests/release/version.py says it python3 tests/release/version.py 1.2.3 writes it everywhere
python3 tests/release/version.py --released v1.2.3 fails unless the tag and the changelog say the
same
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

IN_CARGO = re.compile(r'^version = "(?P<version>[^"]+)"$', re.MULTILINE)
IN_DEPENDENCIES = re.compile(r'^bulkheads-[a-z]+ = \{ path = "[^"]+", version = "(?P<version>[^"]+)" \}$', re.MULTILINE)
IN_CARGO_LOCK = re.compile(
    r'^name = "bulkheads(?:-(?:core|driver|engine|node|python|wasm))?"\nversion = "(?P<version>[^"]+)"$', re.MULTILINE
)
IN_NPM = re.compile(r'^ *"name": "bulkheads",\n *"version": "(?P<version>[^"]+)"', re.MULTILINE)
IN_ARCHIVE = re.compile(r"\bbulkheads-(?:engine-[a-z0-9-]+-)?(?P<version>\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?)\b")

SOURCE = "Cargo.toml"
COPIES = {
    SOURCE: IN_DEPENDENCIES,
    "Cargo.lock": IN_CARGO_LOCK,
    "tools/Cargo.lock": IN_CARGO_LOCK,
    "js/package.json": IN_NPM,
    "js/package-lock.json": IN_NPM,
    "bench/js/package-lock.json": IN_NPM,
    "README.md": IN_ARCHIVE,
}
"""What a tool writes in the shape that the tool wants, and what people type. Cargo.toml repeats the
version where its crates depend on each other: a crate is published only if it says which version of
the others it needs. The Python package and the crates read the source themselves."""

RELEASE = re.compile(r"^## (?P<version>\d\S*)", re.MULTILINE)


def version() -> str:
    workspace = tomllib.loads((ROOT / SOURCE).read_text())["workspace"]
    return str(workspace["package"]["version"])


def copies(file: str) -> list[str]:
    return [match["version"] for match in COPIES[file].finditer((ROOT / file).read_text())]


def latest_release() -> str | None:
    match = RELEASE.search((ROOT / "CHANGELOG.md").read_text())
    return match["version"] if match else None


def write(new: str) -> None:
    for file, pattern in [(SOURCE, IN_CARGO), *COPIES.items()]:
        path = ROOT / file
        path.write_text(pattern.sub(lambda match: match[0].replace(match["version"], new), path.read_text()))


def check_released(tag: str) -> None:
    if tag != f"v{version()}":
        sys.exit(f"the tag is {tag} and the version {version()}")
    if latest_release() != version():
        sys.exit(f"the latest release in CHANGELOG.md is {latest_release()} and not {version()}")


def main(arguments: list[str]) -> None:
    match arguments:
        case []:
            print(version())
        case ["--released", tag]:
            check_released(tag)
        case [new] if re.fullmatch(r"\d+\.\d+\.\d+(-[a-z]+\.\d+)?", new):
            write(new)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
