#!/usr/bin/env python3
"""Runs the conformance scenarios on every surface: run.py [--quick] [folder or file]...

Without a folder or file these are all: tests/scenarios, and the long ones, which
tests/long_scenarios writes from their seeds. Each surface has a runner of its own, which prints a
line for each failure and closes with `N passed, N failed` (and `, N skipped`, each with its
reason). A runner that crashes, hangs, or closes without having run anything is a failure.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = str(ROOT / "target/venv/bin/python")
LONGEST_SECONDS = 900

# `quick` surfaces are those of the inner loop: the core, and one engine a language through its
# public API.
RUNNERS: dict[str, tuple[list[str], bool]] = {
    "core": (["cargo", "run", "-q", "--release", "-p", "bulkheads-core", "--example", "conformance", "--"], True),
    "wasm-engine": (["node", "tests/conformance/engine.mjs", "wasm"], False),
    "node-engine": (["node", "tests/conformance/engine.mjs", "native"], False),
    "python-engine": ([PYTHON, "tests/conformance/engine.py"], False),
    "node": (["node", "tests/conformance/node.mjs", "native"], True),
    "node-wasm": (["node", "tests/conformance/node.mjs", "wasm"], False),
    "browser": (["node", "tests/conformance/browser.mjs"], False),
    "python": ([PYTHON, "tests/conformance/public.py"], True),
}

CLOSING = re.compile(r"(?P<passed>\d+) passed, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?\b")


@dataclass
class Result:
    surface: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    trouble: str = ""
    seconds: float = 0.0

    def line(self) -> str:
        counts = f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")
        return f"  {self.surface:<14} {counts} ({self.seconds:.1f} s){'  ' + self.trouble if self.trouble else ''}"


def main() -> int:
    parser = argparse.ArgumentParser(description="run the conformance scenarios on every surface")
    parser.add_argument("--quick", action="store_true", help="only the surfaces of the inner loop")
    parser.add_argument("paths", nargs="*", type=Path, metavar="folder-or-file")
    arguments = parser.parse_args()
    paths = [str(path.absolute()) for path in arguments.paths or all_scenarios()]
    chosen = {name: command for name, (command, quick) in RUNNERS.items() if quick or not arguments.quick}
    results = []
    for name, command in chosen.items():
        results.append(run(name, [*command, *paths]))
        print(results[-1].line(), flush=True)
    total = Result(
        "all",
        sum(result.passed for result in results),
        sum(result.failed for result in results),
        sum(result.skipped for result in results),
    )
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


def all_scenarios() -> list[Path]:
    """The folder of those that people wrote, and of the long ones, which are written now."""
    written = subprocess.run(
        [sys.executable, ROOT / "tests/long_scenarios/generate.py"], check=True, stdout=subprocess.PIPE, text=True
    )
    return [ROOT / "tests/scenarios", Path(written.stdout.strip())]


def run(surface: str, command: list[str]) -> Result:
    result = Result(surface)
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Result(surface, failed=1, trouble=f"the runner did not start: {error}")
    assert process.stdout is not None  # it is a pipe
    # The whole group: a browser that hangs holds the pipe open after its runner has gone.
    watchdog = threading.Timer(LONGEST_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
    watchdog.start()
    closing = None
    try:
        for line in process.stdout:
            if match := CLOSING.fullmatch(line.strip()):
                closing = match
            else:
                print(f"    {surface}: {line.rstrip()}", flush=True)
        status = process.wait()
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        watchdog.cancel()
    if closing:
        result.passed, result.failed = int(closing["passed"]), int(closing["failed"])
        result.skipped = int(closing["skipped"] or 0)
    judge(result, closing is not None, status)
    result.seconds = time.monotonic() - started
    return result


def judge(result: Result, closed: bool, status: int) -> None:
    """Counts one failure where the runner's own counts hide that something went wrong."""
    if result.failed:
        return
    if not closed:
        result.trouble = f"the runner ended without a count (exit status {status})"
    elif status != 0:
        result.trouble = f"the runner counted no failure but exited with status {status}"
    elif result.passed == 0:
        result.trouble = "the runner ran no scenario"
    result.failed = 1 if result.trouble else 0


if __name__ == "__main__":
    sys.exit(main())
