"""`map`: in order, as many at a time as there is capacity for, never through the queue."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadClosedError, BulkheadWeightError, Permit
from helpers import Work, loop, probe_full, settle, spawn


async def collect(results: AsyncIterator[Any]) -> list[Any]:
    return [result async for result in results]


async def slow_for_even(number: int) -> int:
    await asyncio.sleep(0.2 if number % 2 == 0 else 0.1)
    return number


async def later(count: int, pause: float = 0.0) -> AsyncIterator[int]:
    for number in range(count):
        await asyncio.sleep(pause)
        yield number


@pytest.mark.parametrize("source", [range(20), iter(range(20)), list(range(20))])
async def test_results_keep_the_order_of_the_items(source: Any) -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    assert await collect(bulkhead.map(slow_for_even, source)) == list(range(20))
    stats = bulkhead.stats()
    assert (stats.admitted, stats.completed, stats.peak_active, stats.peak_queued) == (20, 20, 3, 0)
    assert stats.rejected.full == 0
    probe_full(bulkhead, 3)


async def test_from_an_async_iterable_and_with_plain_functions() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    assert await collect(bulkhead.map(slow_for_even, later(10, 0.05))) == list(range(10))
    assert await collect(bulkhead.map(str, later(3))) == ["0", "1", "2"]
    assert await collect(bulkhead.map(str, [])) == []
    probe_full(bulkhead, 3)


async def test_a_result_is_delivered_while_the_next_item_is_still_to_come() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    times = []
    async for _ in bulkhead.map(str, later(3, 1.0)):
        times.append(loop().time())
    assert times == [1.0, 2.0, 3.0]


async def test_an_item_is_taken_only_when_it_can_run() -> None:
    bulkhead, work, taken = Bulkhead("b", max_concurrent=2, max_queue=5), Work(), []

    def items() -> Iterator[int]:
        for number in range(6):
            taken.append(number)
            yield number

    holding = await bulkhead.acquire(weight=2)
    mapping = spawn(collect(bulkhead.map(work, items())))
    await settle()
    assert (taken, bulkhead.stats().queued) == ([], 0)
    holding.release()
    await settle()
    assert taken == [0, 1]
    other = spawn(bulkhead.run(work, "other"))
    await settle()
    work.end(0)
    await settle()
    assert (taken, work.order) == ([0, 1], [0, 1, "other"])
    work.end("other")
    await settle()
    assert taken == [0, 1, 2]
    for number in range(1, 6):
        work.end(number)
        await settle()
    await mapping
    await other
    assert bulkhead.stats().peak_queued == 1
    probe_full(bulkhead, 2)


async def test_it_starts_more_as_soon_as_others_make_room() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=4), Work()
    holding = await bulkhead.acquire(weight=3)
    mapping = spawn(collect(bulkhead.map(work, range(4))))
    await settle()
    assert work.order == [0]
    holding.release()
    await settle()
    assert work.order == [0, 1, 2, 3]
    bulkhead.resize(1)
    for number in range(4):
        work.end(number)
    await mapping
    probe_full(bulkhead, 1)


async def test_a_slow_consumer_holds_it_back() -> None:
    bulkhead, taken = Bulkhead("b", max_concurrent=2), []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = bulkhead.map(str, items())
    for want in range(3):
        assert await anext(results) == str(want)
        await asyncio.sleep(10)
    assert len(taken) <= 5
    await results.aclose()
    probe_full(bulkhead, 2)


async def test_weights_count() -> None:
    bulkhead = Bulkhead("b", max_concurrent=5)
    assert await collect(bulkhead.map(slow_for_even, range(6), weight=2)) == list(range(6))
    assert bulkhead.stats().peak_active == 4
    with pytest.raises(BulkheadWeightError):
        await collect(bulkhead.map(slow_for_even, range(6), weight=6))
    probe_full(bulkhead, 5)


async def test_the_first_error_comes_in_its_place_and_ends_the_rest() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    ended = []

    async def work(number: int) -> int:
        try:
            await asyncio.sleep(0.1 if number == 0 else 0.01 if number == 1 else 9)
            if number == 1:
                raise ValueError(number)
            return number
        finally:
            ended.append(number)

    results = bulkhead.map(work, range(10))
    assert await anext(results) == 0
    with pytest.raises(ValueError, match="1"):
        await anext(results)
    assert sorted(ended) == [0, 1, 2]
    assert loop().time() == pytest.approx(0.1)
    with pytest.raises(StopAsyncIteration):
        await anext(results)
    probe_full(bulkhead, 3)


async def test_closing_it_early_cancels_the_rest() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=3), Work()
    results = bulkhead.map(work, range(10))
    first = spawn(anext(results))
    await settle()
    assert work.running == 3
    work.end(0)
    await first
    await results.aclose()
    assert work.running == 0
    probe_full(bulkhead, 3)
    async with contextlib.aclosing(bulkhead.map(slow_for_even, range(10))) as few:
        async for number in few:
            if number == 2:
                break
    probe_full(bulkhead, 3)


async def test_cancelling_its_consumer_cancels_everything() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=3), Work()
    for source in (range(10), later(10)):
        consumer = spawn(collect(bulkhead.map(work, source)))
        await settle()
        consumer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await consumer
        assert work.running == 0
        probe_full(bulkhead, 3)


async def test_ending_the_bulkhead_ends_it_with_closed() -> None:
    for abort in (False, True):
        bulkhead, work = Bulkhead("b", max_concurrent=1), Work()
        mapping = spawn(collect(bulkhead.map(work, range(3))))
        await settle()
        ending = bulkhead.close(abort=abort)
        if not abort:
            work.end(0)
        with pytest.raises(BulkheadClosedError):
            await mapping
        await ending
    idle = Bulkhead("b", max_concurrent=1)
    permit = await idle.acquire()
    mapping = spawn(collect(idle.map(str, range(3))))
    await settle()
    idle.drain()
    with pytest.raises(BulkheadClosedError):
        await mapping
    permit.release()


async def test_the_source_may_fail_or_use_the_bulkhead_itself() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)

    def failing() -> Iterator[int]:
        yield 1
        raise LookupError

    async def greedy() -> AsyncIterator[int]:
        for number in range(5):
            async with bulkhead:
                await asyncio.sleep(0.1)
            yield number

    with pytest.raises(LookupError):
        await collect(bulkhead.map(slow_for_even, failing()))
    probe_full(bulkhead, 2)
    assert await collect(bulkhead.map(str, greedy())) == [str(number) for number in range(5)]
    probe_full(bulkhead, 2)


async def test_wrong_arguments_are_told_at_the_call() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    with pytest.raises(TypeError, match="items must be"):
        bulkhead.map(str, 3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="fn must be"):
        bulkhead.map(3, [])  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="weight must be"):
        bulkhead.map(str, [], weight=0)


async def test_an_item_whose_permit_another_takes_meanwhile_waits_outside_of_the_queue() -> None:
    bulkhead, permits = Bulkhead("b", max_concurrent=1), list[Permit]()

    def numbers() -> Iterator[int]:
        for number in range(3):
            # Between the look and the item's own admission.
            permits.append(taken())
            yield number

    def taken() -> Permit:
        permit = bulkhead.try_acquire()
        assert permit is not None
        loop().call_later(1, permit.release)
        return permit

    assert await collect(bulkhead.map(lambda number: number, numbers())) == [0, 1, 2]
    stats = bulkhead.stats()
    assert (loop().time(), stats.rejected.full, stats.peak_queued) == (3, 0, 0)
    probe_full(bulkhead, 1)


async def test_two_maps_share_the_room() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    first, second = collect(bulkhead.map(slow_for_even, range(9))), collect(bulkhead.map(slow_for_even, range(9)))
    assert list(await asyncio.gather(first, second)) == [list(range(9))] * 2
    assert bulkhead.stats().rejected.full == 0
    # Nobody is left who wants to know when there is capacity.
    assert not any(map(asyncio.isfuture, gc.get_referents(bulkhead._calls)))
    probe_full(bulkhead, 3)
