#!/usr/bin/env python3
"""The lab: a hanging dependency sinks a shared pool, and fails to sink one with bulkheads. On real
HTTP, in Node, Chromium and Python.

`make lab` runs it; with --check it fails unless every surface shows what it should. README.md
beside this file has the details.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from rich.console import Console

from experiment import examine
from picture import draw
from report import show
from results import Record, checks, records
from surface import LAB, ROOT, link_package, start_server, start_surface

SURFACES = ["node", "browser", "python"]
OUT = ROOT / "target" / "lab"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="count what must hold, and fail unless it does")
    parser.add_argument("--png", action="store_true", help="draw the picture as lab.png too")
    options = parser.parse_args()
    started = time.monotonic()

    plan = json.loads((LAB / "experiment.json").read_text())
    # Without a terminal rich assumes 80 columns, which is less than the table needs.
    console = Console(width=None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", 118)), highlight=False)
    link_package()
    with start_server() as server:
        findings = []
        for name in SURFACES:
            with start_surface(name, server.hello["ports"]) as surface:
                findings.append(examine(name, surface, server, plan, console.print))

    show(console, findings, plan)
    found = records(findings)
    write(found)
    pictures = draw(findings, plan, OUT, options.png)
    for path in [OUT / "results.json", *pictures]:
        console.print(f"  {path.relative_to(ROOT)}")
    console.print(f"\nin {time.monotonic() - started:.0f} s")
    return count(found, plan) if options.check else 0


def write(found: list[Record]) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    lines = ",\n  ".join(json.dumps(record) for record in found)
    (OUT / "results.json").write_text(f"[\n  {lines}\n]\n")


def count(found: list[Record], plan: dict[str, object]) -> int:
    outcomes = list(checks(found, plan))
    for sentence, holds in outcomes:
        print(f"{'ok    ' if holds else 'FAILED'} {sentence}")
    failed = sum(not holds for _, holds in outcomes)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
