"""Puts the references of the three languages, which other tools have made, into the site, so that links to them are checked too."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

API = Path(__file__).resolve().parents[1] / "target/api"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path in sorted(API.rglob("*")):
        if path.is_file():
            files.append(File.generated(config, f"api/{path.relative_to(API).as_posix()}", abs_src_path=str(path)))
    return files
