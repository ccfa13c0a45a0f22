"""Row 6: calls that are turned away because nothing is free."""

from __future__ import annotations

from typing import Any

import anyio
from bulklink import BulkheadSaturatedError
from hyx.bulkhead.exceptions import BulkheadFull

import peers
from bulkheads import Bulkhead, BulkheadFullError
from harness import Contender, Race
from uncontended import work

UNIT = "ns per call"


def refused(name: str, calls: str, attempt: Any, arguments: tuple[Any, ...], error: type[Exception], note: str = "") -> Contender:
    async def run(calls: int) -> None:
        for _ in range(calls):
            try:
                await attempt(*arguments)
            except error:
                pass
            else:
                raise AssertionError(f"{name} admitted a call")

    return Contender(name, calls, run, note)


def refused_entry(name: str, calls: str, limit: Any, error: type[Exception], note: str = "") -> Contender:
    async def run(calls: int) -> None:
        for _ in range(calls):
            try:
                async with limit:
                    raise AssertionError(f"{name} admitted a call")
            except error:
                pass

    return Contender(name, calls, run, note)


def refused_slot(bulklink: Any) -> Contender:
    async def run(calls: int) -> None:
        for _ in range(calls):
            try:
                async with bulklink.slot():
                    raise AssertionError("bulklink admitted a call")
            except BulkheadSaturatedError:
                pass

    return Contender("bulklink", "async with bulkhead.slot()", run)


def refused_nowait() -> Contender:
    limiter = peers.anyio_limiter(1)
    limiter.acquire_on_behalf_of_nowait(object())

    async def run(calls: int) -> None:
        for _ in range(calls):
            try:
                limiter.acquire_nowait()
            except anyio.WouldBlock:
                pass
            else:
                raise AssertionError("anyio admitted a call")

    note = "a plain function, no coroutine; its error carries nothing"
    return Contender("anyio.CapacityLimiter", "limiter.acquire_nowait()", run, note)


async def full_bulkhead() -> Bulkhead:
    bulkhead = Bulkhead("bench", max_concurrent=1)
    await bulkhead.__aenter__()
    return bulkhead


async def full_hyx() -> Any:
    hyx = peers.hyx(1, room=0)
    await hyx.__aenter__()
    return hyx


async def full_bulklink() -> Any:
    bulklink = peers.bulklink(1)
    await bulklink.slot().__aenter__()
    return bulklink


async def function(calls: int, rounds: int) -> Race:
    return Race(
        id="6",
        title="a rejected run(fn)",
        unit=UNIT,
        work="a call while the only permit is held, and its error caught",
        options="max_concurrent=1, max_queue=0",
        calls=calls,
        rounds=rounds,
        ours=refused("bulkheads", "await bulkhead.run(work)", (await full_bulkhead()).run, (work,), BulkheadFullError),
        peers=[
            refused("hyx", "@bulkhead", (await full_hyx())(work), (), BulkheadFull),
            refused("bulklink", "await bulkhead.execute(work)", (await full_bulklink()).execute, (work,), BulkheadSaturatedError),
            refused_nowait(),
        ],
    )


async def block(calls: int, rounds: int) -> Race:
    return Race(
        id="6-block",
        title="a rejected async with",
        unit=UNIT,
        work="async with while the only permit is held, and its error caught",
        options="max_concurrent=1, max_queue=0",
        calls=calls,
        rounds=rounds,
        ours=refused_entry("bulkheads", "async with bulkhead", await full_bulkhead(), BulkheadFullError),
        peers=[
            refused_entry("hyx", "async with bulkhead", await full_hyx(), BulkheadFull),
            refused_slot(await full_bulklink()),
            refused_nowait(),
        ],
    )
