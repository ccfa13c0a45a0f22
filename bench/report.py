#!/usr/bin/env python3
"""Makes bench/results/table.md and the plots of what the benchmarks have left in bench/results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import plots
import tables

RESULTS = Path(__file__).resolve().parent / "results"
SURFACES = ["node", "browser", "python", "rust"]


def main() -> None:
    found = [read(surface) for surface in SURFACES if (RESULTS / f"{surface}.json").exists()]
    table = RESULTS / "table.md"
    table.write_text(tables.document(found))
    print("\n".join(tables.verdicts(found)))
    for path in [table, *plots.draw(found, RESULTS)]:
        print(f"written to {path}")


def read(surface: str) -> dict[str, Any]:
    text = (RESULTS / f"{surface}.json").read_text()
    results: dict[str, Any] = json.loads(text)
    return results


if __name__ == "__main__":
    main()
