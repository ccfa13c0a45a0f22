"""Permits by hand and by `async with`."""

from __future__ import annotations

import asyncio
import gc
import re
import sys
import threading
import warnings
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadFullError, Permit
from helpers import check_books, loop, probe_full, settle, spawn


async def test_the_three_ways_hold_and_give_back() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    async with bulkhead:
        assert bulkhead.stats().active == 1
        async with bulkhead.acquire(weight=2) as permit:
            assert (permit.weight, bulkhead.stats().active) == (2, 3)
    permit = await bulkhead.acquire(weight=3)
    assert bulkhead.stats().active == 3
    permit.release()
    assert bulkhead.stats().completed == 3
    probe_full(bulkhead, 3)


async def test_a_bare_async_with_nests_and_serves_many_tasks() -> None:
    bulkhead, peak = Bulkhead("b", max_concurrent=6, max_queue=100, timeout=60), 0

    async def worker() -> None:
        nonlocal peak
        async with bulkhead:
            await asyncio.sleep(0.01)
            peak = max(peak, bulkhead.stats().active)
        await asyncio.sleep(0.01)

    await asyncio.gather(*(worker() for _ in range(50)))
    assert peak == 6
    async with bulkhead, bulkhead, bulkhead:
        assert bulkhead.stats().active == 3
    probe_full(bulkhead, 6)


async def test_async_with_counts_as_failed_when_its_body_raised() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(ValueError):
        async with bulkhead:
            raise ValueError
    with pytest.raises(ValueError):
        async with bulkhead.acquire():
            raise ValueError
    with pytest.raises(ValueError):
        async with await bulkhead.acquire():
            raise ValueError
    with pytest.raises(ValueError), await bulkhead.acquire():
        raise ValueError
    assert (bulkhead.stats().failed, bulkhead.stats().completed) == (4, 0)
    probe_full(bulkhead, 1)


async def test_a_second_release_changes_nothing_but_its_counter() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    first, second = await bulkhead.acquire(), await bulkhead.acquire()
    first.release()
    first.release()
    assert (bulkhead.stats().active, bulkhead.stats().double_releases) == (1, 1)
    second.release()
    async with await bulkhead.acquire() as permit:
        permit.release()
    async with bulkhead.acquire() as permit:
        permit.release()
        assert bulkhead.stats().active == 0
    assert bulkhead.stats().double_releases == 1
    permit.release()
    assert bulkhead.stats().double_releases == 2
    probe_full(bulkhead, 2)


