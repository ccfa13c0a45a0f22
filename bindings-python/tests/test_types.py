"""What a type checker sees, checked by mypy itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GOOD = """
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from typing import Any, assert_type

from bulkheads import Bulkhead, BulkheadFullError, BulkheadTimeoutError, Permit, Stats

shipping = Bulkhead("shipping", max_concurrent=10, max_queue=20, timeout=0.3, call_timeout=2.0)

async def fetch(address: str, weight: float = 1.0) -> int: ...
def plain(address: str) -> bytes: ...

@shipping.wrap
async def quote(address: str, *, express: bool = False) -> int: ...

@shipping.wrap(weight=2)
async def dear(address: str) -> int: ...

@shipping.wrap
def blocking(address: str) -> bytes: ...

assert_type(blocking("here"), bytes)

@shipping.wrap
async def tokens() -> AsyncGenerator[str, None]:
    yield ""

class Client:
    @shipping.wrap
    async def get(self, path: str) -> bytes: ...

async def main(urls: list[str], later: AsyncIterator[str]) -> None:
    assert_type(await shipping.run(fetch, "here", weight=2, timeout=0.1, deadline=1), int)
    assert_type(await shipping.run(plain, "here"), bytes)
    assert_type(await shipping.run(lambda: 3), int)
    assert_type(await quote("here", express=True), int)
    assert_type(await dear("here"), int)
    assert_type(await Client().get("/"), bytes)
    async with shipping as nothing:
        assert_type(nothing, None)
    async with shipping.acquire(weight=2) as permit:
        assert_type(permit, Permit)
    assert_type(await shipping.acquire(), Permit)
    assert_type(shipping.try_acquire(2), Permit | None)
    assert_type(shipping.map(fetch, urls), AsyncGenerator[int, None])
    async for page in shipping.map(plain, later):
        assert_type(page, bytes)
    assert_type(shipping.stats(), Stats)
    await shipping.idle(); await shipping.drain(timeout=1); await shipping.close(abort=True)
    async for outcome in shipping.map(fetch, urls, return_exceptions=True, ordered=False, buffer=3):
        assert_type(outcome, int | BaseException)
    assert_type(await shipping.run_in_thread(plain, "here"), bytes)
    async for token in tokens():
        assert_type(token, str)

def words(error: BulkheadFullError | BulkheadTimeoutError) -> float:
    if error.code == "full":
        assert_type(error, BulkheadFullError)
        return error.limit
    assert_type(error, BulkheadTimeoutError)
    return error.waited
"""

BAD = {
    "shipping.run(fetch, 3)": "arg-type",
    'shipping.run(fetch, "here", 1.0, 2)': "arg-type",
    "quote(3)": "arg-type",
    'quote("here", slow=True)': "call-arg",
    "shipping.acquire(heavy=2)": "call-arg",
    'Bulkhead("b")': "call-arg",
    "shipping.close(True)": "call-arg",
}


def mypy(tmp_path: Path, text: str) -> str:
    path = tmp_path / "example.py"
    path.write_text(text)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--disable-error-code=empty-body",
        "--cache-dir",
        str(tmp_path),
        str(path),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_the_public_interface_is_typed(tmp_path: Path) -> None:
    assert mypy(tmp_path, GOOD).startswith("Success")
    wrong = "\n".join(f"    x{number} = {line}" for number, line in enumerate(BAD))
    report = mypy(tmp_path, f"{GOOD}\nasync def wrong() -> None:\n{wrong}\n")
    first = len(GOOD.splitlines()) + 3
    lines = [f"example.py:{first + number}: error" for number in range(len(BAD))]
    assert [line for line in lines if line not in report] == [], report


def test_the_stub_of_the_compiled_module_says_what_is_there() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "bulkheads._engine"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
