"""Row 4: a crowd of waiters, all cancelled in random order; and what one of them costs against the
length of the queue."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import peers
from bulkheads import Bulkhead
from harness import Contender, Figure, Race, measure

PATIENCE = 3600.0
FEW, MANY = 10_000, 100_000
LENGTHS = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
QUADRATIC = "each waiter that leaves is searched for: 40,000 take over five seconds, more only take longer"

Waiting = Callable[[], Awaitable[None]]
Maker = Callable[[], Awaitable[Waiting]]


async def storm(waiting: Waiting, length: int) -> None:
    """All come, all wait, all are cancelled; until each has been answered."""
    tasks = [asyncio.ensure_future(waiting()) for _ in range(length)]
    while not all_wait(tasks[-1]):
        await asyncio.sleep(0)
    for place in random.sample(range(length), length):
        tasks[place].cancel()
    await asyncio.wait(tasks)


def all_wait(last: Any) -> bool:
    """The last came last, so if it waits for something all do."""
    return last._fut_waiter is not None


async def ours() -> Waiting:
    bulkhead = Bulkhead("bench", max_concurrent=1, max_queue=2 * LENGTHS[-1], timeout=PATIENCE)
    await bulkhead.__aenter__()

    async def waiting() -> None:
        async with bulkhead:
            pass

    return waiting


async def semaphore() -> Waiting:
    semaphore = peers.semaphore(1)
    await semaphore.acquire()

    async def waiting() -> None:
        async with semaphore:
            pass

    return waiting


async def limiter() -> Waiting:
    limiter = peers.anyio_limiter(1)
    await limiter.acquire_on_behalf_of(object())

    async def waiting() -> None:
        async with limiter:
            pass

    return waiting


async def bare() -> Waiting:
    loop = asyncio.get_running_loop()

    async def waiting() -> None:
        await loop.create_future()

    return waiting


async def contender(name: str, calls: str, make: Maker, length: int, note: str = "", smaller: int = 0) -> Contender:
    waiting = await make()

    async def run(storms: int) -> None:
        for _ in range(storms):
            await storm(waiting, length)

    return Contender(f"{name}, {length:,}", calls, run, note, f"{name}, {smaller:,}" if smaller else "")


async def storms(few: int, rounds: int) -> Race:
    many = 10 * few
    return Race(
        id="4",
        title=f"{many:,} waiters cancelled in random order, against {few:,}",
        unit="ms in all",
        work="tasks that wait for the only permit; from the first task made until the last is answered",
        options=f"max_concurrent=1, timeout={PATIENCE:g}",
        calls=1,
        rounds=rounds,
        ours=await contender("bulkheads", "async with bulkhead", ours, many, smaller=few),
        peers=[await contender("bulkheads", "async with bulkhead", ours, few)],
        others=[
            await contender("asyncio.Semaphore", "async with semaphore", semaphore, few, peers.NO_BOUND),
            await contender("anyio.CapacityLimiter", "async with limiter", limiter, few, peers.ANY_LOOP),
            await contender("a future each", "await future", bare, few, "no limit, no queue"),
            await contender("a future each", "await future", bare, many, "no limit, no queue", smaller=few),
        ],
        missing=[{"name": f"asyncio.Semaphore, {many:,}", "why": QUADRATIC}],
        nanos_per_unit=1e6,
        shows_collections=True,
        note="the target is the growth of the whole time; `collecting` is the share of Python's own garbage collection in it",
    )


async def curve() -> Figure:
    """One waiter's share of such a storm."""
    makers = [
        ("bulkheads", ours, 5),
        ("asyncio.Semaphore", semaphore, 4),
        ("anyio.CapacityLimiter", limiter, 4),
        ("a future each, no limit", bare, 5),
    ]
    return {
        "id": "python-cancel",
        "title": "Python: a task that waits and is cancelled, in random order, against queue length",
        "unit": "ns per waiter",
        "x": LENGTHS,
        "series": [
            {
                "name": name,
                "y": [await point(make, length) if place < affordable else None for place, length in enumerate(LENGTHS)],
            }
            for name, make, affordable in makers
        ],
    }


async def point(make: Maker, length: int) -> float:
    storms = max(1, 2_000 // length)
    runner = await contender("", "", make, length)
    race = Race("", "", "", "", "", storms, 3 if length <= FEW else 1, runner, [], nanos_per_unit=length)
    return float((await measure(race))["ours"]["median"])
