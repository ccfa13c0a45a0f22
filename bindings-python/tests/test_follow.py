"""Work that goes on after its function has returned keeps its permit until it has ended."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, cast

import pytest

from bulkheads import Bulkhead, BulkheadCallTimeoutError, BulkheadFullError
from helpers import SOON, check_books, in_thread, probe_full, settle, spawn, until


async def numbers(count: int = 3) -> AsyncGenerator[int, None]:
    for number in range(count):
        yield number


def plain_numbers(count: int = 3) -> Generator[int, None, None]:
    yield from range(count)


class TestFutures:
    """Of another executor."""

    def test_run_sync_waits_for_it(self) -> None:
        bulkhead, now, most = Bulkhead("b", max_concurrent=2, max_queue=9, timeout=SOON), [], []

        def job(number: int) -> int:
            now.append(number)
            most.append(len(now))
            now.remove(number)
            return number

        with ThreadPoolExecutor(8) as pool:
            calls = [in_thread(bulkhead.run_sync, pool.submit, job, number) for number in range(8)]
            assert [call.result().result() for call in calls] == list(range(8))
        assert max(most) <= 2
        assert bulkhead.stats().completed == 8
        check_books(bulkhead)

    def test_one_that_has_failed_counts_as_failed(self) -> None:
        bulkhead, future = Bulkhead("b", max_concurrent=1), Future[int]()
        future.set_exception(KeyError("x"))
        assert bulkhead.run_sync(lambda: future) is future
        assert (bulkhead.stats().failed, bulkhead.stats().active) == (1, 0)

    async def test_run_awaits_it(self) -> None:
        bulkhead, future = Bulkhead("b", max_concurrent=1), Future[int]()
        call = spawn(bulkhead.run(lambda: future))
        await settle()
        assert bulkhead.stats().active == 1
        future.set_result(3)
        assert await call == 3
        probe_full(bulkhead, 1)

    async def test_its_permit_stays_until_it_is_done_though_its_caller_has_left(self) -> None:
        bulkhead, future = Bulkhead("b", max_concurrent=1), Future[int]()
        future.set_running_or_notify_cancel()
        call = spawn(bulkhead.run(lambda: future))
        await settle()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (bulkhead.stats().active, bulkhead.stats().overrun) == (1, 1)
        future.set_result(3)
        assert (bulkhead.stats().active, bulkhead.stats().failed) == (0, 1)
        check_books(bulkhead)

    async def test_its_permit_stays_until_it_is_done_though_its_bound_has_passed(self) -> None:
        bulkhead, future = Bulkhead("b", max_concurrent=1, call_timeout=0.1), Future[int]()
        future.set_running_or_notify_cancel()
        with pytest.raises(BulkheadCallTimeoutError):
            await bulkhead.run(lambda: future)
        assert (bulkhead.stats().active, bulkhead.stats().overrun) == (1, 1)
        future.set_result(3)
        assert bulkhead.stats().active == 0
        check_books(bulkhead)


class TestThreads:
    async def test_run_in_thread_returns_what_its_function_returns(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)
        assert await bulkhead.run_in_thread(threading.get_ident) != threading.get_ident()
        assert await bulkhead.run(asyncio.to_thread, divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await bulkhead.run_in_thread(divmod, 1, 0, weight=1)
        with pytest.raises(TypeError, match="is an async function"):
            await bulkhead.run_in_thread(cast(Any, asyncio.sleep), 1)
        probe_full(bulkhead, 1)

    @pytest.mark.parametrize("way", ["run_in_thread", "to_thread"])
    async def test_the_permit_stays_until_the_thread_is_done(self, way: str) -> None:
        bulkhead, end, begun = Bulkhead("b", max_concurrent=1), threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            end.wait(SOON)

        call = spawn(bulkhead.run_in_thread(work) if way == "run_in_thread" else bulkhead.run(asyncio.to_thread, work))
        await settle()
        begun.wait(SOON)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (bulkhead.stats().active, bulkhead.stats().overrun) == (1, 1)
        with pytest.raises(BulkheadFullError):
            await bulkhead.run(settle)
        end.set()
        until(lambda: bulkhead.stats().active == 0)
        check_books(bulkhead)


class TestAsyncGenerators:
    @pytest.mark.parametrize("way", ["run", "wrap"])
    async def test_one_keeps_its_permit_until_it_ends(self, way: str) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)
        stream = await bulkhead.run(numbers) if way == "run" else bulkhead.wrap(numbers)()
        seen = []
        async for number in stream:
            seen.append((number, bulkhead.stats().active))
        assert seen == [(0, 1), (1, 1), (2, 1)]
        assert (bulkhead.stats().active, bulkhead.stats().completed) == (0, 1)

    @pytest.mark.parametrize("way", ["run", "wrap"])
    async def test_one_that_is_left_or_dropped_gives_it_back(self, way: str) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)
        for is_closed in (True, False):
            stream = await bulkhead.run(numbers) if way == "run" else bulkhead.wrap(numbers)()
            async for _ in stream:
                break
            if is_closed:
                await stream.aclose()
            del stream
            gc.collect()
            await settle()
            probe_full(bulkhead, 1)

    async def test_one_that_was_never_begun_gives_it_back(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)
        stream = await bulkhead.run(numbers)
        assert bulkhead.stats().active == 1
        del stream
        gc.collect()
        probe_full(bulkhead, 1)

    async def test_one_at_a_time_under_a_limit_of_one(self) -> None:
        bulkhead, now, most = Bulkhead("b", max_concurrent=1, max_queue=5, timeout=60), 0, 0

        @bulkhead.wrap
        async def tokens() -> AsyncIterator[int]:
            nonlocal now, most
            now += 1
            most = max(most, now)
            for token in range(3):
                await asyncio.sleep(0.01)
                yield token
            now -= 1

        async def consume() -> list[int]:
            return [token async for token in tokens()]

        assert await asyncio.gather(*(consume() for _ in range(3))) == [[0, 1, 2]] * 3
        assert most == 1

    @pytest.mark.parametrize("way", ["run", "wrap"])
    async def test_a_bound_that_passes_while_it_stands_still_is_raised_at_its_next_step(self, way: str) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=0.1)
        stream = await bulkhead.run(numbers) if way == "run" else bulkhead.wrap(numbers)()
        assert await anext(stream) == 0
        await asyncio.sleep(1)
        with pytest.raises(BulkheadCallTimeoutError):
            await anext(stream)
        assert bulkhead.stats().active == 0
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
        check_books(bulkhead)

    @pytest.mark.parametrize("way", ["run", "wrap"])
    async def test_a_bound_that_passes_while_it_runs_ends_it(self, way: str) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=0.1)

        async def slow() -> AsyncIterator[int]:
            yield 0
            await asyncio.sleep(9)
            yield 1

        stream = await bulkhead.run(slow) if way == "run" else bulkhead.wrap(slow)()

        async def consume() -> None:
            assert await anext(stream) == 0
            with pytest.raises(BulkheadCallTimeoutError):
                await anext(stream)

        await spawn(consume())
        assert asyncio.get_running_loop().time() < 1
        assert bulkhead.stats().active == 0

    @pytest.mark.parametrize("way", ["run", "wrap"])
    async def test_what_is_sent_and_thrown_goes_through(self, way: str) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)

        async def echo() -> AsyncGenerator[str, Any]:
            got = "first"
            while True:
                try:
                    got = yield got
                except ValueError as error:
                    got = f"thrown {error}"

        stream = await bulkhead.run(echo) if way == "run" else bulkhead.wrap(echo)()
        assert await stream.asend(None) == "first"
        assert await stream.asend("second") == "second"
        assert await stream.athrow(ValueError("x")) == "thrown x"
        await stream.aclose()
        probe_full(bulkhead, 1)


class TestGenerators:
    def test_run_sync_returns_one_that_keeps_its_permit_until_it_ends(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)
        stream = bulkhead.run_sync(plain_numbers)
        assert [(number, bulkhead.stats().active) for number in stream] == [(0, 1), (1, 1), (2, 1)]
        assert (bulkhead.stats().active, bulkhead.stats().completed) == (0, 1)

    @pytest.mark.parametrize("closed", [True, False])
    def test_one_that_is_closed_or_dropped_gives_it_back(self, closed: bool) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)
        for begun in (True, False):
            stream = bulkhead.run_sync(plain_numbers)
            if begun:
                next(stream)
            if closed:
                stream.close()
            del stream
            gc.collect()
            probe_full(bulkhead, 1)

    async def test_run_returns_one_too(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)
        stream = await bulkhead.run(plain_numbers)
        assert bulkhead.stats().active == 1
        assert list(stream) == [0, 1, 2]
        probe_full(bulkhead, 1)

    def test_one_that_fails_counts_as_failed(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)

        def broken() -> Iterator[int]:
            yield 1
            raise KeyError("x")

        with pytest.raises(KeyError):
            list(bulkhead.run_sync(broken))
        assert (bulkhead.stats().failed, bulkhead.stats().active) == (1, 0)


class TestOptionsOfACall:
    async def test_a_call_has_a_bound_of_its_own(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=5)
        for bound, ran in ((0.5, 0.5), (50, 5)):
            with pytest.raises(BulkheadCallTimeoutError) as raised:
                await bulkhead.run(asyncio.sleep, 60, call_timeout=bound)
            assert raised.value.ran == pytest.approx(ran)
        with pytest.raises(ValueError, match="call_timeout must be more than 0, or infinite, got -1"):
            await bulkhead.run(asyncio.sleep, 60, call_timeout=-1)
        probe_full(bulkhead, 1)

    async def test_with_options_hands_keywords_on_to_the_work(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=3, max_queue=1, timeout=60)
        view = bulkhead.with_options(weight=2, timeout=0.5, call_timeout=1)

        async def work(*, timeout: float) -> tuple[float, int]:
            return timeout, bulkhead.stats().active

        assert await view.run(work, timeout=7) == (7, 2)
        assert await view.wrap(work)(timeout=7) == (7, 2)
        async with view:
            assert bulkhead.stats().active == 2
            with pytest.raises(Exception, match=r"no permit within 0\.500 s"):
                await view.run(work, timeout=7)
        async with view.acquire() as permit:
            assert permit.weight == 2
        assert [item async for item in view.map(int, ["1"], ordered=False)] == [1]
        with pytest.raises(BulkheadCallTimeoutError):
            async with view:
                await asyncio.sleep(9)
        probe_full(bulkhead, 3)

    def test_with_options_serves_threads(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=3)
        view = bulkhead.with_options(weight=2)
        with view:
            assert bulkhead.stats().active == 2
        with view.acquire_sync() as permit:
            assert permit.weight == 2
        assert view.run_sync(lambda *, weight: (weight, bulkhead.stats().active), weight=9) == (9, 2)
        with pytest.raises(ValueError, match="weight must be"):
            bulkhead.with_options(weight=0)
        probe_full(bulkhead, 3)

    async def test_an_option_that_the_work_has_too_is_warned_of_once(self) -> None:
        bulkhead = Bulkhead("b", max_concurrent=1)

        async def work(timeout: float = 3) -> float:
            return timeout

        with pytest.warns(RuntimeWarning, match=r"with_options\(timeout=…\)\.run") as warned:
            for _ in range(3):
                assert await bulkhead.run(work, timeout=5) == 3
        assert len(warned) == 1
