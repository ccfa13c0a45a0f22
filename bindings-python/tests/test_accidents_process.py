"""A process ends by itself when nothing but idle bulkheads is left, and lives for as long as
somebody waits under a time-out."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAD = """
import asyncio
from bulkheads import Bulkhead, BulkheadError
shipping = Bulkhead("shipping", max_concurrent=1, max_queue=5, timeout={timeout})
"""

LEFT = {
    "nothing": "",
    "one that was used": "async def main(): await shipping.run(int)\nasyncio.run(main())",
    "a permit by hand": "permit = shipping.try_acquire()",
    "one that is closed": "shipping.close()",
    "one that is paused": "shipping.resize(0)",
    "one whose loop ended while others waited": """
async def main():
    shipping.try_acquire()
    for _ in range(3): asyncio.ensure_future(shipping.run(int))
    await asyncio.sleep(0)
asyncio.run(main())
""",
    "a wait that was given up": """
async def main():
    async with shipping:
        call = asyncio.ensure_future(shipping.run(int))
        await asyncio.sleep(0)
        call.cancel()
asyncio.run(main())
""",
}


def run(script: str, timeout: float) -> subprocess.CompletedProcess[str]:
    source = HEAD.format(timeout=timeout) + script
    return subprocess.run([sys.executable, "-W", "ignore", "-c", source], capture_output=True, text=True, timeout=30, check=True)


@pytest.mark.parametrize("script", LEFT.values(), ids=list(LEFT))
def test_it_ends_when_this_is_left(script: str) -> None:
    # A process that had to wait for one of its time-outs would take an hour.
    assert run(script, 3600).stderr == ""


def test_it_lives_until_those_who_wait_are_answered() -> None:
    script = """
async def wait(name, timeout):
    try:
        await shipping.run(int, timeout=timeout)
    except BulkheadError as error:
        print(name, error.code)

async def main():
    permit = shipping.try_acquire()
    await asyncio.gather(wait("b", 0.1), wait("a", 0.05), wait("full", 0))
    print(shipping.stats().queued)
asyncio.run(main())
"""
    assert run(script, 60).stdout.splitlines() == ["full full", "a queue_timeout", "b queue_timeout", "0"]
