"""Rows 7, 8a and 8b: calls one after another that always find a permit free."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
from hyx.timeout import timeout as hyx_timeout

import peers
from bulkheads import Bulkhead
from harness import Contender, Race

UNIT = "ns per call"
WORK = "async def work(): return 1; awaited one after another"
BOUND = 10.0


async def work() -> int:
    return 1


async def bare(calls: int) -> None:
    for _ in range(calls):
        await work()


BARE = Contender("bare", "await work()", bare)


def entering(name: str, calls: str, limit: Any, note: str = "") -> Contender:
    async def run(calls: int) -> None:
        for _ in range(calls):
            async with limit:
                await work()

    return Contender(name, calls, run, note)


def calling(name: str, calls: str, function: Any, note: str = "") -> Contender:
    async def run(calls: int) -> None:
        for _ in range(calls):
            await function()

    return Contender(name, calls, run, note)


def passing(name: str, calls: str, run_in: Any, note: str = "") -> Contender:
    async def run(calls: int) -> None:
        for _ in range(calls):
            await run_in(work)

    return Contender(name, calls, run, note)


def with_slots(bulklink: Any) -> Contender:
    async def run(calls: int) -> None:
        for _ in range(calls):
            async with bulklink.slot():
                await work()

    return Contender("bulklink", "async with bulkhead.slot()", run)


def block(calls: int, rounds: int) -> Race:
    return Race(
        id="7",
        title="async with, uncontended",
        unit=UNIT,
        work=WORK,
        options="max_concurrent=10",
        calls=calls,
        rounds=rounds,
        bare=BARE,
        ours=entering("bulkheads", "async with bulkhead", Bulkhead("bench", max_concurrent=peers.LIMIT)),
        peers=[
            entering("asyncio.Semaphore", "async with semaphore", peers.semaphore(), peers.NO_BOUND),
            entering("anyio.CapacityLimiter", "async with limiter", peers.anyio_limiter(), peers.ANY_LOOP),
            entering("hyx", "async with bulkhead", peers.hyx(), peers.NO_WAIT_BOUND),
            with_slots(peers.bulklink()),
            entering("aiologic", "async with semaphore", peers.aiologic_semaphore(), peers.NO_BOUND),
        ],
    )


def function(calls: int, rounds: int) -> Race:
    return Race(
        id="8a",
        title="run(fn), uncontended",
        unit=UNIT,
        work=WORK,
        options="max_concurrent=10",
        calls=calls,
        rounds=rounds,
        bare=BARE,
        ours=passing("bulkheads", "await bulkhead.run(work)", Bulkhead("bench", max_concurrent=peers.LIMIT).run),
        peers=[
            entering("asyncio.Semaphore", "async with semaphore: await work()", peers.semaphore(), peers.NO_BOUND),
            entering("anyio.CapacityLimiter", "async with limiter: await work()", peers.anyio_limiter(), peers.ANY_LOOP),
            calling("hyx", "@bulkhead", peers.hyx()(work), peers.NO_WAIT_BOUND),
            passing("bulklink", "await bulkhead.execute(work)", peers.bulklink().execute),
            entering("aiologic", "async with semaphore: await work()", peers.aiologic_semaphore(), peers.NO_BOUND),
        ],
    )


def bounded_function(calls: int, rounds: int) -> Race:
    bulkhead = Bulkhead("bench", max_concurrent=peers.LIMIT, call_timeout=BOUND)
    return Race(
        id="8b",
        title="run(fn) with call_timeout, uncontended",
        unit=UNIT,
        work=WORK,
        options="max_concurrent=10, call_timeout=10",
        calls=calls,
        rounds=rounds,
        bare=BARE,
        ours=passing("bulkheads", "await bulkhead.run(work)", bulkhead.run),
        peers=[with_asyncio_timeout(), with_fail_after(), with_hyx_timeout(), bulklink_with_asyncio_timeout()],
    )


def with_asyncio_timeout() -> Contender:
    semaphore = peers.semaphore()

    async def run(calls: int) -> None:
        for _ in range(calls):
            async with semaphore, asyncio.timeout(BOUND):
                await work()

    return Contender("asyncio.Semaphore", "async with semaphore, asyncio.timeout(10): await work()", run, peers.NO_BOUND)


def with_fail_after() -> Contender:
    limiter = peers.anyio_limiter()

    async def run(calls: int) -> None:
        for _ in range(calls):
            async with limiter:
                with anyio.fail_after(BOUND):
                    await work()

    calls = "async with limiter: with fail_after(10): await work()"
    return Contender("anyio.CapacityLimiter", calls, run, peers.ANY_LOOP)


def with_hyx_timeout() -> Contender:
    return calling("hyx", "@bulkhead @timeout(10)", peers.hyx()(hyx_timeout(BOUND)(work)), peers.NO_WAIT_BOUND)


def bulklink_with_asyncio_timeout() -> Contender:
    bulklink = peers.bulklink()

    async def run(calls: int) -> None:
        for _ in range(calls):
            async with bulklink.slot(), asyncio.timeout(BOUND):
                await work()

    return Contender("bulklink", "async with bulkhead.slot(), asyncio.timeout(10): await work()", run)
