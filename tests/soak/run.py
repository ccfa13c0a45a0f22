#!/usr/bin/env python3
"""Runs everything in this folder for ten minutes (SOAK_MINUTES says otherwise) and says what it
did.

A part is an executable `*.sh` here. Called with `prepare` it builds what it needs; that takes no
part of the time. Called without arguments it works for about SOAK_SECONDS, prints what it does as
it likes, and says in its last line what it did in all; a status that is not 0 is a failure. A line
`# share: 3` gives it three times the usual time.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
SHARE = re.compile(r"^# share: ([\d.]+)$", re.MULTILINE)
# A part that takes that much longer than its share hangs.
GRACE = 180.0


@dataclass(frozen=True)
class Part:
    path: Path
    share: float

    @property
    def name(self) -> str:
        return self.path.stem


@dataclass(frozen=True)
class Outcome:
    part: Part
    passed: bool
    seconds: float
    summary: str


def main(arguments: list[str]) -> int:
    minutes = float(os.environ.get("SOAK_MINUTES", "10"))
    parts = [part for part in parts_of(FOLDER) if not arguments or part.name in arguments]
    if not parts:
        sys.exit(f"no part here is called {' or '.join(arguments)}")
    for part in parts:
        print(f"--- preparing {part.name}", flush=True)
        subprocess.run([part.path, "prepare"], cwd=ROOT, check=True)
    lanes = dealt(parts, min(len(parts), os.cpu_count() or 1, 2))
    print(f"--- {minutes:g} minutes, {len(lanes)} parts at a time", flush=True)
    with ThreadPoolExecutor(len(lanes)) as pool:
        outcomes = [outcome for lane in pool.map(lambda lane: run_lane(lane, minutes * 60), lanes) for outcome in lane]
    return report(outcomes)


def parts_of(folder: Path) -> list[Part]:
    paths = [path for path in sorted(folder.glob("*.sh")) if os.access(path, os.X_OK)]
    return [Part(path, share_of(path)) for path in paths]


def share_of(path: Path) -> float:
    match = SHARE.search(path.read_text())
    return float(match[1]) if match else 1.0


def dealt(parts: list[Part], count: int) -> list[list[Part]]:
    """Each part to the lane that has least to do, the largest first."""
    lanes: list[list[Part]] = [[] for _ in range(count)]
    for part in sorted(parts, key=lambda part: -part.share):
        min(lanes, key=lambda lane: sum(other.share for other in lane)).append(part)
    return lanes


def run_lane(lane: list[Part], seconds: float) -> list[Outcome]:
    total = sum(part.share for part in lane)
    return [run(part, seconds * part.share / total) for part in lane]


def run(part: Part, seconds: float) -> Outcome:
    print(f"--- {part.name}, for {seconds:.0f} s", flush=True)
    started = time.monotonic()
    environment = {**os.environ, "SOAK_SECONDS": f"{seconds:.0f}"}
    process = subprocess.Popen(
        [part.path],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds + GRACE)
        passed = process.returncode == 0
    except subprocess.TimeoutExpired:
        # With all that it started: a child left behind would hold its output open.
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        output += f"\nit did not end within {seconds + GRACE:.0f} s\n"
        passed = False
    lines = output.strip().splitlines() or ["it said nothing"]
    if not passed:
        print(output, flush=True)
    return Outcome(part, passed, time.monotonic() - started, lines[-1])


def report(outcomes: list[Outcome]) -> int:
    print()
    for outcome in sorted(outcomes, key=lambda outcome: outcome.part.name):
        mark = "ok" if outcome.passed else "FAILED"
        print(f"{mark:>6}  {outcome.part.name:<20} {outcome.seconds:>6.1f} s  {outcome.summary}")
    failed = sum(not outcome.passed for outcome in outcomes)
    print(f"\n{len(outcomes) - failed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
