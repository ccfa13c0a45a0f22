"""Row 9: many tasks at once through few permits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import peers
from bulkheads import Bulkhead
from harness import Contender, Race

PATIENCE = 120.0
NOTE = "the whole time less that of the same tasks without a limit, divided by the tasks"


async def work() -> None:
    await asyncio.sleep(0)


def many(name: str, calls: str, task: Callable[[], Any], note: str = "") -> Contender:
    async def run(tasks: int) -> None:
        await asyncio.gather(*(task() for _ in range(tasks)))

    return Contender(name, calls, run, note)


def entering(limit: Any) -> Callable[[], Awaitable[None]]:
    async def task() -> None:
        async with limit:
            await work()

    return task


def in_slot(bulklink: Any) -> Callable[[], Awaitable[None]]:
    async def task() -> None:
        async with bulklink.slot():
            await work()

    return task


def bulkhead() -> Bulkhead:
    return Bulkhead("bench", max_concurrent=peers.LIMIT, max_queue=peers.ROOM, timeout=PATIENCE)


def block(tasks: int, rounds: int) -> Race:
    ours = many("bulkheads", "async with bulkhead", entering(bulkhead()))
    others = [
        many("anyio.CapacityLimiter", "async with limiter", entering(peers.anyio_limiter()), peers.ANY_LOOP),
        many("hyx", "async with bulkhead", entering(peers.hyx()), peers.NO_WAIT_BOUND),
        many("bulklink", "async with bulkhead.slot()", in_slot(peers.bulklink(room=peers.ROOM, wait=PATIENCE))),
        many("aiologic", "async with semaphore", entering(peers.aiologic_semaphore()), peers.NO_BOUND),
    ]
    return race("9", "tasks through 10 permits, async with", ours, others, tasks, rounds)


def function(tasks: int, rounds: int) -> Race:
    guarded = bulkhead()
    ours = many("bulkheads", "await bulkhead.run(work)", lambda: guarded.run(work))
    return race("9-run", "tasks through 10 permits, run(fn)", ours, [], tasks, rounds)


def race(id: str, title: str, ours: Contender, others: list[Contender], tasks: int, rounds: int) -> Race:
    return Race(
        id=id,
        title=f"{tasks:,} {title}",
        unit="ns per task",
        work="asyncio.gather of tasks that await asyncio.sleep(0) each",
        options=f"max_concurrent=10, max_queue={peers.ROOM}, timeout={PATIENCE:g}",
        calls=tasks,
        rounds=rounds,
        bare=many("bare", "await work()", work),
        ours=ours,
        peers=[many("asyncio.Semaphore", "async with semaphore", entering(peers.semaphore()), peers.NO_BOUND), *others],
        note=NOTE,
    )
