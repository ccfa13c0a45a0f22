#!/usr/bin/env python3
"""Reads llvm-cov's summary, prints the share of lines reached in each file and in all, and fails if
that is too little."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(least: float) -> int:
    [data] = json.load(sys.stdin)["data"]
    for file in data["files"]:
        lines = file["summary"]["lines"]
        print(f"{lines['percent']:>8.2f} %  {lines['covered']:>4} of {lines['count']:>4}  {Path(file['filename']).name}")
    total = data["totals"]["lines"]
    print(f"{total['percent']:>8.2f} %  {total['covered']} of {total['count']} lines of the core, at least {least:g} % wanted")
    return 0 if total["percent"] >= least else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
