#!/usr/bin/env python3
"""Runs a list of checks, shows their output as it comes, and adds up what they counted.

A check that prints no count of its own (a formatter, a linter) is one test. A check that fails does
not keep the others from running, so that one run shows everything that is wrong.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from checks import CHECKS, Check

ROOT = Path(__file__).resolve().parents[2]

# How each kind of runner says what it counted: cargo test, pytest and our own runners, node --test.
COUNTS = [
    re.compile(r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed"),
    re.compile(r"^(?P<passed>\d+) passed, (?P<failed>\d+) failed"),
    re.compile(r"^=* ?(?:(?P<failed>\d+) failed)?(?:, )?(?:(?P<passed>\d+) passed)?(?:, [^=]*)? in [\d.]+s"),
]
NODE_COUNT = re.compile(r"^(?:#|\u2139) (?P<what>pass|fail) (?P<n>\d+)$")
# How they name what has failed.
FAILURE = re.compile(r"^(?:not ok \d+ - |FAILED |FAIL |test .* \.\.\. FAILED|error: )")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Outcome:
    check: Check
    passed: int
    failed: int
    seconds: float
    failures: list[str] = field(default_factory=list)


def main(arguments: list[str]) -> int:
    suite = arguments[0] if arguments else "full"
    chosen = [check for check in CHECKS if suite in check.suites]
    if not chosen:
        sys.exit(f"no check belongs to the suite {suite!r}")
    return report(in_parallel(chosen) if suite == "quick" else one_by_one(chosen))


def one_by_one(checks: list[Check]) -> list[Outcome]:
    """For the lab, which measures time and must have the machine for itself."""
    outcomes = []
    for number, check in enumerate(checks, 1):
        print(f"\n==> [{number}/{len(checks)}] {check.name}: {check.command}", flush=True)
        outcomes.append(run(check, lambda line: print(line, end="", flush=True)))
    return outcomes


def in_parallel(checks: list[Check]) -> list[Outcome]:
    """Two at a time, the output of each in one piece when it has ended."""
    print(f"==> {len(checks)} checks, two at a time: {', '.join(check.name for check in checks)}", flush=True)

    def run_quietly(check: Check) -> Outcome:
        lines: list[str] = []
        outcome = run(check, lines.append)
        shown = "".join(lines) if outcome.failed else ""
        print(
            f"==> {check.name}: {outcome.passed} passed, {outcome.failed} failed in {outcome.seconds:.1f} s\n{shown}",
            end="",
            flush=True,
        )
        return outcome

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run_quietly, checks))


def run(check: Check, show: Callable[[str], object]) -> Outcome:
    started = time.monotonic()
    process = subprocess.Popen(check.command, shell=True, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None  # it is a pipe
    passed = failed = 0
    failures = []
    for line in process.stdout:
        show(line)
        text = COLOUR.sub("", line).strip()
        if FAILURE.match(text):
            failures.append(text)
        more_passed, more_failed = counted(text)
        passed += more_passed
        failed += more_failed
    crashed = process.wait() != 0
    if crashed and failed == 0:
        failed = 1
    elif passed == failed == 0:
        passed = 1
    return Outcome(check, passed, failed, time.monotonic() - started, failures if failed else [])


def counted(line: str) -> tuple[int, int]:
    if match := NODE_COUNT.match(line):
        number = int(match["n"])
        return (number, 0) if match["what"] == "pass" else (0, number)
    for pattern in COUNTS:
        if match := pattern.match(line):
            return int(match["passed"] or 0), int(match["failed"] or 0)
    return 0, 0


def report(outcomes: list[Outcome]) -> int:
    print()
    for outcome in outcomes:
        mark = "FAILED" if outcome.failed else "ok"
        counts = f"{outcome.passed:>6} passed {outcome.failed:>4} failed"
        print(f"{mark:>6}  {outcome.check.name:<28} {counts} {outcome.seconds:>7.1f} s")
    # A check that fails may have printed thousands of lines before and after it said so.
    for outcome in outcomes:
        for failure in outcome.failures[:20]:
            print(f"{outcome.check.name}: {failure}")
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    print(f"\n{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
