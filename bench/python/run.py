#!/usr/bin/env python3
"""Measures the rows of Python beside its peers: run.py [--quick] [--rows 7,8a] [--python
python3.13] [--loop uvloop] [--json FILE].

A full run writes bench/results/python.json; what is only quick, or only a part, is printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results"
AT_HOME = "BULKHEADS_BENCH_RESTARTED"
"""Set in the environment that has the peers, so that what is missing there is an error and no
endless search."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The rows of Python, beside its peers.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller crowds; nothing is written")
    parser.add_argument(
        "--rows", type=lambda text: text.split(","), default=[], help="only these, as 7,8a; 8 is all that begin so"
    )
    parser.add_argument("--python", metavar="INTERPRETER", help="another version of Python, as python3.13")
    parser.add_argument(
        "--loop", choices=["asyncio", "uvloop"], help="only on this loop; otherwise some rows are measured on both"
    )
    parser.add_argument("--json", type=Path, help="write the figures here, whatever was measured")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if AT_HOME not in os.environ and (options.python or importlib.util.find_spec("aiometer") is None):
        restart(options.python)
    import output
    import suite

    figures = suite.run(options.quick, options.rows, options.loop)
    is_whole = not (options.quick or options.rows or options.loop or options.python)
    target = options.json or (RESULTS / "python.json" if is_whole else None)
    if target:
        output.write(figures, target)
        print(f"written to {target}")


def restart(interpreter: str | None) -> None:
    """The same in the environment that has the peers."""
    environment = os.environ | ({"PYTHON": interpreter} if interpreter else {})
    venv = subprocess.run([str(HERE / "venv.sh")], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    python = venv.stdout.strip()
    os.execve(python, [python, *sys.argv], environment | {AT_HOME: "yes"})


if __name__ == "__main__":
    main()
