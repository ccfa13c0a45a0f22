#!/usr/bin/env python3
"""Measures the rows of Python beside its peers: run.py [--quick] [--rows 7,8a] [--python python3.13] [--loop uvloop] [--json FILE].

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
    if options.python or importlib.util.find_spec("aiometer") is None:
        restart(options.python)
    import output
    import suite

    figures = suite.run(options.quick, options.rows, options.loop)
    is_whole = not (options.quick or options.rows or options.loop or os.environ.get("BENCH_PYTHON"))
    target = options.json or (RESULTS / "python.json" if is_whole else None)
    if target:
        output.write(figures, target)
        print(f"written to {target}")


def restart(interpreter: str | None) -> None:
    """The same in the environment that has the peers."""
    chosen = {"PYTHON": interpreter, "BENCH_PYTHON": interpreter} if interpreter else {}
    environment = os.environ | chosen
    venv = subprocess.run([str(HERE / "venv.sh")], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    python = venv.stdout.strip()
    rest = iter(sys.argv[1:])
    kept = [word for word in rest if not (word.startswith("--python") and ("=" in word or next(rest, "") or True))]
    os.execve(python, [python, str(HERE / "run.py"), *kept], environment)


if __name__ == "__main__":
    main()
