"""No module imports itself by way of others: neither those of Python, stubs included, nor those of
Rust."""

from __future__ import annotations

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bulkheads

PACKAGE = Path(bulkheads.__file__).parent
SOURCES = PACKAGE.parents[1] / "src"

Imports = dict[str, set[str]]


def test_the_modules_of_python() -> None:
    imports: Imports = {}
    for path in [*PACKAGE.glob("*.py"), *PACKAGE.glob("*.pyi")]:
        found = imports.setdefault(path.stem, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                found |= {node.module} if node.module else {name.name for name in node.names}
    assert len(imports) > 5
    assert list(TopologicalSorter(imports).static_order())


@pytest.mark.skipif(not SOURCES.exists(), reason="the sources of the engine are not here")
def test_the_modules_of_rust() -> None:
    modules = {"::".join(path.relative_to(SOURCES).with_suffix("").parts): path for path in SOURCES.rglob("*.rs")}
    imports = {module: used_by(path.read_text(encoding="utf-8"), set(modules)) - {module} for module, path in modules.items()}
    assert sum(map(len, imports.values())) > 20
    assert list(TopologicalSorter(imports).static_order())


def used_by(text: str, modules: set[str]) -> set[str]:
    grouped = [name.strip() for group in re.findall(r"use crate::\{([^}]*)\}", text) for name in group.split(",")]
    names = [*re.findall(r"crate::([a-z_:]+)", text), *grouped]
    return {module for module in modules for name in names if name == module or name.startswith(f"{module}::")}
