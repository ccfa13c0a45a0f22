"""What the lab directs: a child process that answers each line of JSON with one line of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

LAB = Path(__file__).resolve().parent
ROOT = LAB.parents[1]


class Process:
    """`hello` is the first line, which the child writes as soon as it is ready."""

    def __init__(self, *command: str) -> None:
        self.command = command
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=LAB)
        self.hello = self._answer()

    def ask(self, do: str, **options: Any) -> dict[str, Any]:
        assert self.child.stdin is not None  # it is a pipe
        self.child.stdin.write(json.dumps({"do": do, **options}) + "\n")
        self.child.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.child.stdout is not None  # it is a pipe
        line = self.child.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": f"ended with exit code {self.child.wait()}"}
        if "error" in answer:
            sys.exit(f"error: {' '.join(self.command)}: {answer['error']}")
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        """Each child ends when its input does; one that does not is ended."""
        assert self.child.stdin is not None  # it is a pipe
        self.child.stdin.close()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


def start_server() -> Process:
    return Process("node", "server.mjs")


def start_surface(name: str, ports: list[int]) -> Process:
    port = str(ports[0])
    if name == "node":
        return Process("node", "client.mjs", port)
    if name == "python":
        return Process(sys.executable, "client.py", port)
    chromium = subprocess.run([ROOT / "tests/ci/chromium.sh"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return Process("node", "browser.mjs", chromium, *map(str, ports))


def link_package() -> None:
    subprocess.run(["node", LAB / "link.mjs"], check=True)
