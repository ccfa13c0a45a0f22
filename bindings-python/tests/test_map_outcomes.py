"""`map`: what it gives when items fail, when the source does, in which order, and how it waits for
capacity."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadTimeoutError
from helpers import Work, loop, probe_full, settle, spawn


async def collect(results: AsyncIterator[Any]) -> list[Any]:
    """The results and, behind them, the error that ended them."""
    all_: list[Any] = []
    try:
        async for result in results:
            all_.append(result)
    except BaseException as error:
        all_.append(error)
    return all_


async def odd_only(number: int) -> int:
    await asyncio.sleep(0.1 if number == 1 else 0)
    if number % 2 == 0:
        raise ValueError(number)
    return number


def broken() -> Iterator[int]:
    yield 1
    yield 3
    raise KeyError("source")


def words(results: list[Any]) -> list[Any]:
    return [type(result).__name__ if isinstance(result, BaseException) else result for result in results]


@pytest.mark.parametrize("ordered", [True, False])
async def test_return_exceptions_gives_an_outcome_for_each_item(ordered: bool) -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    results = await collect(bulkhead.map(odd_only, [1, 2, 3, 4], return_exceptions=True, ordered=ordered))
    want = [1, "ValueError", 3, "ValueError"]
    assert words(results) == want if ordered else sorted(map(str, words(results))) == sorted(map(str, want))
    probe_full(bulkhead, 2)


async def test_without_stop_on_error_all_items_run_and_the_errors_come_last() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    *results, group = await collect(bulkhead.map(odd_only, [1, 2, 3, 4], stop_on_error=False))
    assert results == [1, 3]
    assert isinstance(group, ExceptionGroup)
    assert str(group) == "b: 2 of 4 items failed (2 sub-exceptions)"
    assert [error.__notes__ for error in group.exceptions] == [["b: item 1 of a map"], ["b: item 3 of a map"]]


@pytest.mark.parametrize("options", [{}, {"return_exceptions": True}], ids=["stops", "goes on"])
async def test_an_error_of_the_source_comes_behind_the_results_before_it(options: Any) -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    assert words(await collect(bulkhead.map(odd_only, broken(), **options))) == [1, 3, "KeyError"]
    assert bulkhead.stats().failed == 0


async def test_an_item_that_is_turned_away_comes_behind_the_results_before_it() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    loop().call_later(0.05, bulkhead.drain)
    assert words(await collect(bulkhead.map(odd_only, [1, 1, 1]))) == [1, 1, "BulkheadClosedError"]
    assert (bulkhead.stats().failed, bulkhead.stats().completed) == (0, 2)


async def test_an_error_in_order_cancels_only_what_comes_behind() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=3), Work()
    results = spawn(collect(bulkhead.map(work, range(3))))
    await settle()
    work.fail(1, ValueError(1))
    await settle()
    assert work.running == 1
    work.end(0)
    assert words(await results) == [None, "ValueError"]
    probe_full(bulkhead, 3)


async def test_without_order_a_slow_item_holds_up_no_other() -> None:
    bulkhead = Bulkhead("b", max_concurrent=5)

    async def page(number: int) -> int:
        await asyncio.sleep(0.1 if number % 10 == 0 else 0.01)
        return number

    began = loop().time()
    results = [result async for result in bulkhead.map(page, range(80), ordered=False)]
    assert (sorted(results), results != list(range(80))) == (list(range(80)), True)
    assert loop().time() - began < 0.4


@pytest.mark.parametrize(("buffer", "started"), [(0, 2), (3, 5), (100, 8)])
async def test_so_many_results_may_wait_behind_a_slow_item(buffer: int, started: int) -> None:
    bulkhead, begun = Bulkhead("b", max_concurrent=2), []

    async def page(number: int) -> int:
        begun.append(number)
        await asyncio.sleep(1 if number == 0 else 0)
        return number

    results = bulkhead.map(page, range(8), buffer=buffer)
    first = spawn(anext(results))
    await asyncio.sleep(0.5)
    assert len(begun) == started
    assert await first == 0
    assert [result async for result in results] == list(range(1, 8))


async def test_a_growing_limit_wakes_it_at_once() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1), Work()
    mapping = spawn(collect(bulkhead.map(work, range(4))))
    await settle()
    assert work.order == [0]
    bulkhead.resize(3)
    await settle()
    assert work.order == [0, 1, 2]
    for number in range(4):
        work.end(number)
        await settle()
    assert await mapping == [None] * 4


async def test_a_wait_for_room_is_bounded_while_none_of_its_items_runs() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, timeout=2)
    permit = await bulkhead.acquire()
    deadline = loop().time() + 2.75
    cases: list[tuple[dict[str, Any], float]] = [({}, 2.0), ({"timeout": 0.5}, 0.5), ({"deadline": deadline}, 0.25)]
    for options, waited in cases:
        (error,) = await collect(bulkhead.map(str, range(3), **options))
        assert isinstance(error, BulkheadTimeoutError)
        assert error.waited == pytest.approx(waited)
    assert bulkhead.stats().rejected.queue_timeout == 3
    permit.release()
    results = bulkhead.map(lambda _: asyncio.sleep(9), range(2))
    assert await collect(results) == [None, None]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"buffer": -1}, "buffer must be 0 or more, got -1"),
        ({"buffer": 1.5}, "buffer must be an integer, got 1.5"),
        ({"ordered": 1}, "ordered must be True or False, got 1"),
        ({"timeout": -1}, "timeout must be"),
        ({"deadline": "x"}, "deadline must be"),
    ],
)
def test_wrong_options_are_named(options: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text):
        Bulkhead("b", max_concurrent=1).map(str, [1], **options)
