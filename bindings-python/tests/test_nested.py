"""`detect_reentrancy`: calls that wait for themselves are turned away, and nobody else is."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from bulkheads import (
    Bulkhead,
    BulkheadCallTimeoutError,
    BulkheadError,
    BulkheadFullError,
    BulkheadReentrantError,
    BulkheadTimeoutError,
)
from bulkheads.testing import VirtualLoop
from helpers import in_thread, probe_full, settle, spawn, until


def nested(max_concurrent: int = 1, **options: Any) -> Bulkhead:
    settings: dict[str, Any] = {"max_queue": 50, "timeout": 600, "detect_reentrancy": True, **options}
    return Bulkhead("shipping", max_concurrent=max_concurrent, **settings)


async def error_of(call: Awaitable[object]) -> BulkheadReentrantError:
    with pytest.raises(BulkheadReentrantError) as caught:
        await call
    return caught.value


async def entering(bulkhead: Bulkhead) -> None:
    async with bulkhead:
        pass


async def mapping(bulkhead: Bulkhead) -> list[int]:
    return [result async for result in bulkhead.map(int, ["1", "2"])]


async def wrapped(bulkhead: Bulkhead) -> int:
    async def work() -> int:
        return 0

    return await bulkhead.wrap(work)()


WAYS: list[Callable[[Bulkhead], Awaitable[object]]] = [
    lambda bulkhead: bulkhead.run(int),
    lambda bulkhead: bulkhead.acquire(),
    lambda bulkhead: bulkhead.acquire().__aenter__(),
    entering,
    mapping,
    wrapped,
]


async def test_it_is_rejected_with_what_it_would_wait_for() -> None:
    bulkhead = nested(3)
    error = await bulkhead.run(lambda: error_of(bulkhead.run(int, weight=2)), weight=2)
    assert (error.code, error.bulkhead, error.weight, error.limit, error.holding) == ("reentrant", "shipping", 2, 3, 2)
    assert (error.is_rejection, error.is_local_overload) == (True, False)
    assert str(error) == (
        "shipping: its caller holds 2 already and 2 more is above the limit (max_concurrent 3), so that it would wait for itself"
    )
    assert bulkhead.stats().rejected.reentrant == 1
    probe_full(bulkhead, 3)


@pytest.mark.parametrize("call", WAYS)
async def test_by_every_way_inside_of_every_other_at_once_and_later(call: Callable[[Bulkhead], Awaitable[object]]) -> None:
    bulkhead = nested()

    async def inside() -> None:
        await error_of(call(bulkhead))
        await asyncio.sleep(1)
        await error_of(call(bulkhead))

    await bulkhead.run(inside)
    await bulkhead.wrap(inside)()
    async with bulkhead:
        await inside()
    async with bulkhead.acquire():
        await inside()
    with await bulkhead.acquire():
        await inside()
    permit = bulkhead.try_acquire()
    assert permit is not None
    with permit:
        await inside()
    assert [result async for result in bulkhead.map(lambda _: inside(), [1])] == [None]
    assert bulkhead.stats().rejected.reentrant == 14
    # What has come back counts no longer.
    assert await bulkhead.run(int) == 0
    probe_full(bulkhead, 1)


async def test_through_other_bulkheads_and_several_levels() -> None:
    outer, inner = nested(2), nested()
    await outer.run(lambda: inner.run(lambda: outer.run(lambda: error_of(outer.run(int)))))
    assert (outer.stats().rejected.reentrant, inner.stats().rejected.reentrant) == (1, 0)


@pytest.mark.parametrize("call", WAYS)
async def test_after_it_stood_in_the_queue_itself_whoever_has_let_it_go(call: Callable[[Bulkhead], Awaitable[object]]) -> None:
    bulkhead = nested()

    async def by_async_with() -> None:
        async with bulkhead:
            await error_of(call(bulkhead))

    async def by_hand() -> None:
        with await bulkhead.acquire():
            await error_of(call(bulkhead))

    permit = await asyncio.create_task(coroutine(bulkhead.acquire()))
    waiting = [spawn(bulkhead.run(lambda: error_of(call(bulkhead)))), spawn(by_async_with()), spawn(by_hand())]
    await settle()
    permit.release()
    await asyncio.gather(*waiting)
    assert bulkhead.stats().rejected.reentrant == 3
    probe_full(bulkhead, 1)


async def coroutine(call: Awaitable[Any]) -> Any:
    return await call


async def test_without_a_queue_too_and_not_willing_to_wait_because_trying_again_would_not_help() -> None:
    bulkhead = nested(max_queue=0)
    async with bulkhead:
        await error_of(bulkhead.run(int))
        await error_of(entering(bulkhead))
        await error_of(bulkhead.run(int, timeout=0))
        assert bulkhead.try_acquire() is None
    assert (bulkhead.stats().rejected.reentrant, bulkhead.stats().rejected.full) == (3, 1)


def test_in_a_thread_as_well() -> None:
    bulkhead = nested(max_queue=0)
    with bulkhead:
        with pytest.raises(BulkheadReentrantError):
            bulkhead.run_sync(int)
        with pytest.raises(BulkheadReentrantError):
            bulkhead.acquire_sync(timeout=0)


def test_threads_too_and_what_a_task_hands_to_a_thread() -> None:
    bulkhead = nested()
    for enter in (lambda: bulkhead, bulkhead.acquire_sync):
        with enter():
            for call in (lambda: bulkhead.run_sync(int), bulkhead.acquire_sync, bulkhead.__enter__):
                with pytest.raises(BulkheadReentrantError):
                    call()
    with pytest.raises(BulkheadReentrantError):
        bulkhead.run_sync(lambda: bulkhead.run_sync(int))

    async def main() -> None:
        async with bulkhead:
            with pytest.raises(BulkheadReentrantError):
                await asyncio.to_thread(lambda: bulkhead.run_sync(int))

    asyncio.run(main())
    # Another thread has a context of its own.
    with bulkhead:
        other = in_thread(bulkhead.run_sync, int)
        until(lambda: bulkhead.stats().queued == 1)
    other.result()
    assert bulkhead.stats().rejected.reentrant == 8
    probe_full(bulkhead, 1)


async def test_nobody_is_turned_away_by_what_others_hold() -> None:
    bulkhead = nested(2)

    async def work(number: int) -> int:
        await asyncio.sleep(1)
        return number

    assert await asyncio.gather(*(bulkhead.run(work, number) for number in range(5))) == list(range(5))
    assert [result async for result in bulkhead.map(work, range(4))] == list(range(4))

    async def by_hand() -> None:
        with await bulkhead.acquire():
            await asyncio.sleep(1)

    await asyncio.gather(*(by_hand() for _ in range(6)), *(bulkhead.run(work, 1) for _ in range(6)))
    assert bulkhead.stats().rejected.reentrant == 0
    probe_full(bulkhead, 2)


async def test_nor_by_what_its_own_context_holds_if_others_can_let_it_in() -> None:
    bulkhead = nested(3)
    permit = await asyncio.create_task(coroutine(bulkhead.acquire(weight=2)))
    inside = spawn(bulkhead.run(lambda: bulkhead.run(str, "in", weight=2)))
    await settle()
    assert bulkhead.stats().queued == 1
    permit.release()
    assert await inside == "in"
    probe_full(bulkhead, 3)


async def test_nor_by_work_that_has_ended_was_abandoned_or_has_given_its_permit_back() -> None:
    bulkhead = nested(call_timeout=1, abandon_after=1)
    follow: list[asyncio.Task[Any]] = []

    async def later(seconds: float) -> int:
        await asyncio.sleep(seconds)
        return await bulkhead.run(int)

    async def start() -> None:
        follow.append(asyncio.create_task(later(0.5)))

    await bulkhead.run(start)
    assert await follow[0] == 0

    async def stubborn() -> int:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(9)
        await asyncio.sleep(2)
        return await bulkhead.run(int)

    with pytest.raises(BulkheadCallTimeoutError):
        await bulkhead.run(stubborn)
    assert (bulkhead.stats().abandoned_runs, bulkhead.stats().rejected.reentrant) == (1, 0)
    probe_full(bulkhead, 1)


async def test_nor_by_what_comes_back_at_the_very_time_of_the_call() -> None:
    bulkhead = nested(call_timeout=1, abandon_after=1)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    blocked = asyncio.Event()

    async def late() -> None:
        await blocked.wait()
        # No timer has fired yet: its bound, its abandonment and the next one's grant are all still
        # to be done.
        loop.jump(2.5)
        await bulkhead.run(int)

    call, following = spawn(bulkhead.run(late)), spawn(bulkhead.run(asyncio.sleep, 0.5))
    await settle()
    blocked.set()
    with pytest.raises(BulkheadCallTimeoutError):
        await call
    await following
    assert (bulkhead.stats().abandoned_runs, bulkhead.stats().rejected.reentrant) == (1, 0)
    probe_full(bulkhead, 1)


async def test_a_call_that_is_not_awaited_there_counts_as_nested_too() -> None:
    bulkhead = nested()
    async with bulkhead:
        await error_of(asyncio.create_task(coroutine(bulkhead.run(int))))


async def test_two_that_wait_for_each_other_are_not_detected() -> None:
    bulkhead = nested(2, timeout=1)

    async def inside() -> None:
        await asyncio.sleep(0)
        await bulkhead.run(int)

    results = await asyncio.gather(bulkhead.run(inside), bulkhead.run(inside), return_exceptions=True)
    assert [type(result) for result in results] == [BulkheadTimeoutError, BulkheadTimeoutError]


async def test_nor_is_anybody_while_the_bulkhead_is_paused() -> None:
    bulkhead = nested(2)
    async with bulkhead:
        bulkhead.resize(0)
        waiting = spawn(bulkhead.run(str, "in"))
        await settle()
        bulkhead.resize(2)
        assert await waiting == "in"


async def test_nothing_is_looked_at_unless_asked_for() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=1)
    before = list(contextvars.copy_context())
    async with bulkhead:
        assert list(contextvars.copy_context()) == before
        with pytest.raises(BulkheadTimeoutError):
            await bulkhead.run(int)
        with pytest.raises(BulkheadFullError):
            await bulkhead.run(int, timeout=0)
    with pytest.raises(TypeError, match="detect_reentrancy must be a bool"):
        Bulkhead("b", max_concurrent=1, detect_reentrancy=1)  # type: ignore[arg-type]


async def test_a_context_keeps_no_bulkhead_alive_and_forgets_what_came_back() -> None:
    bulkhead = nested(2)
    for _ in range(100):
        async with bulkhead:
            await bulkhead.run(int)
    held = [value for value in contextvars.copy_context().values() if isinstance(value, tuple) and value]
    assert not held
    async with bulkhead:
        waits = spawn(asyncio.sleep(60))
        await settle()
    gone = weakref.ref(bulkhead)
    del bulkhead
    gc.collect()
    assert gone() is None
    waits.cancel()


async def test_an_iterator_that_is_left_early_gives_back_what_counts() -> None:
    bulkhead = nested()

    async def numbers() -> AsyncIterator[int]:
        async with bulkhead:
            yield 1

    async for _ in numbers():
        with pytest.raises(BulkheadError):
            await bulkhead.run(int)
        break
    gc.collect()
    await settle()
    assert await bulkhead.run(int) == 0