def test_two_threads_that_release_at_once_give_back_once() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    for _ in range(200):
        permit = bulkhead.try_acquire()
        assert permit is not None
        barrier = threading.Barrier(2)

        def release(permit: Permit = permit, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            permit.release()

        threads = [threading.Thread(target=release) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert bulkhead.stats().active == 0
    assert bulkhead.stats().double_releases == 200
    probe_full(bulkhead, 1)


async def test_what_acquire_returns_follows_the_protocol_of_coroutines() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=3)
    acquisition = bulkhead.acquire()
    assert isinstance(acquisition, Coroutine)
    assert asyncio.iscoroutine(acquisition)
    assert bulkhead.stats().admitted == 0
    permit = await asyncio.create_task(acquisition)
    with pytest.raises(RuntimeError, match="already awaited"):
        await acquisition
    with pytest.raises(RuntimeError, match="already awaited"):
        async with acquisition:
            pass
    waiting = asyncio.create_task(asyncio.wait_for(bulkhead.acquire(), 5))
    await settle()
    assert not waiting.done()
    permit.release()
    (await waiting).release()
    probe_full(bulkhead, 1)


async def test_one_that_was_never_awaited_says_so() -> None:
    bulkhead = Bulkhead("orders", max_concurrent=1)
    with pytest.warns(RuntimeWarning, match="acquire.. of bulkhead orders was never awaited"):
        bulkhead.acquire()
        gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bulkhead.acquire().close()
        acquisition = bulkhead.acquire()
        with pytest.raises(ValueError):
            acquisition.throw(ValueError)
        del acquisition
        gc.collect()
    assert bulkhead.stats().admitted == 0


async def test_a_permit_dropped_without_release_is_reclaimed_and_warned_about_once() -> None:
    bulkhead = Bulkhead("orders", max_concurrent=2, max_queue=1)
    permit: Any = await bulkhead.acquire(weight=2)
    waiter = spawn(bulkhead.run(int))
    await settle()
    with pytest.warns(ResourceWarning, match="permit of bulkhead orders") as caught:
        del permit
        gc.collect()
    await waiter
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        await bulkhead.acquire()
        gc.collect()
    assert len(caught) == 1
    assert bulkhead.stats().leaked == 2
    probe_full(bulkhead, 2)


def collecting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function before which the collector runs."""

    def collect(*args: Any, **options: Any) -> Any:
        gc.collect()
        return function(*args, **options)

    return collect


async def test_a_permit_that_is_tracked_says_where_it_was_taken() -> None:
    bulkhead = Bulkhead("b", max_concurrent=9, max_queue=1, track_permits=True)

    async def by_waiting() -> Permit:
        return await bulkhead.acquire()

    def by_trying() -> Permit:
        permit = bulkhead.try_acquire()
        assert permit is not None
        return permit

    def by_blocking() -> Permit:
        return bulkhead.acquire_sync()

    async with bulkhead.acquire(weight=8) as most:
        with await by_waiting() as permit:
            assert re.search(rf", held, taken at {re.escape(__file__)}:[0-9]+ in by_waiting>$", repr(permit))
            waiting = spawn(by_waiting())
            await settle()
        late = await waiting
        assert repr(late).endswith(" in by_waiting>")
        late.release()
        tried = by_trying()
        assert repr(tried).endswith(" in by_trying>")
        tried.release()
        assert repr(most).endswith(" in test_a_permit_that_is_tracked_says_where_it_was_taken>")
    with await asyncio.to_thread(by_blocking) as permit:
        assert repr(permit).endswith(" in by_blocking>")


async def test_the_warning_of_a_tracked_permit_says_it_too_and_it_is_reclaimed_all_the_same() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, track_permits=True)

    async def forgetful() -> None:
        await bulkhead.acquire()

    with pytest.warns(ResourceWarning, match=r"it was taken here \(most recent call last\):\n") as warned:
        await forgetful()
        gc.collect()
    text = str(warned[0].message)
    assert re.search(r"in forgetful\n    await bulkhead\.acquire\(\)$", text)
    assert "_permit.py" not in text
    assert bulkhead.stats().leaked == 1
    probe_full(bulkhead, 1)


async def test_a_permit_that_the_collector_drops_in_the_middle_of_a_step_disturbs_nothing() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=10, timeout=600)
    ran: list[tuple[int, int]] = []
    # Whatever its driver asks of the loop.
    for name in ("call_at", "call_soon", "call_soon_threadsafe", "create_future", "is_closed", "time"):
        setattr(loop(), name, collecting(getattr(loop(), name)))
    gc.collect()
    gc.freeze()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(100):
            cycle: list[Any] = [await bulkhead.acquire()]
            cycle.append(cycle)
            waiters = [spawn(bulkhead.run(ran.append, (number, order))) for order in range(3)]
            del cycle
            bulkhead.resize(1)
            await asyncio.gather(*waiters)
    gc.unfreeze()
    assert ran == [(number, order) for number in range(100) for order in range(3)]
    assert loop().time() == 0
    assert bulkhead.stats().leaked == 100
    probe_full(bulkhead, 1)


async def test_try_acquire_never_waits_and_never_overtakes() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3, max_queue=2)
    first = bulkhead.try_acquire(2)
    assert first is not None and first.weight == 2
    assert bulkhead.try_acquire(2) is None
    assert bulkhead.try_acquire(4) is None
    waiter = spawn(bulkhead.run(int, weight=2))
    await settle()
    assert bulkhead.try_acquire() is None
    stats = bulkhead.stats()
    assert (stats.rejected.full, stats.rejected.too_heavy, stats.queued) == (2, 1, 1)
    first.release()
    await waiter
    bulkhead.close()
    assert bulkhead.try_acquire() is None
    assert bulkhead.stats().rejected.closed == 1


def test_try_acquire_and_release_work_without_a_loop() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    with bulkhead.try_acquire() or pytest.fail():
        assert bulkhead.try_acquire() is None
    probe_full(bulkhead, 1)


def test_what_waits_needs_a_loop() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(RuntimeError, match="no running event loop"):
        bulkhead.run(int).send(None)
    with pytest.raises(RuntimeError, match="no running event loop"):
        bulkhead.acquire().send(None)
    probe_full(bulkhead, 1)


async def test_entered_in_one_task_and_left_in_another_as_fixtures_do() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    await spawn(bulkhead.__aenter__())
    async with bulkhead:
        await spawn(bulkhead.__aexit__(None, None, None))
        assert bulkhead.stats().active == 1
    with pytest.raises(RuntimeError, match="not entered"):
        await bulkhead.__aexit__(None, None, None)
    probe_full(bulkhead, 2)


async def test_no_queue_place_and_no_timer_is_used_by_whoever_is_not_willing_to_wait() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=5)
    for timeout in (0, 0.0, -0.0, 1e-9, 5e-324):
        (await bulkhead.acquire(timeout=timeout)).release()
    async with bulkhead:
        for zero in (0, 0.0, -0.0):
            with pytest.raises(BulkheadFullError, match="not willing to wait"):
                await bulkhead.acquire(timeout=zero)
    assert bulkhead.stats().peak_queued == 0
    assert loop().next_timer() is None
    probe_full(bulkhead, 1)


async def test_the_wait_bound_does_not_bound_the_holding() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=0.05)
    permit = await bulkhead.acquire()
    call = spawn(bulkhead.run(asyncio.sleep, 1))
    await loop().advance(0.04)
    permit.release()
    await call
    assert loop().time() == pytest.approx(1.04)
    check_books(bulkhead)


async def test_refused_calls_free_what_they_held_at_once() -> None:
    class Large:
        pass

    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=0.01)
    gc.collect()
    gc.disable()
    try:
        async with bulkhead:
            for refuse in (
                bulkhead.run(int, timeout=0),
                bulkhead.run(int),
                bulkhead.run(int, weight=2),
                bulkhead.run(int, deadline=0),
            ):
                large = Large()
                before = sys.getrefcount(large)
                await _swallow(refuse, large)
                assert sys.getrefcount(large) == before
    finally:
        gc.enable()


async def _swallow(call: Coroutine[Any, Any, Any], large: object) -> None:
    try:
        await call
    except Exception:
        return
    pytest.fail(f"not refused, {large}")


async def test_a_permit_comes_back_in_parts() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3, max_queue=1)
    permit = await bulkhead.acquire(weight=3)
    waiting = spawn(bulkhead.run(int))
    await settle()
    permit.release(1)
    assert await waiting == 0
    assert (permit.weight, bulkhead.stats().active) == (2, 2)
    for wrong, error in ((0, ValueError), (3, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="permits must be"):
            permit.release(wrong)  # type: ignore[arg-type]
    permit.release(2)
    permit.release(1)
    assert (bulkhead.stats().active, bulkhead.stats().double_releases) == (0, 1)


async def test_a_permit_is_split() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    permit = await bulkhead.acquire(weight=3)
    with permit.split(2) as part:
        assert (permit.weight, part.weight, bulkhead.stats().running) == (1, 2, 2)
        with pytest.raises(ValueError, match="permits must be"):
            permit.split(1)
    permit.release()
    with pytest.raises(RuntimeError, match="only a permit by hand"):
        permit.split(1)
    assert (bulkhead.stats().active, bulkhead.stats().completed) == (0, 2)


async def test_a_permit_grows_and_shrinks() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    permit = await bulkhead.acquire()
    assert [permit.adjust(3), permit.adjust(4), permit.weight, permit.adjust(2), bulkhead.stats().active] == [
        True,
        False,
        3,
        True,
        2,
    ]
    with pytest.raises(ValueError, match="weight must be"):
        permit.adjust(0)
    permit.release()
    assert not permit.adjust(1)
    probe_full(bulkhead, 3)
