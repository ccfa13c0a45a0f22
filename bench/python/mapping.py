"""`map` beside aiometer and the ways people write by hand."""

from __future__ import annotations

import asyncio

import aiometer

import peers
from bulkheads import Bulkhead
from harness import Contender, Race


async def work(item: int) -> int:
    await asyncio.sleep(0)
    return item


def mapping(items: int, rounds: int) -> Race:
    bulkhead = Bulkhead("bench", max_concurrent=peers.LIMIT)

    async def ours(count: int) -> None:
        assert len([result async for result in bulkhead.map(work, range(count))]) == count

    return Race(
        id="map",
        title=f"map of {items:,} items",
        unit="ns per item",
        work="await asyncio.sleep(0) for each item, 10 at a time",
        options="max_concurrent=10",
        calls=items,
        rounds=rounds,
        ours=Contender("bulkheads", "async for result in bulkhead.map(work, items)", ours),
        peers=[with_aiometer()],
        others=[with_gather()],
    )


def with_aiometer() -> Contender:
    async def run(count: int) -> None:
        async with aiometer.amap(work, range(count), max_at_once=peers.LIMIT) as results:
            assert len([result async for result in results]) == count

    note = "results as they come, not in order; takes a sequence, and starts all items however slowly the results are read"
    return Contender("aiometer", "aiometer.amap(work, items, max_at_once=10)", run, note)


def with_gather() -> Contender:
    async def run(count: int) -> None:
        semaphore = peers.semaphore()

        async def guarded(item: int) -> int:
            async with semaphore:
                return await work(item)

        assert len(await asyncio.gather(*map(guarded, range(count)))) == count

    note = "a task for every item at once; no result before the last"
    return Contender("gather and a semaphore", "asyncio.gather(*map(guarded, items))", run, note)
