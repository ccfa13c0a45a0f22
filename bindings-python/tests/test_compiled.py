"""What the compiled calls have to get right besides what every call has: the protocols of Python
that they stand in for."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import functools
import gc
import pickle
import threading
import warnings
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadFullError, BulkheadTimeoutError
from helpers import Work, check_books, loop, probe_full, settle, spawn


async def full_bulkhead(**options: Any) -> Bulkhead:
    bulkhead = Bulkhead("b", max_concurrent=1, **options)
    await bulkhead.__aenter__()
    return bulkhead


async def test_an_exit_stack_enters_and_leaves_by_the_functions_of_the_class() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(bulkhead)
        await stack.enter_async_context(bulkhead)
        assert bulkhead.stats().active == 2
    assert isinstance(bulkhead, contextlib.AbstractAsyncContextManager)
    assert bulkhead.stats().completed == 2
    probe_full(bulkhead, 2)


async def test_a_subclass_may_wrap_entering_and_leaving() -> None:
    class Named(Bulkhead):
        async def __aenter__(self) -> Named:  # type: ignore[override]
            await super().__aenter__()
            return self

        async def __aexit__(self, *error: Any) -> None:
            await super().__aexit__(*error)

    bulkhead = Named("b", max_concurrent=1)
    async with bulkhead as entered:
        assert (entered, bulkhead.stats().active) == (bulkhead, 1)
    probe_full(bulkhead, 1)


async def test_a_subclass_that_forgets_to_initialise_is_told_so() -> None:
    class Forgetful(Bulkhead):
        def __init__(self) -> None:
            pass

    with pytest.raises(RuntimeError, match="__init__ was not called"):
        async with Forgetful():
            pass


async def test_entering_in_a_task_of_its_own_takes_a_permit_when_that_runs() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=60)
    assert isinstance(bulkhead.__aenter__(), Coroutine)
    assert bulkhead.stats().admitted == 0
    early = asyncio.create_task(bulkhead.__aenter__())
    if early.cancel():
        with pytest.raises(asyncio.CancelledError):
            await early
        assert bulkhead.stats().admitted == 0
    else:
        await bulkhead.__aexit__(None, None, None)
    await asyncio.wait_for(bulkhead.__aenter__(), 1)
    waiting = asyncio.create_task(bulkhead.__aenter__())
    await settle()
    assert bulkhead.stats().queued == 1
    await bulkhead.__aexit__(None, None, None)
    await waiting
    await bulkhead.__aexit__(None, None, None)
    probe_full(bulkhead, 1)


async def test_a_wait_that_nobody_steps_gives_its_place_back() -> None:
    bulkhead = await full_bulkhead(max_queue=1)
    wait = bulkhead.__aenter__().__await__()
    assert bulkhead.stats().queued == 1
    del wait
    gc.collect()
    assert bulkhead.stats().queued == 0
    await bulkhead.__aexit__(None, None, None)
    probe_full(bulkhead, 1)


async def test_nor_does_one_that_an_exception_drops_on_its_way_swallow_that() -> None:
    bulkhead = await full_bulkhead(max_queue=1)
    with pytest.raises(ZeroDivisionError):
        print(bulkhead.__aenter__().__await__(), 1 / 0)
    assert (bulkhead.stats().queued, bulkhead.stats().rejected.cancelled) == (0, 1)
    await bulkhead.__aexit__(None, None, None)
    probe_full(bulkhead, 1)


async def test_what_a_task_waits_for_looks_like_a_future() -> None:
    bulkhead = await full_bulkhead(max_queue=1)
    task = spawn(bulkhead.run(int))
    await settle()
    waiting: Any = task._fut_waiter  # type: ignore[attr-defined]
    is_future: bool = asyncio.isfuture(waiting)
    assert is_future
    assert repr(waiting) == "<Waiting for b>"
    assert "<Waiting for b>" in repr(task)
    assert (waiting.done(), waiting.cancelled(), waiting.get_loop()) == (False, False, loop())
    waiting.send(None)
    with pytest.raises(RuntimeError, match="await wasn't used with future"):
        waiting.send(None)
    await bulkhead.__aexit__(None, None, None)
    assert waiting.done()
    assert not waiting.cancel()
    assert await task == 0
    with pytest.raises(RuntimeError, match="cannot wait again"):
        waiting.send(None)
    probe_full(bulkhead, 1)


async def test_the_message_of_a_cancellation_reaches_a_waiting_caller() -> None:
    bulkhead = await full_bulkhead(max_queue=1)
    waiting = spawn(bulkhead.run(int))
    await settle()
    waiting.cancel("shutting down")
    with pytest.raises(asyncio.CancelledError, match="shutting down"):
        await waiting
    assert bulkhead.stats().rejected.cancelled == 1
    await bulkhead.__aexit__(None, None, None)
    probe_full(bulkhead, 1)


async def test_a_newcomer_that_gets_the_place_of_one_whose_time_is_over_hides_it_from_nobody() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=2, timeout=1, call_timeout=10, abandon_after=1)
    stubborn, ended = Work(), list[float]()

    async def caller(*, weight: int) -> None:
        try:
            await bulkhead.run(stubborn, weight, weight=weight)
        except BulkheadTimeoutError as error:
            ended.append(error.waited)

    permit = await bulkhead.acquire()
    heavy = spawn(caller(weight=2))
    await settle()
    loop().jump(5)
    assert await bulkhead.run(int) == 0
    await heavy
    assert ended == [5]
    permit.release()
    probe_full(bulkhead, 2)


async def test_a_run_that_was_abandoned_as_its_place_went_to_another_is_still_cancelled() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2, abandon_after=1)
    call = spawn(bulkhead.run(asyncio.sleep, 60))
    await settle()
    loop().jump(9)
    assert await bulkhead.run(int) == 0
    with pytest.raises(TimeoutError):
        await call
    stats = bulkhead.stats()
    assert (stats.call_timeouts, stats.abandoned_runs, stats.completed) == (1, 1, 1)
    probe_full(bulkhead, 1)


async def test_those_told_in_one_step_are_woken_in_order_with_others_in_between() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3, max_queue=9, timeout=60)
    permit, order = await bulkhead.acquire(weight=3), list[int]()
    waiters = [spawn(bulkhead.run(order.append, number)) for number in range(3)]
    await settle()
    idle = spawn(asyncio.wait_for(bulkhead.idle(), 60))
    idle.add_done_callback(lambda _: order.append(9))
    permit.release()
    waiters[1].cancel()
    await asyncio.gather(*waiters, idle, return_exceptions=True)
    assert order == [0, 2, 9]
    assert bulkhead.stats().unclaimed == 1
    probe_full(bulkhead, 3)


def test_what_ends_the_process_in_one_of_those_woken_together_leaves_the_others_to_be_woken() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=9, timeout=60)
    event_loop, ran = asyncio.new_event_loop(), list[int]()

    async def interrupt() -> None:
        raise KeyboardInterrupt

    async def begin() -> None:
        permit = await bulkhead.acquire(weight=2)
        spawned.extend([spawn(bulkhead.run(interrupt)), spawn(bulkhead.run(ran.append, 1))])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        permit.release()

    spawned: list[asyncio.Task[Any]] = []
    with pytest.raises(KeyboardInterrupt):
        event_loop.run_until_complete(begin())
        event_loop.run_until_complete(asyncio.sleep(0.01))
    event_loop.run_until_complete(spawned[1])
    assert ran == [1]
    with pytest.raises(KeyboardInterrupt):
        spawned[0].result()
    event_loop.close()
    probe_full(bulkhead, 2)


def test_tasks_that_are_not_compiled_do_as_well() -> None:
    bulkhead, peak, inside = Bulkhead("b", max_concurrent=2, max_queue=50, timeout=60), 0, 0

    async def work() -> None:
        nonlocal peak, inside
        inside += 1
        peak = max(peak, inside)
        await asyncio.sleep(0)
        inside -= 1

    async def caller(number: int) -> None:
        if number % 2:
            await bulkhead.run(work)
        else:
            async with bulkhead:
                await work()

    async def main() -> None:
        tasks: Any = asyncio.tasks
        factory = functools.partial(lambda loop, coro, **rest: tasks._PyTask(coro, loop=loop, **rest))
        asyncio.get_running_loop().set_task_factory(factory)
        callers = [asyncio.create_task(caller(number)) for number in range(20)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        callers[7].cancel("why")
        results = await asyncio.gather(*callers, return_exceptions=True)
        assert [type(result) for result in results if result] == [asyncio.CancelledError]

    asyncio.run(main())
    assert peak == 2
    probe_full(bulkhead, 2)


def test_a_loop_that_goes_on_in_another_thread() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=5, timeout=60)
    event_loop = asyncio.new_event_loop()

    async def main() -> None:
        async with bulkhead:
            waiting = asyncio.create_task(bulkhead.run(int))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert await waiting == 0

    def run_all() -> None:
        event_loop.run_until_complete(main())

    run_all()
    thread = threading.Thread(target=run_all)
    thread.start()
    thread.join(30)
    run_all()
    asyncio.run(main())
    event_loop.close()
    assert bulkhead.stats().completed == 8
    probe_full(bulkhead, 1)


async def test_code_that_a_loop_runs_without_a_task() -> None:
    bulkhead, done = Bulkhead("b", max_concurrent=1), loop().create_future()

    async def inside() -> None:
        async with bulkhead:
            assert bulkhead.stats().active == 1
        assert await bulkhead.run(int) == 0

    def step() -> None:
        try:
            inside().send(None)
        except StopIteration:
            done.set_result(None)

    loop().call_soon(step)
    await done
    probe_full(bulkhead, 1)


class Client:
    async def fetch(self, path: str) -> str:
        return path

    async def pages(self, path: str) -> AsyncIterator[str]:
        yield path


async def test_methods_are_known_by_their_functions() -> None:
    bulkhead, client = Bulkhead("b", max_concurrent=1), Client()
    for _ in range(3):
        assert await bulkhead.run(client.fetch, "/") == "/"
        assert await bulkhead.run(str, 3) == "3"
        assert [page async for page in await bulkhead.run(client.pages, "/")] == ["/"]
    assert bulkhead.stats().admitted == 9
    probe_full(bulkhead, 1)


async def test_an_async_generator_keeps_its_permit_wherever_in_memory_its_function_is() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    for _ in range(100):

        async def work() -> None:
            pass

        await bulkhead.run(work)
        del work

        async def numbers() -> AsyncGenerator[int, None]:
            yield 1

        stream = await bulkhead.run(numbers)
        assert bulkhead.stats().active == 1
        await stream.aclose()
        del numbers
    probe_full(bulkhead, 1)


async def full_error() -> BulkheadFullError:
    bulkhead = await full_bulkhead()
    with pytest.raises(BulkheadFullError) as caught:
        await bulkhead.run(int)
    return caught.value


async def test_the_error_of_a_full_bulkhead_has_its_words_whoever_asks_first() -> None:
    text = "b: no permit free (max_concurrent 1) and no queue configured (max_queue 0); shed load or raise one of them"
    assert str(await full_error()) == text
    assert repr(await full_error()) == f"BulkheadFullError({text!r})"
    assert (await full_error()).args == (text,)
    assert (await full_error()).bulkhead == "b"
    assert (await full_error()).active == 1
    assert not hasattr(await full_error(), "waited")
    for twin in (pickle.loads(pickle.dumps(await full_error())), copy.copy(await full_error())):
        assert (str(twin), twin.limit, twin.bulkhead) == (text, 1, "b")
    error = await full_error()
    error.add_note("seen at the gateway")
    error.args = ("other",)
    assert (str(error), error.limit) == ("other", 1)
    own = BulkheadFullError("mine", bulkhead="x")
    assert (str(own), own.bulkhead, hasattr(own, "limit")) == ("mine", "x", False)


def test_a_bulkhead_that_died_with_its_loop_is_collected_with_all_who_waited() -> None:
    def live() -> weakref.ref[Bulkhead]:
        bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=60)

        async def hold() -> None:
            async with bulkhead.acquire():
                await asyncio.sleep(60)

        async def enter() -> None:
            async with bulkhead:
                pass

        async def main() -> None:
            asyncio.get_running_loop().set_exception_handler(lambda *_: None)
            for coroutine in (hold(), enter(), bulkhead.run(asyncio.sleep, 60)):
                spawn(coroutine)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

        event_loop = asyncio.new_event_loop()
        event_loop.run_until_complete(main())
        event_loop.close()
        return weakref.ref(bulkhead)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = live()
        gc.collect()
    assert reference() is None


async def test_many_calls_inside_at_once_leave_by_their_own_entry() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=100, call_timeout=5), Work()

    async def caller(number: int) -> str:
        try:
            async with bulkhead, bulkhead:
                await work(number)
        except TimeoutError:
            return "timed out"
        return "done"

    calls = [spawn(caller(number)) for number in range(50)]
    await settle()
    for number in range(0, 50, 2):
        work.end(number)
    await loop().advance(6)
    assert await asyncio.gather(*calls) == ["done", "timed out"] * 25
    stats = bulkhead.stats()
    assert (stats.completed, stats.failed) == (50, 50)
    check_books(bulkhead)
    probe_full(bulkhead, 100)
