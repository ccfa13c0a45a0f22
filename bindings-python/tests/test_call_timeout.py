"""The call time-out: the work is cancelled in its caller's task, and the caller is answered when it
has ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from bulkheads import Bulkhead, BulkheadCallTimeoutError, BulkheadClosedError
from helpers import Work, check_books, loop, probe_full, settle, spawn

Way = Callable[[Bulkhead, Callable[[], Awaitable[object]]], Awaitable[object]]


async def by_run(bulkhead: Bulkhead, work: Callable[[], Awaitable[object]]) -> object:
    return await bulkhead.run(work)


async def by_wrap(bulkhead: Bulkhead, work: Callable[[], Awaitable[object]]) -> object:
    return await bulkhead.wrap(work)()


async def by_async_with(bulkhead: Bulkhead, work: Callable[[], Awaitable[object]]) -> object:
    async with bulkhead:
        return await work()


async def by_acquire(bulkhead: Bulkhead, work: Callable[[], Awaitable[object]]) -> object:
    async with bulkhead.acquire():
        return await work()


ways = pytest.mark.parametrize("way", [by_run, by_wrap, by_async_with, by_acquire])


def cancelling() -> int:
    task = asyncio.current_task()
    assert task is not None
    return task.cancelling()


@ways
async def test_the_work_is_cancelled_at_its_bound_and_the_caller_told(way: Way) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)
    with pytest.raises(BulkheadCallTimeoutError, match=r"2\.000 s") as caught:
        await way(bulkhead, lambda: asyncio.sleep(9))
    assert caught.value.ran == pytest.approx(2)
    assert isinstance(caught.value.__cause__, asyncio.CancelledError)
    assert loop().time() == 2
    assert cancelling() == 0
    stats = bulkhead.stats()
    assert (stats.call_timeouts, stats.failed, stats.overrun) == (1, 1, 0)
    probe_full(bulkhead, 1)
    await asyncio.sleep(0)


@ways
async def test_until_its_clean_up_has_ended_it_keeps_the_permit_and_counts_as_overrun(way: Way) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)

    async def work() -> None:
        try:
            await asyncio.sleep(9)
        finally:
            await asyncio.sleep(3)

    call = spawn(way(bulkhead, work))  # type: ignore[arg-type]
    await loop().advance(4)
    assert (bulkhead.stats().active, bulkhead.stats().overrun) == (1, 1)
    await loop().advance(5)
    with pytest.raises(BulkheadCallTimeoutError) as caught:
        await call
    assert caught.value.ran == pytest.approx(2)
    probe_full(bulkhead, 1)


@ways
@pytest.mark.parametrize("end", ["returns", "raises"])
async def test_the_answer_stays_whatever_the_work_makes_of_its_cancellation(way: Way, end: str) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)
    error = ValueError("clean-up failed")

    async def work() -> None:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            if end == "raises":
                raise error from None

    with pytest.raises(BulkheadCallTimeoutError) as caught:
        await way(bulkhead, work)
    assert caught.value.__cause__ is (error if end == "raises" else None)
    assert cancelling() == 0
    await asyncio.sleep(0)
    assert bulkhead.stats().failed == 1
    probe_full(bulkhead, 1)


@ways
@pytest.mark.parametrize("order", ["before", "after"])
async def test_a_cancellation_by_others_in_the_same_turn_is_obeyed(way: Way, order: str) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)
    call = spawn(way(bulkhead, lambda: asyncio.sleep(9)))  # type: ignore[arg-type]
    await loop().advance(1)
    if order == "before":
        loop().jump(2)
        call.cancel()
    else:
        loop().call_at(2, call.cancel)
    await loop().advance(2)
    with pytest.raises(asyncio.CancelledError):
        await call
    assert call.cancelling() == 1
    check_books(bulkhead)
    probe_full(bulkhead, 1)


@ways
async def test_a_cancellation_by_others_during_the_clean_up_is_obeyed(way: Way) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)

    async def work() -> None:
        try:
            await asyncio.sleep(9)
        finally:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(3)

    call = spawn(way(bulkhead, work))  # type: ignore[arg-type]
    await loop().advance(3)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    probe_full(bulkhead, 1)


@ways
async def test_what_ends_the_process_goes_before_the_answer(way: Way) -> None:
    class Ending(BaseException):
        pass

    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)

    async def work() -> None:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            raise Ending from None

    with pytest.raises(Ending):
        await way(bulkhead, work)
    assert cancelling() == 0
    probe_full(bulkhead, 1)


@ways
async def test_a_result_in_hand_is_never_thrown_away(way: Way) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2, abandon_after=1)

    async def work() -> str:
        loop().jump(9)
        return "result"

    assert await way(bulkhead, work) == "result"
    stats = bulkhead.stats()
    assert (stats.completed, stats.call_timeouts) == (1, 0)
    probe_full(bulkhead, 1)


async def test_work_that_finds_out_itself_that_its_time_is_over_is_cancelled_where_it_waits_next() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, call_timeout=2)
    reached: list[str] = []

    async def work() -> None:
        loop().jump(9)
        permit = bulkhead.try_acquire()
        assert permit is not None
        permit.release()
        reached.append("after the input that did what was due")
        await asyncio.sleep(1)
        reached.append("never")

    with pytest.raises(BulkheadCallTimeoutError):
        await bulkhead.run(work)
    assert len(reached) == 1
    assert cancelling() == 0
    await asyncio.sleep(0)


async def test_work_that_ends_before_its_cancellation_could_reach_it_leaves_none_behind() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, call_timeout=2)

    async def work() -> None:
        loop().jump(9)
        bulkhead.resize(3)

    with pytest.raises(BulkheadCallTimeoutError):
        await bulkhead.run(work)
    assert cancelling() == 0
    await asyncio.sleep(1)


@pytest.mark.parametrize(("outer", "inner"), [(2, 3), (3, 2), (2, 2)])
@ways
async def test_nested_bounds_of_one_task_are_told_apart(way: Way, outer: float, inner: float) -> None:
    outside = Bulkhead("outside", max_concurrent=1, call_timeout=outer)
    inside = Bulkhead("inside", max_concurrent=1, call_timeout=inner)
    seen: list[BaseException] = []

    async def work() -> str:
        try:
            await way(inside, lambda: asyncio.sleep(9))
        except BaseException as error:
            seen.append(error)
            if isinstance(error, asyncio.CancelledError):
                raise
        return "went on"

    if inner < outer:
        assert await way(outside, work) == "went on"
        assert isinstance(seen[0], BulkheadCallTimeoutError)
        assert seen[0].bulkhead == "inside"
    else:
        with pytest.raises(BulkheadCallTimeoutError) as caught:
            await way(outside, work)
        assert caught.value.bulkhead == "outside"
    assert cancelling() == 0
    await asyncio.sleep(0)
    probe_full(outside, 1)
    probe_full(inside, 1)


@pytest.mark.parametrize(("bound", "want"), [(1, TimeoutError), (3, BulkheadCallTimeoutError)])
async def test_it_nests_with_asyncio_timeout(bound: float, want: type[Exception]) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)
    with pytest.raises(TimeoutError) as caught:
        async with asyncio.timeout(bound):
            await bulkhead.run(asyncio.sleep, 9)
    assert type(caught.value) is want
    assert cancelling() == 0


async def test_it_does_not_break_a_task_group() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3, call_timeout=2)
    with pytest.raises(ExceptionGroup) as caught:
        async with asyncio.TaskGroup() as group:
            group.create_task(bulkhead.run(asyncio.sleep, 9))
            group.create_task(bulkhead.run(asyncio.sleep, 1))
    assert [type(error) for error in caught.value.exceptions] == [BulkheadCallTimeoutError]
    probe_full(bulkhead, 3)


async def test_a_deadline_bounds_the_work_too_and_the_earlier_bound_counts() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)
    with pytest.raises(BulkheadCallTimeoutError) as caught:
        await bulkhead.run(asyncio.sleep, 9, deadline=1)
    assert caught.value.ran == pytest.approx(1)
    with pytest.raises(BulkheadCallTimeoutError) as caught:
        async with bulkhead.acquire(deadline=2.5):
            await asyncio.sleep(9)
    assert caught.value.ran == pytest.approx(1.5)
    with pytest.raises(BulkheadCallTimeoutError) as caught:
        await bulkhead.run(asyncio.sleep, 9, deadline=100)
    assert caught.value.ran == pytest.approx(2)


async def test_a_permit_by_hand_knows_none() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2, abandon_after=1)
    async with await bulkhead.acquire(deadline=1):
        assert loop().next_timer() is None
        await asyncio.sleep(9)
    assert bulkhead.stats().completed == 1
    probe_full(bulkhead, 1)


async def test_a_bound_that_passes_between_grant_and_start_acts_once_the_work_runs() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=60, call_timeout=2)
    permit = await bulkhead.acquire()
    work = Work()
    call = spawn(bulkhead.run(work))
    await settle()
    permit.release()
    loop().jump(9)
    await settle()
    assert work.order == ["work"]
    with pytest.raises(BulkheadCallTimeoutError):
        await call
    probe_full(bulkhead, 1)


async def test_abandoned_work_gives_its_permit_to_others_and_counts_once() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=60, call_timeout=2, abandon_after=1)

    async def stubborn() -> None:
        while loop().time() < 10:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(10 - loop().time())

    call = spawn(bulkhead.run(stubborn))
    await settle()
    assert await bulkhead.run(loop().time) == pytest.approx(3)
    await loop().advance(10)
    with pytest.raises(BulkheadCallTimeoutError):
        await call
    stats = bulkhead.stats()
    assert (stats.abandoned_runs, stats.completed, stats.failed) == (1, 1, 0)
    probe_full(bulkhead, 1)


@ways
async def test_close_with_abort_cancels_the_work_and_answers_closed(way: Way) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    call = spawn(way(bulkhead, lambda: asyncio.sleep(9)))  # type: ignore[arg-type]
    await settle()
    await bulkhead.close(abort=True)
    with pytest.raises(BulkheadClosedError) as caught:
        await call
    assert not caught.value.is_rejection
    assert isinstance(caught.value.__cause__, asyncio.CancelledError)
    assert call.cancelling() == 0
    assert loop().time() == 0
    assert (bulkhead.stats().failed, bulkhead.stats().completed) == (1, 0)
    check_books(bulkhead)


@ways
@pytest.mark.parametrize("end", ["returns", "raises"])
async def test_then_work_that_ends_otherwise_answers_itself(way: Way, end: str) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    error = ValueError("clean-up failed")

    async def work() -> str:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            assert (bulkhead.stats().running, bulkhead.stats().overrun) == (1, 0)
            if end == "raises":
                raise error from None
        return "result"

    call = spawn(way(bulkhead, work))  # type: ignore[arg-type]
    await settle()
    bulkhead.close(abort=True)
    results: list[object] = await asyncio.gather(call, return_exceptions=True)
    assert results == [error if end == "raises" else "result"]
    assert call.cancelling() == 0
    assert (bulkhead.stats().failed, bulkhead.stats().completed) == ((1, 0) if end == "raises" else (0, 1))
    check_books(bulkhead)


@ways
async def test_and_work_that_goes_on_meets_its_own_bound(way: Way) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)

    async def work() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(9)
        await asyncio.sleep(9)

    call = spawn(way(bulkhead, work))  # type: ignore[arg-type]
    await settle()
    bulkhead.close(abort=True)
    with pytest.raises(BulkheadCallTimeoutError) as caught:
        await call
    assert (caught.value.ran, loop().time(), call.cancelling()) == (2, 2, 0)
    assert (bulkhead.stats().failed, bulkhead.stats().call_timeouts) == (1, 1)
    check_books(bulkhead)


@ways
async def test_a_cancellation_by_others_is_obeyed_beside_that_of_the_close(way: Way) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    call = spawn(way(bulkhead, lambda: asyncio.sleep(9)))  # type: ignore[arg-type]
    await settle()
    bulkhead.close(abort=True)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert call.cancelling() == 1
    check_books(bulkhead)


async def test_a_second_close_may_add_it_and_a_third_cancels_nothing_again() -> None:
    bulkhead, cancelled = Bulkhead("b", max_concurrent=1), 0

    async def work() -> None:
        nonlocal cancelled
        for _ in range(2):
            try:
                await asyncio.sleep(9)
            except asyncio.CancelledError:
                cancelled += 1

    call = spawn(bulkhead.run(work))
    await settle()
    for abort in (False, True, True):
        bulkhead.close(abort=abort)
        await settle()
    await call
    assert cancelled == 1
    check_books(bulkhead)


async def test_work_that_closes_its_own_bulkhead_with_abort_is_cancelled_too() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)

    async def work() -> None:
        bulkhead.close(abort=True)
        await asyncio.sleep(9)

    with pytest.raises(BulkheadClosedError):
        await bulkhead.run(work)
    assert (cancelling(), loop().time()) == (0, 0)
    await asyncio.sleep(0)


@pytest.mark.skipif(not hasattr(asyncio, "eager_task_factory"), reason="Python 3.11 has no eager tasks")
@pytest.mark.parametrize("waits", [False, True])
async def test_an_eager_child_of_the_work_that_closes_with_abort_leaves_no_cancellation_behind(waits: bool) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    loop().set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined]

    async def close() -> None:
        bulkhead.close(abort=True)

    async def work() -> None:
        await spawn(close())
        if waits:
            await asyncio.sleep(9)

    if waits:
        with pytest.raises(BulkheadClosedError):
            await bulkhead.run(work)
    else:
        await bulkhead.run(work)
    await asyncio.sleep(1)
    assert (cancelling(), loop().time()) == (0, 1)


async def test_close_with_abort_reaches_a_call_between_its_grant_and_its_start() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=1), Work()
    permit = await bulkhead.acquire()
    call = spawn(bulkhead.run(work))
    await settle()
    permit.release()
    ending = bulkhead.close(abort=True)
    with pytest.raises(BulkheadClosedError):
        await call
    await ending
    check_books(bulkhead)


async def test_one_timer_serves_many_calls() -> None:
    bulkhead = Bulkhead("b", max_concurrent=100, call_timeout=2)
    calls = [spawn(bulkhead.run(Work())) for _ in range(100)]
    await settle()
    assert sum(not timer.cancelled() for timer in loop()._scheduled) == 1  # type: ignore[attr-defined]
    await loop().advance(2)
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(result) for result in results} == {BulkheadCallTimeoutError}
    assert loop().next_timer() is None


async def test_calls_that_never_suspend_share_a_timer_that_is_gone_in_the_next_turn() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=100)
    for _ in range(1000):
        await bulkhead.run(int)
    assert len(loop()._scheduled) == 1  # type: ignore[attr-defined]
    await asyncio.sleep(0)
    assert loop().next_timer() is None
    probe_full(bulkhead, 1)


async def test_a_timer_that_was_kept_serves_a_later_call_at_its_own_time() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)
    await bulkhead.run(int)
    loop().jump(1)
    with pytest.raises(BulkheadCallTimeoutError) as caught:
        await bulkhead.run(asyncio.sleep, 9)
    assert caught.value.ran == pytest.approx(2)
    await asyncio.sleep(0)
    assert loop().next_timer() is None


@contextlib.asynccontextmanager
async def guarded(bulkhead: Bulkhead) -> AsyncIterator[None]:
    async with bulkhead:
        yield


async def test_through_a_context_manager_of_the_user() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2)
    with pytest.raises(BulkheadCallTimeoutError):
        async with guarded(bulkhead):
            await asyncio.sleep(9)
    assert cancelling() == 0
    probe_full(bulkhead, 1)
