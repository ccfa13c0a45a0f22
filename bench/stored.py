"""What the benchmarks have left in bench/results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
SURFACES = ["node", "browser", "python", "rust"]
RUNTIMES = {"node": "Node", "browser": "browser", "python": "Python", "rust": "Rust"}


def read() -> list[dict[str, Any]]:
    """The results of each surface that has been measured."""
    files = [RESULTS / f"{surface}.json" for surface in SURFACES]
    return [json.loads(file.read_text()) for file in files if file.exists()]


def caption(results: dict[str, Any]) -> str:
    return f"{results['machine']['runtime']}, {results['machine']['kind']}, {results['date']}"
