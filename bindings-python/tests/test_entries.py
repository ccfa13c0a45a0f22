"""Whoever leaves an `async with` ends the entry that was entered, its bound and its cancellation,
never another's."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadCallTimeoutError
from helpers import check_books, probe_full, settle, spawn


async def pages(bulkhead: Bulkhead, count: int = 5) -> AsyncGenerator[int, None]:
    async with bulkhead:
        for page in range(count):
            yield page


async def inside(bulkhead: Bulkhead, seconds: float) -> float:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        async with bulkhead:
            await asyncio.sleep(seconds)
    finally:
        inside_for = loop.time() - began
    return inside_for


async def test_a_generator_that_the_loop_closes_ends_its_own_entry() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, call_timeout=0.1)

    async def leaves_early() -> str:
        async for _ in pages(bulkhead):
            break
        gc.collect()
        await asyncio.sleep(0.3)
        return "fine"

    first, other = spawn(leaves_early()), spawn(inside(bulkhead, 1))
    assert await first == "fine"
    assert first.cancelling() == 0
    with pytest.raises(BulkheadCallTimeoutError):
        await other
    probe_full(bulkhead, 2)
    check_books(bulkhead)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_two_generators_of_one_task_are_left_in_any_order(order: tuple[int, int]) -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, call_timeout=1)
    generators = [pages(bulkhead), pages(bulkhead)]
    for number, generator in enumerate(generators):
        await anext(generator)
        await asyncio.sleep(0.3 if number == 0 else 0)
    await generators[order[0]].aclose()
    # The bound of the one that is left has not passed, or it has: each has its own.
    await asyncio.sleep(0.8)
    assert bulkhead.stats().overrun == (1 if order[0] == 1 else 0)
    left = generators[order[1]]
    with contextlib.suppress(BulkheadCallTimeoutError):
        await left.aclose()
    probe_full(bulkhead, 2)


async def test_a_bound_that_passes_while_a_generator_stands_still_cancels_nobody() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=0.1)
    generator = pages(bulkhead, 1)
    await anext(generator)
    await asyncio.sleep(0.3)
    assert bulkhead.stats().overrun == 1
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    with pytest.raises(BulkheadCallTimeoutError):
        await anext(generator)
    probe_full(bulkhead, 1)


async def test_a_bound_that_passes_while_a_generator_runs_ends_its_work() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=0.1)

    async def slow() -> AsyncIterator[int]:
        async with bulkhead:
            yield 1
            await asyncio.sleep(9)
            yield 2

    async def outer() -> AsyncIterator[int]:
        async for item in slow():
            yield item

    with pytest.raises(BulkheadCallTimeoutError):
        assert [item async for item in outer()] == []
    assert asyncio.get_running_loop().time() < 1
    probe_full(bulkhead, 1)


async def test_a_context_manager_made_of_a_generator_is_no_stream() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=0.1)

    @contextlib.asynccontextmanager
    async def guard() -> AsyncIterator[None]:
        async with bulkhead:
            yield

    with pytest.raises(BulkheadCallTimeoutError):
        async with guard():
            await asyncio.sleep(9)
    assert asyncio.get_running_loop().time() < 1


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_exit_stacks_are_left_in_any_order_and_in_any_task(order: tuple[int, int]) -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, call_timeout=1)
    stacks = [contextlib.AsyncExitStack(), contextlib.AsyncExitStack()]

    async def enter() -> None:
        await stacks[0].enter_async_context(bulkhead)
        await asyncio.sleep(0.3)
        await stacks[1].enter_async_context(bulkhead)

    await spawn(enter())
    await spawn(stacks[order[0]].aclose())
    await asyncio.sleep(0.8)
    assert bulkhead.stats().overrun == (1 if order[0] == 1 else 0)
    with contextlib.suppress(BulkheadCallTimeoutError):
        await stacks[order[1]].aclose()
    probe_full(bulkhead, 2)
    check_books(bulkhead)


async def test_who_leaves_twice_ends_nothing_else() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    leave = bulkhead.__aexit__
    await bulkhead.__aenter__()
    await leave(None, None, None)
    other = spawn(inside(bulkhead, 1))
    await settle()
    for exit_ in (leave, bulkhead.__aexit__):
        with pytest.raises(RuntimeError, match="not entered"):
            await exit_(None, None, None)
    assert bulkhead.stats().active == 1
    await other


async def test_an_exit_that_is_used_again_is_nobodys_any_more() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    kept = []
    for _ in range(3):
        leave: Any = bulkhead.__aexit__
        await bulkhead.__aenter__()
        kept.append(leave)
        await leave(None, None, None)
    async with bulkhead:
        assert bulkhead.stats().active == 1
    assert bulkhead.stats().completed == 4
    # One that is kept is not given to the next entry.
    assert len({id(leave.__self__) for leave in kept}) == 3
    probe_full(bulkhead, 3)


async def test_a_body_that_is_closed_where_no_loop_runs_gives_its_permit_back() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)

    async def body() -> None:
        async with bulkhead:
            await asyncio.sleep(9)

    def elsewhere() -> None:
        loop = asyncio.new_event_loop()
        coroutine = body()
        task = loop.create_task(coroutine)
        loop.call_soon(loop.stop)
        loop.run_forever()
        assert bulkhead.stats().active == 1
        coroutine.close()
        assert bulkhead.stats().active == 0
        task.cancel()
        loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        loop.close()

    await asyncio.to_thread(elsewhere)
    probe_full(bulkhead, 2)
