"""`run`: what it takes, when it acts, and that every way out gives the permit back before the
caller goes on."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import inspect
import math
import warnings
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadFullError, BulkheadTimeoutError
from helpers import Work, check_books, loop, probe_full, settle, spawn


class Callable:
    async def __call__(self, value: int) -> int:
        return value + 1

    async def method(self, value: int) -> int:
        return value + 2


async def async_work(value: int) -> int:
    await asyncio.sleep(0)
    return value


@pytest.mark.parametrize(
    ("fn", "want"),
    [
        (async_work, 7),
        (lambda value: value * 2, 14),
        (lambda value: async_work(value), 7),
        (functools.partial(async_work), 7),
        (Callable(), 8),
        (Callable().method, 9),
        (lambda value: None, None),
        (lambda value: asyncio.ensure_future(async_work(value)), 7),
    ],
)
async def test_takes_whatever_can_be_called_and_awaits_what_can_be_awaited(fn: Any, want: object) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    assert await bulkhead.run(fn, 7) == want
    probe_full(bulkhead, 1)


class Custom(BaseException):
    pass


@pytest.mark.parametrize("error", [ValueError("x"), KeyError(), Custom(), StopAsyncIteration(), asyncio.CancelledError()])
@pytest.mark.parametrize("is_async", [True, False])
async def test_every_error_reaches_the_caller_unchanged_and_the_permit_is_back_before(error: Any, is_async: bool) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)

    def sync_fn() -> None:
        raise error

    async def async_fn() -> None:
        await asyncio.sleep(0)
        raise error

    with pytest.raises(type(error)) as caught:
        await bulkhead.run(async_fn if is_async else sync_fn)
    assert caught.value is error
    assert bulkhead.stats().failed == 1
    probe_full(bulkhead, 1)


def test_what_ends_the_process_gives_the_permit_back_and_passes() -> None:
    for kind in (KeyboardInterrupt, SystemExit):
        bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=1)

        def fn(kind: type[BaseException] = kind) -> None:
            raise kind

        with pytest.raises(kind):
            asyncio.run(bulkhead.run(fn))
        probe_full(bulkhead, 1)


@pytest.mark.parametrize("fn", [None, 3, "fn", object(), staticmethod(async_work), classmethod(type)])
async def test_what_cannot_be_called_is_a_type_error_before_a_permit_is_taken(fn: Any) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(TypeError, match="fn must be a function"):
        await bulkhead.run(fn)
    assert bulkhead.stats().admitted == 0


async def test_a_coroutine_in_place_of_its_function_is_told_so_and_closed() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(TypeError, match="pass async_work and its arguments"):
        await bulkhead.run(async_work(1))  # type: ignore[call-overload]
    assert bulkhead.stats().admitted == 0


async def test_it_acts_when_first_awaited_serves_once_and_says_if_it_never_was() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    call = bulkhead.run(async_work, 1)
    assert bulkhead.stats().admitted == 0
    assert await call == 1
    with pytest.raises(RuntimeError):
        await call
    with pytest.warns(RuntimeWarning, match="was never awaited"):
        bulkhead.run(async_work, 1)  # type: ignore[unused-coroutine]
        gc.collect()
    assert await asyncio.create_task(bulkhead.run(async_work, 2)) == 2


async def test_a_call_admitted_at_once_starts_before_anything_else_runs() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    order: list[str] = []
    loop().call_soon(order.append, "turn")
    await bulkhead.run(order.append, "work")
    assert order == ["work"]


async def test_refused_calls_never_create_their_coroutine() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        async with bulkhead:
            for _ in range(3):
                with pytest.raises(BulkheadFullError):
                    await bulkhead.run(async_work, 1)
        gc.collect()


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("queue", [0, 1, 3])
async def test_of_simultaneous_calls_exactly_limit_plus_queue_are_taken_and_the_last_refused(limit: int, queue: int) -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=limit, max_queue=queue), Work()
    calls = [spawn(bulkhead.run(work, number)) for number in range(limit + queue + 2)]
    await settle()
    stats = bulkhead.stats()
    assert (stats.active, stats.queued, stats.rejected.full) == (limit, queue, 2)
    assert [call.done() for call in calls] == [False] * (limit + queue) + [True] * 2
    while work.gates:
        work.end(next(iter(work.gates)))
        await settle()
    assert work.order == list(range(limit + queue))
    assert work.peak == limit
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(result, BulkheadFullError) for result in results) == 2
    probe_full(bulkhead, limit)


async def test_loops_of_callers_take_turns() -> None:
    bulkhead, order = Bulkhead("b", max_concurrent=1, max_queue=3, timeout=60), []

    async def worker(name: str) -> None:
        for number in (1, 2):
            async with bulkhead:
                order.append(f"{name}{number}")
                await asyncio.sleep(1)

    await asyncio.gather(*map(worker, "abc"))
    assert order == ["a1", "b1", "c1", "a2", "b2", "c2"]


async def test_the_work_runs_in_its_callers_context_whoever_frees_the_permit() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=100, timeout=60)
    request: contextvars.ContextVar[int] = contextvars.ContextVar("request")
    seen: list[tuple[int, int, int]] = []

    async def work(number: int) -> None:
        before = request.get()
        await asyncio.sleep(0.001)
        seen.append((number, before, request.get()))

    async def caller(number: int) -> None:
        request.set(number)
        await bulkhead.run(work, number)

    await asyncio.gather(*map(caller, range(100)))
    assert sorted(seen) == [(number, number, number) for number in range(100)]
    timers = [timer for timer in loop()._scheduled if timer._context.get(request, None) is not None]  # type: ignore[attr-defined]
    assert timers == []


async def test_a_call_of_the_same_bulkhead_from_inside_is_bounded_by_the_wait() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=10, timeout=0.05)

    async def outer() -> str:
        await asyncio.sleep(0)
        try:
            return await bulkhead.run(str, "inner")
        except BulkheadTimeoutError as error:
            assert error.waited == pytest.approx(0.05)
            return "timed out"

    assert list(await asyncio.gather(bulkhead.run(outer), bulkhead.run(outer))) == ["timed out"] * 2
    probe_full(bulkhead, 2)


async def test_calls_from_the_handlers_of_others_keep_the_order_and_the_limit() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=2, max_queue=2, timeout=0.01), Work()
    more: list[asyncio.Task[Any]] = []

    async def caller(name: str) -> None:
        try:
            await bulkhead.run(work, name)
        except (BulkheadFullError, BulkheadTimeoutError):
            more.extend(spawn(bulkhead.run(work, f"{name}{number}")) for number in range(3))

    first = [spawn(caller(name)) for name in "abcde"]
    await loop().advance(0.005)
    work.end("a")
    work.end("b")
    await loop().advance(1)
    while work.gates:
        work.end(next(iter(work.gates)))
        await settle()
    await asyncio.gather(*first, *more, return_exceptions=True)
    assert work.peak == 2
    assert work.order[:4] == ["a", "b", "c", "d"]
    probe_full(bulkhead, 2)


async def test_a_hundred_thousand_waiting_calls_that_settle_at_once_neither_recurse_nor_leak() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=100_000, timeout=60)
    permit = bulkhead.try_acquire()
    assert permit is not None
    calls = [spawn(bulkhead.run(int)) for _ in range(100_000)]
    await settle()
    assert bulkhead.stats().queued == 100_000
    permit.release()
    await asyncio.gather(*calls)
    assert bulkhead.stats().completed == 100_001
    assert loop().next_timer() is None
    check_books(bulkhead)


async def test_figures_are_exact_after_each_call() -> None:
    bulkhead, work, seen = Bulkhead("b", max_concurrent=2, max_queue=5), Work(), []
    calls = []
    for number in range(5):
        calls.append(spawn(bulkhead.run(work, number)))
        await settle()
        seen.append((bulkhead.stats().active, bulkhead.stats().queued))
    assert seen == [(1, 0), (2, 0), (2, 1), (2, 2), (2, 3)]
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    probe_full(bulkhead, 2)


async def test_its_signature_shows_its_bounds_and_wrong_ones_are_told_by_its_name() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    parameters = inspect.signature(bulkhead.run).parameters
    assert list(parameters) == ["fn", "args", "weight", "timeout", "deadline", "call_timeout"]
    assert [parameters[name].default for name in ("weight", "timeout", "deadline")] == [1, math.inf, None]
    with pytest.raises(TypeError, match=r"^Bulkhead\.run\(\) got an unexpected keyword argument 'wait'"):
        await bulkhead.run(int, wait=1)  # type: ignore[call-overload]
    probe_full(bulkhead, 1)
