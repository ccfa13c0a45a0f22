"""Work that never settles, that is awaited in odd ways, or whose permit was forgotten; and what is
held of a call that is over."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import weakref
from collections.abc import Callable, Generator
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadCallTimeoutError, BulkheadTimeoutError
from helpers import check_books, loop, probe_full, settle, spawn


async def never() -> None:
    await asyncio.get_running_loop().create_future()


class Deaf:
    """Goes on whenever it is cancelled."""

    def __init__(self) -> None:
        self.gate = asyncio.get_running_loop().create_future()

    async def __call__(self) -> None:
        while not self.gate.done():
            try:
                await asyncio.shield(self.gate)
            except asyncio.CancelledError:
                continue


class Once:
    """An awaitable that is no coroutine, and says if it is awaited twice."""

    def __init__(self) -> None:
        self.awaited = 0

    def __await__(self) -> Generator[Any, Any, int]:
        self.awaited += 1
        yield from asyncio.sleep(0).__await__()
        return self.awaited


async def test_a_lazy_awaitable_is_awaited_once_within_its_permit() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=5)
    assert await asyncio.gather(*(bulkhead.run(Once) for _ in range(3))) == [1, 1, 1]
    probe_full(bulkhead, 1)


async def test_an_awaitable_that_breaks_as_it_is_awaited_gives_its_permit_back() -> None:
    class Broken:
        def __await__(self) -> Any:
            raise ValueError("no")

    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(ValueError, match="no"):
        await bulkhead.run(Broken)
    assert bulkhead.stats().failed == 1
    probe_full(bulkhead, 1)


async def test_work_that_never_settles_is_ended_at_its_bound() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=600, call_timeout=10)
    following = spawn(bulkhead.run(int))
    stuck = spawn(bulkhead.run(never))
    await settle()
    for call in (following, stuck):
        await asyncio.wait([call])
    with pytest.raises(BulkheadCallTimeoutError):
        await stuck
    probe_full(bulkhead, 1)


async def test_work_that_does_not_heed_its_cancellation_keeps_its_permit_until_it_is_abandoned() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=600, call_timeout=10, abandon_after=5)
    deaf = Deaf()
    stuck = spawn(bulkhead.run(deaf))
    await settle()
    following = spawn(bulkhead.run(int))
    await loop().advance(14)
    assert (bulkhead.stats().overrun, bulkhead.stats().queued) == (1, 1)
    await loop().advance(15)
    assert await following == 0
    assert bulkhead.stats().abandoned_runs == 1
    probe_full(bulkhead, 1)
    deaf.gate.set_result(None)
    with pytest.raises(BulkheadCallTimeoutError):
        await stuck
    probe_full(bulkhead, 1)


async def test_those_behind_work_without_a_bound_are_answered_by_their_own() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=10)
    stuck = spawn(bulkhead.run(never))
    await settle()
    with pytest.raises(BulkheadTimeoutError):
        await bulkhead.run(int)
    assert loop().time() == 10
    stuck.cancel()
    await asyncio.wait([stuck])
    probe_full(bulkhead, 1)


@pytest.mark.parametrize("act", [copy.copy, copy.deepcopy, pickle.dumps])
async def test_a_permit_is_not_copied_or_pickled(act: Callable[[object], object]) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    permit = bulkhead.try_acquire()
    assert permit is not None
    with pytest.raises(TypeError, match="a permit is not copied or pickled"):
        act(permit)
    acquisition = bulkhead.acquire()
    with pytest.raises(TypeError, match=r"an acquire\(\) is not copied or pickled"):
        act(acquisition)
    acquisition.close()
    gc.collect()
    assert (bulkhead.stats().active, bulkhead.stats().leaked) == (1, 0)
    permit.release()
    probe_full(bulkhead, 1)


async def test_an_acquire_that_lost_a_race_gives_its_permit_back_when_it_is_told_to() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=600)
    hold = bulkhead.try_acquire()
    assert hold is not None
    losing = spawn(bulkhead.acquire())
    done, _ = await asyncio.wait([losing], timeout=1)
    assert not done
    losing.add_done_callback(lambda task: task.result().release())
    hold.release()
    await settle()
    probe_full(bulkhead, 1)


async def test_nothing_is_held_of_a_call_that_is_over_not_even_of_the_last_one() -> None:
    class Rows:
        pass

    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1)
    refs: list[weakref.ref[Rows]] = []

    def work() -> Rows:
        rows = Rows()
        refs.append(weakref.ref(rows))
        return rows

    async def later() -> Rows:
        await asyncio.sleep(0)
        return work()

    gc.disable()
    try:
        for fn in (work, later):
            await bulkhead.run(fn)
            assert refs[-1]() is None
            hold = bulkhead.try_acquire()
            assert hold is not None
            waiting = spawn(bulkhead.run(fn))
            await settle()
            hold.release()
            await waiting
            del waiting
            await settle()
            assert refs[-1]() is None
    finally:
        gc.enable()
    probe_full(bulkhead, 1)


@pytest.mark.parametrize("end", ["timed out", "cancelled", "closed", "too heavy"])
async def test_a_crowd_of_waiters_ends_in_one_step(end: str) -> None:
    count = 30_000
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=count, timeout=60)
    hold = bulkhead.try_acquire()
    assert hold is not None
    tasks = [spawn(bulkhead.run(int, weight=2)) for _ in range(count)]
    await settle()
    assert bulkhead.stats().queued == count
    if end == "timed out":
        loop().jump(60)
    elif end == "cancelled":
        for task in tasks:
            task.cancel()
    elif end == "closed":
        bulkhead.close()
    else:
        bulkhead.resize(1)
    await asyncio.wait(tasks)
    rejected = bulkhead.stats().rejected
    counts = {
        "timed out": rejected.queue_timeout,
        "cancelled": rejected.cancelled,
        "closed": rejected.closed,
        "too heavy": rejected.too_heavy,
    }
    assert counts[end] == count
    for task in tasks:
        assert task.cancelled() or task.exception() is not None
    hold.release()
    check_books(bulkhead)
