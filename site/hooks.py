"""Puts into the site what does not lie in docs/, so that links to it are checked too.

That is the references of the three languages, which other tools have made, and the benchmark with
its curves.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, address in sources():
        files.append(File.generated(config, address, abs_src_path=str(path)))
    return files


def sources() -> Iterator[tuple[Path, str]]:
    """Each file with its address in the site."""
    for path in sorted((ROOT / "target/api").rglob("*")):
        if path.is_file():
            yield path, f"api/{path.relative_to(ROOT / 'target/api').as_posix()}"
    for path in [ROOT / "bench/README.md", ROOT / "bench/results/table.md", ROOT / "bench/results/summary.svg"]:
        yield path, path.relative_to(ROOT).as_posix()
    for path in sorted((ROOT / "target/plots").iterdir()):
        yield path, f"bench/results/{path.name}"
