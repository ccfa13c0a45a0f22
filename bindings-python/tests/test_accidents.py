"""What happens to a waiting call in real life: time-outs and groups around it, clocks that jump,
code that calls back in."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadCallTimeoutError, BulkheadError, BulkheadFullError, BulkheadTimeoutError, Permit
from helpers import Work, check_books, in_thread, loop, probe_full, settle, spawn

Start = Callable[[Bulkhead], Coroutine[Any, Any, Any]]


async def by_run(bulkhead: Bulkhead) -> int:
    return await bulkhead.run(int)


async def by_async_with(bulkhead: Bulkhead) -> int:
    async with bulkhead:
        return 0


async def by_acquire(bulkhead: Bulkhead) -> int:
    async with bulkhead.acquire():
        return 0


WAYS = pytest.mark.parametrize("start", [by_run, by_async_with, by_acquire])


def held(bulkhead: Bulkhead) -> Permit:
    permit = bulkhead.try_acquire()
    assert permit is not None
    return permit


@WAYS
@pytest.mark.parametrize("order", ["grant first", "cancel first"])
async def test_cancelled_twice_in_the_turn_of_its_grant(start: Start, order: str) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=2, timeout=9)
    permit = held(bulkhead)
    waiter, behind = spawn(start(bulkhead)), spawn(start(bulkhead))
    await settle()
    if order == "grant first":
        permit.release()
    waiter.cancel()
    waiter.cancel()
    if order == "cancel first":
        permit.release()
    await settle()
    assert (waiter.cancelled(), waiter.cancelling()) == (True, 2)
    assert await behind == 0
    stats = bulkhead.stats()
    assert stats.unclaimed + stats.rejected.cancelled == 1
    probe_full(bulkhead, 1)


@WAYS
async def test_a_time_out_around_it_that_comes_with_the_grant_loses_nothing(start: Start) -> None:
    """Whichever comes first in the turn: the outcome is a result or the time-out, and the permit is
    back in either case."""
    for bound in (asyncio.wait_for, within):
        for grant_at in (0.999, 1.0, 1.001):
            bulkhead = Bulkhead("b", max_concurrent=1, max_queue=2, timeout=9)
            permit = held(bulkhead)
            loop().call_at(loop().time() + grant_at, permit.release)
            try:
                assert await bound(start(bulkhead), 1.0) == 0
            except TimeoutError:
                assert grant_at >= 1.0
            await settle()
            await asyncio.sleep(1)
            assert bulkhead.stats().queued == 0
            probe_full(bulkhead, 1)


async def within(call: Coroutine[Any, Any, Any], seconds: float) -> Any:
    async with asyncio.timeout(seconds):
        return await call


@WAYS
async def test_a_group_that_fails_takes_its_waiters_out_of_the_queue(start: Start) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=9)
    permit = held(bulkhead)

    async def fail() -> None:
        await asyncio.sleep(1)
        permit.release()
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(start(bulkhead))
            group.create_task(fail())
    assert caught.group_contains(ZeroDivisionError)
    stats = bulkhead.stats()
    # The first may go on before the group hears of the failure; each of the others is granted and
    # cancelled in one turn.
    assert (stats.queued, stats.completed - 1 + stats.unclaimed + stats.rejected.cancelled) == (0, 3)
    assert stats.unclaimed > 0
    probe_full(bulkhead, 1)


@WAYS
async def test_a_gather_that_fails_leaves_its_others_waiting_and_one_that_is_cancelled_does_not(start: Start) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=9)
    permit = held(bulkhead)

    async def fail() -> None:
        raise ZeroDivisionError

    waiter = spawn(start(bulkhead))
    with pytest.raises(ZeroDivisionError):
        await asyncio.gather(waiter, fail())
    assert bulkhead.stats().queued == 1
    both = asyncio.gather(waiter, start(bulkhead))
    await settle()
    both.cancel()
    with pytest.raises(asyncio.CancelledError):
        await both
    assert (bulkhead.stats().queued, bulkhead.stats().rejected.cancelled) == (0, 2)
    permit.release()
    probe_full(bulkhead, 1)


async def test_a_loop_that_is_blocked_for_longer_than_every_time_out() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=1, call_timeout=2), Work()
    running = spawn(bulkhead.run(work, 1))
    await settle()
    waiters = [spawn(bulkhead.run(work, number)) for number in (2, 3)]
    await settle()
    loop().jump(50)
    work.end(1, "in time for nobody but itself")
    await settle()
    late = spawn(bulkhead.run(work, 4))
    await settle()
    # The wait had ended before the permit came free; a result in hand is never thrown away.
    for waiter in waiters:
        with pytest.raises(BulkheadTimeoutError) as caught:
            await waiter
        assert caught.value.waited == 50
    assert await running == "in time for nobody but itself"
    loop().jump(100)
    with pytest.raises(BulkheadCallTimeoutError):
        await late
    probe_full(bulkhead, 1)


async def test_a_clock_that_steps_back_stands_still() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=10)
    loop().jump(1000)
    permit = held(bulkhead)
    early = spawn(bulkhead.run(int))
    await settle()
    loop()._virtual_now = 400.0
    late = spawn(bulkhead.run(int, timeout=5))
    await settle()
    assert bulkhead.stats().queued == 2
    loop()._virtual_now = 1007.0
    await settle()
    with pytest.raises(BulkheadTimeoutError):
        await late
    permit.release()
    assert await early == 0
    assert 0 <= bulkhead.stats().waited.max <= 10
    probe_full(bulkhead, 1)


class CallsIn:
    """Uses the bulkhead in every way as it dies."""

    def __init__(self, bulkhead: Bulkhead) -> None:
        self.bulkhead = bulkhead

    def __call__(self) -> int:
        return 1

    def __del__(self) -> None:
        bulkhead = self.bulkhead
        bulkhead.resize(3)
        permit = bulkhead.try_acquire()
        bulkhead.resize(1)
        assert (permit is None) == (bulkhead.stats().state != "open")
        if permit is not None:
            permit.release()
        repr(bulkhead)


async def test_finalisers_call_back_in_wherever_the_bulkhead_lets_go_of_something() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=1)
    assert await bulkhead.run(CallsIn(bulkhead)) == 1
    permit = held(bulkhead)
    waiting = spawn(bulkhead.run(CallsIn(bulkhead)))
    await settle()
    with pytest.raises(BulkheadFullError):
        await bulkhead.run(CallsIn(bulkhead), timeout=0)
    assert await waiting == 1
    cancelled = spawn(bulkhead.run(CallsIn(bulkhead)))
    await settle()
    cancelled.cancel(msg=CallsIn(bulkhead))
    await settle()
    permit.release()
    await asyncio.to_thread(lambda: bulkhead.run_sync(CallsIn(bulkhead)))
    probe_full(bulkhead, 1)
    bulkhead.close()
    with pytest.raises(BulkheadError):
        await bulkhead.run(CallsIn(bulkhead))


class Weight:
    """Uses the bulkhead while it is looked at."""

    def __init__(self, bulkhead: Bulkhead) -> None:
        self.bulkhead = bulkhead

    def __index__(self) -> int:
        permit = held(self.bulkhead)
        permit.release()
        return 1


async def test_arguments_that_call_back_in() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1)
    weight: Any = Weight(bulkhead)
    assert await bulkhead.run(int, weight=weight) == 0
    assert await asyncio.to_thread(lambda: bulkhead.run_sync(int, weight=weight)) == 0
    bulkhead.resize(weight)
    probe_full(bulkhead, 1)


async def test_ten_thousand_waits_leave_no_timer_behind() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=10_000, timeout=3600)
    permit = held(bulkhead)
    waiters = [spawn(bulkhead.run(int)) for _ in range(10_000)]
    await settle()
    for waiter in waiters[::2]:
        waiter.cancel()
    permit.release()
    await asyncio.gather(*waiters, return_exceptions=True)
    await settle()
    assert loop().next_timer() is None
    loop().jump(9999)
    await settle()
    assert bulkhead.stats().rejected.queue_timeout == 0
    probe_full(bulkhead, 1)


def test_a_million_waiters() -> None:
    count = 1_000_000
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=count, timeout=3600)

    async def main() -> None:
        permit = held(bulkhead)
        calls = [bulkhead.run(int) for _ in range(count)]
        for call in calls:
            call.send(None)
        assert bulkhead.stats().queued == count
        with pytest.raises(BulkheadFullError):
            await bulkhead.run(int)
        calls[count // 2].close()
        assert bulkhead.stats().queued == count - 1
        permit.release()
        for call in calls[:10]:
            with pytest.raises(StopIteration):
                call.send(None)
        bulkhead.close()
        assert bulkhead.stats().rejected.closed == count - 11 - 1
        for call in calls:
            call.close()

    gc.disable()
    try:
        asyncio.run(main())
    finally:
        gc.enable()
    assert (bulkhead.stats().completed, bulkhead.stats().unclaimed, bulkhead.stats().active) == (11, 1, 0)
    check_books(bulkhead)


def test_eight_threads_check_and_take_in_one_step() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    inside = peak = 0
    lock = threading.Lock()

    def take() -> None:
        nonlocal inside, peak
        for _ in range(5000):
            permit = bulkhead.try_acquire()
            if permit is not None:
                with lock:
                    inside += 1
                    peak = max(peak, inside)
                time.sleep(0)
                with lock:
                    inside -= 1
                permit.release()

    for thread in [in_thread(take) for _ in range(8)]:
        thread.result()
    assert peak == 3
    probe_full(bulkhead, 3)


async def test_what_was_refused_is_let_go_without_the_collector() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=1)

    class Large:
        pass

    async def refused(**bounds: Any) -> weakref.ref[Large]:
        large = Large()
        with contextlib.suppress(BulkheadError):
            await bulkhead.run(lambda held: held, large, **bounds)
        return weakref.ref(large)

    gc.disable()
    try:
        async with bulkhead:
            assert (await refused(timeout=0))() is None
            assert (await refused())() is None
        bulkhead.close()
        assert (await refused())() is None
    finally:
        gc.enable()
