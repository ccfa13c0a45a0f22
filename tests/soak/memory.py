"""Ten million calls of every kind through one bulkhead, ended in all ways that there are: what the
process holds after them is what it held after the first few. CALLS says how many, SECONDS_EACH for
how long at most."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import math
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

from bulkheads import Bulkhead, BulkheadError
from bulkheads.testing import VirtualLoop

CALLS = int(os.environ.get("CALLS", "10_000_000"))
SECONDS = float(os.environ.get("SECONDS_EACH", math.inf))
# After these the memory is what it will be.
FIRST = 200_000
MEGABYTE = 2**20
# What a process gains and loses whatever it does.
NOISE_BLOCKS = 1000
NOISE_BYTES = 8 * MEGABYTE


class Broken(Exception):
    pass


async def main() -> None:
    rounds = Rounds()
    start = time.monotonic()
    while rounds.calls < FIRST:
        await rounds.play()
    before = memory()
    while rounds.calls < CALLS and time.monotonic() - start < SECONDS:
        await rounds.play()
    after = memory()
    print(
        f"python: {rounds.calls / 1e6:.1f} million calls in {time.monotonic() - start:.0f} s; {before[0]} blocks before, {after[0]} after; "
        f"process {before[1] / MEGABYTE:.1f} MB before, {after[1] / MEGABYTE:.1f} after"
    )
    rounds.check()
    assert after[0] - before[0] < NOISE_BLOCKS, f"{after[0] - before[0]} more blocks are in use"
    assert after[1] - before[1] < NOISE_BYTES, f"the process has grown by {after[1] - before[1]} bytes"


class Rounds:
    def __init__(self) -> None:
        self.calls = 0
        self.loop = cast(VirtualLoop, asyncio.get_running_loop())
        self.shipping = Bulkhead("shipping", max_concurrent=4, max_queue=6, timeout=3, call_timeout=5, abandon_after=2)
        self.wrapped = self.shipping.wrap(returning)

    async def play(self) -> None:
        shipping, loop = self.shipping, self.loop
        for _ in range(8):
            # At once, and alone.
            for call in (
                lambda: shipping.run(int),
                lambda: shipping.run(broken),
                lambda: shipping.run(returning),
                self.wrapped,
                self.inside,
            ):
                await self.one(call)
            permit = shipping.try_acquire()
            self.calls += 1
            if permit is not None:
                permit.release()
        # Full, with all that can happen to those who wait.
        holds = [shipping.try_acquire(), shipping.try_acquire()]
        self.calls += 2
        tasks = [
            self.start(lambda: shipping.run(asyncio.sleep, 60)),
            self.start(lambda: shipping.run(stubborn)),
            self.start(lambda: shipping.run(int)),
            self.start(lambda: shipping.run(returning)),
            self.start(lambda: shipping.run(int, timeout=1)),
            self.start(lambda: shipping.run(int, weight=3)),
            self.start(self.inside),
            self.start(self.by_hand),
            # No more places, too heavy, too late, not willing to wait.
            self.start(lambda: shipping.run(int)),
            self.start(lambda: shipping.run(int, weight=5)),
            self.start(lambda: shipping.run(int, deadline=loop.time() - 1)),
            self.start(lambda: shipping.run(int, timeout=0)),
        ]
        await loop.settle()
        for task in tasks[0:8:3]:
            task.cancel()
        await loop.advance(loop.time() + 1)
        for permit in holds:
            if permit is not None:
                permit.release()
        await loop.advance(loop.time() + 1)
        shipping.resize(3)
        shipping.resize(4)
        await loop.advance(loop.time() + 9)
        await asyncio.gather(*tasks, return_exceptions=True)
        brief()

    def start(self, call: Callable[[], Awaitable[object]]) -> asyncio.Task[None]:
        return asyncio.create_task(self.one(call))

    async def one(self, call: Callable[[], Awaitable[object]]) -> None:
        self.calls += 1
        with contextlib.suppress(BulkheadError, Broken):
            await call()

    async def inside(self) -> None:
        async with self.shipping:
            await asyncio.sleep(0)

    async def by_hand(self) -> None:
        permit = await self.shipping.acquire()
        permit.release()

    def check(self) -> None:
        stats = self.shipping.stats()
        rejected = dataclasses.asdict(stats.rejected)
        assert self.calls == stats.admitted + sum(rejected.values())
        assert (stats.running, stats.queued) == (0, 0)
        counted = {"abandoned_runs": stats.abandoned_runs, **rejected}
        assert all(count > 0 for name, count in counted.items() if name not in ("closed", "reentrant")), counted


def broken() -> None:
    raise Broken


async def returning() -> int:
    await asyncio.sleep(0)
    return 1


async def stubborn() -> None:
    """Goes on for a while when it is cancelled."""
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(6)


def brief() -> None:
    """One that comes and goes, with a permit and a wait that nobody steps."""
    other = Bulkhead("brief", max_concurrent=1, max_queue=1)
    permit = other.try_acquire()
    waiting = cast(Coroutine[Any, Any, object], other.run(int))
    waiting.send(None)
    waiting.close()
    if permit is not None:
        permit.release()


def memory() -> tuple[int, int]:
    """Blocks of Python's own memory that are in use, and what the process has in all."""
    for _ in range(3):
        gc.collect()
    try:
        with open("/proc/self/statm") as file:
            resident = int(file.read().split()[1]) * resource.getpagesize()
    except FileNotFoundError:
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return sys.getallocatedblocks(), resident


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(main())
