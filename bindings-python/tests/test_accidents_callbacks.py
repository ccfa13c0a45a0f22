"""Whatever user code runs because of a call may call back into the same bulkhead, whatever it does
there."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bulkheads import Bulkhead, Permit
from helpers import check_books, loop, probe_full, spawn

Act = Callable[[Bulkhead, list[Permit]], Any]


def take(bulkhead: Bulkhead, permits: list[Permit]) -> None:
    permit = bulkhead.try_acquire()
    if permit is not None:
        permits.append(permit)


def give_back(bulkhead: Bulkhead, permits: list[Permit]) -> None:
    if permits:
        permits.pop().release()


ACTS: dict[str, Act] = {
    "another call": lambda bulkhead, _: spawn(quiet(bulkhead.run(asyncio.sleep, 1))),
    "a permit": take,
    "a release of another permit": give_back,
    "a growing limit": lambda bulkhead, _: bulkhead.resize(3),
    "a shrinking limit": lambda bulkhead, _: bulkhead.resize(1),
    "a pause": lambda bulkhead, _: bulkhead.resize(0),
    "close": lambda bulkhead, _: bulkhead.close(),
    "close with abort": lambda bulkhead, _: bulkhead.close(abort=True),
    "drain": lambda bulkhead, _: bulkhead.drain(),
    "idle": lambda bulkhead, _: bulkhead.idle(),
    "stats": lambda bulkhead, _: bulkhead.stats(),
}


class Lazy:
    """Starts only when it is awaited, and calls back then."""

    def __init__(self, back: Callable[[], None]) -> None:
        self.back = back

    def __await__(self) -> Any:
        self.back()
        return asyncio.sleep(1).__await__()


class Dying:
    """Calls back when its last reference goes."""

    def __init__(self, back: Callable[[], None]) -> None:
        self.back = back

    def __del__(self) -> None:
        self.back()


async def quiet(awaitable: Awaitable[object]) -> None:
    await asyncio.gather(awaitable, return_exceptions=True)


async def in_the_work(bulkhead: Bulkhead, back: Callable[[], None]) -> None:
    await bulkhead.run(back)


async def in_a_finally_of_the_work(bulkhead: Bulkhead, back: Callable[[], None]) -> None:
    async def work() -> None:
        try:
            await asyncio.sleep(5)
            raise ValueError
        finally:
            back()

    await bulkhead.run(work)


async def in_a_finally_of_a_cancelled_work(bulkhead: Bulkhead, back: Callable[[], None]) -> None:
    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            back()

    call = spawn(bulkhead.run(work))
    await asyncio.sleep(5)
    call.cancel()
    await quiet(call)


async def in_a_finally_of_a_call_time_out(bulkhead: Bulkhead, back: Callable[[], None]) -> None:
    try:
        async with bulkhead:
            await asyncio.sleep(60)
    finally:
        back()


async def in_what_the_work_awaits(bulkhead: Bulkhead, back: Callable[[], None]) -> None:
    await bulkhead.run(lambda: Lazy(back))


async def in_a_callback_of_the_task(bulkhead: Bulkhead, back: Callable[[], None]) -> None:
    call = spawn(bulkhead.run(asyncio.sleep, 1))
    call.add_done_callback(lambda _: back())
    await quiet(call)
    await asyncio.sleep(5)


async def in_what_the_result_leaves_behind(bulkhead: Bulkhead, back: Callable[[], None]) -> None:
    await bulkhead.run(lambda: Dying(back))
    gc.collect()


async def in_what_a_refused_call_leaves_behind(bulkhead: Bulkhead, back: Callable[[], None]) -> None:
    await quiet(bulkhead.run(id, Dying(back), weight=9))
    gc.collect()


PLACES = [
    in_the_work,
    in_a_finally_of_the_work,
    in_a_finally_of_a_cancelled_work,
    in_a_finally_of_a_call_time_out,
    in_what_the_work_awaits,
    in_a_callback_of_the_task,
    in_what_the_result_leaves_behind,
    in_what_a_refused_call_leaves_behind,
]


@pytest.mark.parametrize("act", ACTS.values(), ids=list(ACTS))
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
async def test_calling_back(place: Callable[[Bulkhead, Callable[[], None]], Awaitable[None]], act: Act) -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=5, timeout=20, call_timeout=30)
    permits: list[Permit] = []
    take(bulkhead, permits)
    calls = 0

    def back() -> None:
        nonlocal calls
        calls += 1
        act(bulkhead, permits)

    tasks = [spawn(quiet(place(bulkhead, back))), spawn(quiet(bulkhead.run(asyncio.sleep, 1))), spawn(quiet(bulkhead.run(int)))]
    await loop().advance(100)
    for permit in permits:
        permit.release()
    await asyncio.gather(*tasks)
    await loop().advance(200)
    assert calls == 1
    check_books(bulkhead)
    stats = bulkhead.stats()
    assert (stats.queued, stats.running) == (0, 0)
    if stats.state == "open":
        bulkhead.resize(2)
        probe_full(bulkhead, 2)


@pytest.mark.parametrize("act", ACTS.values(), ids=list(ACTS))
async def test_a_finaliser_may_call_back_as_its_permit_is_reclaimed(act: Act) -> None:
    bulkhead = Bulkhead("b", max_concurrent=3, max_queue=5, timeout=600)
    permits: list[Permit] = []
    take(bulkhead, permits)

    class Owner:
        permit: object = None

    owner = Owner()
    owner.permit = (bulkhead.try_acquire(), owner)
    weakref.finalize(owner, act, bulkhead, permits)
    with pytest.warns(ResourceWarning):
        del owner
        gc.collect()
    await loop().advance(10)
    assert bulkhead.stats().leaked == 1
    for permit in permits:
        permit.release()
    check_books(bulkhead)
    assert (bulkhead.stats().active, bulkhead.stats().queued) == (0, 0)
