"""Threads and loops through one bulkhead, with time-outs, cancellations and loops that are closed
in the midst of it.

python stress.py stress 30    for 30 seconds
python stress.py memory       ten million calls of every kind, and what they leave in memory
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import random
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bulkheads import Bulkhead, BulkheadError
from helpers import probe_full

NEW_LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [asyncio.new_event_loop]
with contextlib.suppress(ImportError):
    import uvloop

    NEW_LOOPS.append(uvloop.new_event_loop)

LIMIT = 5
THREADS = 8
LOOPS = 3
TASKS = 40
CALLS = 10_000_000


class Trouble(Exception):
    pass


@dataclass
class Inside:
    """Who is inside, by weight: what the bulkhead is there to bound."""

    held: int = 0
    peak: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def enter(self, weight: int, stays: set[Stay] | None = None) -> Iterator[None]:
        stay = Stay(self, weight)
        if stays is not None:
            stays.add(stay)
        try:
            yield
        finally:
            stay.end()


class Stay:
    def __init__(self, inside: Inside, weight: int) -> None:
        self._inside = inside
        self._weight = weight
        with inside.lock:
            inside.held += weight
            inside.peak = max(inside.peak, inside.held)

    def end(self) -> None:
        """Once: the tasks of a loop that was closed are finalised later."""
        with self._inside.lock:
            self._inside.held -= self._weight
            self._weight = 0


class Stress:
    def __init__(self, seed: int) -> None:
        self.bulkhead = Bulkhead("stress", max_concurrent=LIMIT, max_queue=60, timeout=0.05, call_timeout=0.5)
        self.inside = Inside()
        self.calls = 0
        self.closed_loops = 0
        self._seed = seed
        self._lock = threading.Lock()
        self._ends_at = 0.0

    def run(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds
        workers: list[Callable[[random.Random], int]] = [*[self._thread] * THREADS, *[self._loops] * LOOPS]
        with ThreadPoolExecutor(len(workers)) as pool:
            seeds = [random.Random(self._seed * 100 + number) for number in range(len(workers))]
            self.calls = sum(pool.map(lambda worker, seed: worker(seed), workers, seeds))

    def check(self) -> None:
        gc.collect()
        assert self.inside.held == 0
        assert self.inside.peak == LIMIT, f"{self.inside.peak} inside of {LIMIT}"
        # The next caller does what loops that were closed have left to do.
        self.bulkhead.run_sync(int)
        stats = self.bulkhead.stats()
        rejected = stats.rejected
        turned_away = rejected.full + rejected.queue_timeout + rejected.cancelled + rejected.closed + rejected.too_heavy
        assert stats.admitted + turned_away == self.calls + 1, (stats, self.calls)
        assert (stats.leaked, stats.double_releases, stats.peak_active) == (0, 0, LIMIT)
        probe_full(self.bulkhead, LIMIT)

    def _is_over(self) -> bool:
        return time.monotonic() >= self._ends_at

    def _thread(self, chance: random.Random) -> int:
        calls = 0
        while not self._is_over():
            calls += 1
            with contextlib.suppress(BulkheadError, Trouble):
                self._block(chance)
        return calls

    def _block(self, chance: random.Random) -> None:
        bulkhead, weight = self.bulkhead, chance.randint(1, 3)
        way = chance.randrange(4)
        if way == 0:
            bulkhead.run_sync(self._work, chance, weight, weight=weight, timeout=chance.choice([0.0, 0.001, 0.05]))
        elif way == 1:
            with bulkhead:
                self._work(chance, 1)
        elif way == 2:
            with bulkhead.acquire_sync(weight=weight, deadline=time.monotonic() + chance.random() * 0.02):
                self._work(chance, weight)
        elif permit := bulkhead.try_acquire(weight):
            with permit:
                self._work(chance, weight)

    def _work(self, chance: random.Random, weight: int) -> None:
        with self.inside.enter(weight):
            if chance.random() < 0.2:
                raise Trouble
            time.sleep(0)

    def _loops(self, chance: random.Random) -> int:
        """One loop after the other; half of them are closed with all that waits and runs in
        them."""
        calls = 0
        while not self._is_over():
            loop = chance.choice(NEW_LOOPS)()
            loop.set_exception_handler(lambda *_: None)
            one = OneLoop(self, chance)
            tasks = [loop.create_task(one.call()) for _ in range(TASKS)]
            if chance.random() < 0.5:
                loop.run_until_complete(asyncio.wait(tasks))
            else:
                loop.run_until_complete(asyncio.sleep(chance.random() * 0.01))
                self.closed_loops += 1
            for stay in one.stays:
                stay.end()
            loop.close()
            calls += one.calls
        return calls


class OneLoop:
    def __init__(self, stress: Stress, chance: random.Random) -> None:
        self.calls = 0
        self.stays: set[Stay] = set()
        self._stress = stress
        self._chance = chance

    async def call(self) -> None:
        chance = self._chance
        for _ in range(5):
            task = asyncio.ensure_future(self._counted(chance.randrange(3), chance.randint(1, 3)))
            if chance.random() < 0.3:
                asyncio.get_running_loop().call_later(chance.random() * 0.005, task.cancel)
            await asyncio.wait([task])
            if not task.cancelled():
                assert isinstance(task.exception(), (BulkheadError, Trouble, type(None)))

    async def _counted(self, way: int, weight: int) -> None:
        self.calls += 1
        if way == 0:
            await self._stress.bulkhead.run(self._work_of, weight, weight=weight)
        elif way == 1:
            await self._enter(self._stress.bulkhead.acquire(weight=weight, timeout=0.02), weight)
        else:
            await self._enter(self._stress.bulkhead, 1)

    async def _enter(self, entering: Any, weight: int) -> None:
        async with entering:
            await self._work(weight)

    async def _work_of(self, heft: int) -> None:  # Not `weight`, which is an option of `run`.
        await self._work(heft)

    async def _work(self, weight: int) -> None:
        with self._stress.inside.enter(weight, self.stays):
            if self._chance.random() < 0.2:
                raise Trouble
            await asyncio.sleep(self._chance.choice([0, 0, 0.0005]))


def memory() -> None:
    """Ten million calls of every kind; the first of them bring memory to where it stays."""
    bulkhead = Bulkhead("memory", max_concurrent=2, max_queue=2, timeout=60)
    asyncio.run(many(bulkhead, CALLS // 20))
    before = resident()
    asyncio.run(many(bulkhead, CALLS))
    grown = resident() - before
    probe_full(bulkhead, 2)
    print(f"{CALLS:,} calls left {grown:,} KiB behind")
    assert grown < 1024


async def many(bulkhead: Bulkhead, calls: int) -> None:
    for _ in range(calls // 20):
        for _ in range(4):
            async with bulkhead:
                pass
            await bulkhead.run(int)
        permit = await bulkhead.acquire()
        await asyncio.gather(*(bulkhead.run(int) for _ in range(4)), return_exceptions=True)
        permit.release()
    await asyncio.to_thread(block_many, bulkhead, calls // 20)


def block_many(bulkhead: Bulkhead, rounds: int) -> None:
    for _ in range(rounds):
        for _ in range(3):
            with bulkhead:
                bulkhead.run_sync(int)
        with bulkhead.acquire_sync(weight=2):
            assert bulkhead.try_acquire() is None


def resident() -> int:
    """KiB of this process in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4


def main(what: str, seconds: str = "1") -> None:
    # Loops that are closed in the midst of it, and debug mode, have much to say of that.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", RuntimeWarning)
    if what == "memory":
        memory()
        return
    stress = Stress(seed=random.randrange(1 << 30))
    stress.run(float(seconds))
    stress.check()
    print(f"{stress.calls:,} calls, {stress.closed_loops:,} loops closed in the midst, {stress.inside.peak} inside of {LIMIT}")


if __name__ == "__main__":
    main(*sys.argv[1:])
