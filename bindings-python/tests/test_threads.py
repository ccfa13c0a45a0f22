"""Threads that are blocked: `with`, `run_sync`, `acquire_sync`."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import dataclasses
import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from bulkheads import (
    Bulkhead,
    BulkheadCallTimeoutError,
    BulkheadClosedError,
    BulkheadFullError,
    BulkheadTimeoutError,
    BulkheadWeightError,
)
from bulkheads._engine import look_for_closed_loops_after
from bulkheads.testing import VirtualLoop
from helpers import SOON, check_books, in_thread, loop, probe_full, settle, spawn, until


def block(bulkhead: Bulkhead) -> None:
    with bulkhead:
        pass


def call(bulkhead: Bulkhead) -> None:
    bulkhead.run_sync(int)


def take(bulkhead: Bulkhead) -> None:
    bulkhead.acquire_sync().release()


WAYS = pytest.mark.parametrize("way", [block, call, take])


@pytest.fixture(autouse=True)
def is_woken_or_hangs() -> Iterator[None]:
    """No thread but the main one looks by itself, so that a wake-up that is lost shows."""
    before = look_for_closed_loops_after(2**62)
    yield
    look_for_closed_loops_after(before)


def queued(bulkhead: Bulkhead, count: int) -> Callable[[], bool]:
    return lambda: bulkhead.stats().queued == count


class Clock(VirtualLoop):
    """A loop that does nothing but lend its clock to the threads: that takes the next of its times
    at each look, and stays at the last."""

    made: ClassVar[list[Clock]] = []

    def __init__(self, bulkhead: Bulkhead, *times: float) -> None:
        self.times = [0.0]
        super().__init__()
        self.made.append(self)
        self.run_until_complete(self.lend(bulkhead))
        self.times = list(times)

    async def lend(self, bulkhead: Bulkhead) -> None:
        bulkhead.idle()

    def time(self) -> float:
        return self.times.pop(0) if len(self.times) > 1 else self.times[0]


@pytest.fixture(autouse=True)
def clocks_are_closed() -> Iterator[None]:
    yield
    while Clock.made:
        Clock.made.pop().close()


def test_the_ways_hold_and_give_back() -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    with bulkhead as nothing:
        assert nothing is None
        with bulkhead, bulkhead.acquire_sync() as permit:
            assert (permit.weight, bulkhead.stats().active) == (1, 3)
        assert bulkhead.stats().active == 1
        assert bulkhead.run_sync(lambda *args: (args, bulkhead.stats().active), 1, 2, weight=2) == ((1, 2), 3)
    permit = bulkhead.acquire_sync(weight=3)
    assert repr(permit) == "<Permit of b, weight 3, held>"
    permit.release()
    assert bulkhead.stats().completed == 5
    probe_full(bulkhead, 3)


@pytest.mark.parametrize("error", [ValueError(), KeyboardInterrupt(), SystemExit(), GeneratorExit(), asyncio.CancelledError()])
def test_every_error_reaches_the_caller_unchanged_and_the_permit_is_back_before(error: BaseException) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)

    def fail() -> None:
        raise error

    def fail_inside() -> None:
        with bulkhead:
            raise error

    for work in (fail_inside, lambda: bulkhead.run_sync(fail)):
        with pytest.raises(type(error)) as caught:
            work()
        assert caught.value is error
        assert bulkhead.stats().active == 0
    assert bulkhead.stats().failed == 2
    probe_full(bulkhead, 1)


@WAYS
async def test_where_a_loop_runs_it_is_an_error_also_when_a_permit_is_free(way: Callable[[Bulkhead], None]) -> None:
    bulkhead = Bulkhead("shipping", max_concurrent=1)
    others: dict[object, str] = {block: "`async with`", call: "`await run.*, or `await asyncio.to_thread", take: "`await acquire"}
    with pytest.raises(RuntimeError, match=f"^shipping: .* would block the event loop of this thread; use {others[way]}"):
        way(bulkhead)
    caught = asyncio.get_running_loop().create_future()

    def without_a_task() -> None:
        try:
            way(bulkhead)
        except RuntimeError as error:
            caught.set_result(error)

    asyncio.get_running_loop().call_soon(without_a_task)
    await caught
    assert bulkhead.stats().admitted == 0
    await asyncio.to_thread(way, bulkhead)
    assert bulkhead.stats().completed == 1


@pytest.mark.parametrize("way", ["run", "with"])
def test_first_come_first_served_among_threads_and_loops(way: str) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=100, timeout=SOON)
    order: list[int] = []

    def thread(number: int) -> None:
        if way == "run":
            bulkhead.run_sync(order.append, number)
        else:
            with bulkhead:
                order.append(number)

    async def task(number: int) -> None:
        await bulkhead.run(order.append, number)

    with bulkhead:
        callers = []
        for number in range(9):
            if number % 3 == 1:
                callers.append(in_thread(asyncio.run, task(number)))
            else:
                callers.append(in_thread(thread, number))
            until(queued(bulkhead, number + 1))
    for caller in callers:
        caller.result()
    assert order == list(range(9))
    probe_full(bulkhead, 1)


def test_a_loop_releases_and_a_thread_goes_on_while_the_loop_does_too() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=SOON)

    async def main() -> None:
        async with bulkhead:
            waiter = in_thread(call, bulkhead)
            beats = 0
            while not queued(bulkhead, 1)():
                beats += 1
                await asyncio.sleep(0)
        await asyncio.to_thread(waiter.result)

    asyncio.run(main())
    assert bulkhead.stats().completed == 2
    probe_full(bulkhead, 1)


@WAYS
def test_the_wait_is_bounded_by_the_time_out_of_the_bulkhead(way: Callable[[Bulkhead], None]) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=2.0)
    clock = Clock(bulkhead, 10.0)
    with bulkhead:
        clock.times = [10.0, 10.5, 13.0]
        with pytest.raises(BulkheadTimeoutError) as caught:
            way(bulkhead)
    assert (caught.value.waited, caught.value.queued, caught.value.limit) == (3.0, 0, 1)
    assert bulkhead.stats().rejected.queue_timeout == 1
    probe_full(bulkhead, 1)


def test_and_by_what_the_call_says() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=100.0)
    clock = Clock(bulkhead, 1.0)
    with bulkhead:
        clock.times = [1.0, 3.0]
        with pytest.raises(BulkheadTimeoutError):
            bulkhead.run_sync(int, timeout=2.0)
        clock.times = [4.0, 5.0]
        with pytest.raises(BulkheadTimeoutError):
            bulkhead.acquire_sync(deadline=5.0)
        with pytest.raises(BulkheadTimeoutError, match="the deadline had passed"):
            bulkhead.run_sync(int, deadline=5.0)
        with pytest.raises(BulkheadFullError, match="not willing"):
            bulkhead.acquire_sync(timeout=0)
        with pytest.raises(BulkheadWeightError):
            bulkhead.run_sync(int, weight=2)
        with pytest.raises(ValueError, match="weight must be"):
            bulkhead.run_sync(int, weight=0)
        with pytest.raises(TypeError, match=r"math\.inf"):
            bulkhead.acquire_sync(timeout=None)  # type: ignore[arg-type]
    probe_full(bulkhead, 1)


def test_there_is_no_call_time_out_for_what_nothing_can_cancel() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=1.0)
    clock = Clock(bulkhead, 0.0)

    def work() -> int:
        clock.times = [5.0]
        assert bulkhead.try_acquire() is None
        return 7

    assert bulkhead.run_sync(work, deadline=2.0) == 7
    with bulkhead:
        clock.times = [50.0]
    assert (bulkhead.stats().completed, bulkhead.stats().call_timeouts) == (2, 0)


def test_a_thread_that_looks_at_the_clock_does_what_is_due_for_the_others() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=SOON)
    order: list[str] = []

    async def late() -> None:
        with pytest.raises(BulkheadTimeoutError):
            await bulkhead.run(int, deadline=asyncio.get_running_loop().time() + 3600, timeout=SOON - 1)
        order.append("late")

    with bulkhead:
        loops = in_thread(asyncio.run, late())
        until(queued(bulkhead, 1))
        Clock(bulkhead, 9e8)
        with pytest.raises(BulkheadTimeoutError):
            bulkhead.run_sync(int, deadline=9e8)
        loops.result()
    assert order == ["late"]
    probe_full(bulkhead, 1)


def test_a_newcomer_is_not_turned_away_as_full_by_a_thread_whose_time_is_over() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=100.0)
    clock = Clock(bulkhead, 0.0)
    with bulkhead:
        late = in_thread(lambda: bulkhead.run_sync(int, timeout=1.0))
        until(queued(bulkhead, 1))
        clock.times = [5.0, 5.0, 200.0]
        with pytest.raises(BulkheadTimeoutError) as caught:
            bulkhead.run_sync(int)
        assert caught.value.waited == 195.0
        with pytest.raises(BulkheadTimeoutError) as caught:
            late.result()
        assert caught.value.waited == 5.0
    probe_full(bulkhead, 1)


async def test_nor_by_what_is_due_for_a_loop_that_is_blocked() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, call_timeout=2, abandon_after=1)
    call = spawn(bulkhead.run(asyncio.sleep, 60))
    await settle()
    # No timer has fired yet: its run deadline and its abandonment are both still to be done.
    loop().jump(3)
    assert in_thread(bulkhead.run_sync, int).result() == 0
    with pytest.raises(BulkheadCallTimeoutError):
        await call
    assert (bulkhead.stats().abandoned_runs, bulkhead.stats().rejected.full) == (1, 0)
    probe_full(bulkhead, 1)


async def test_nor_by_those_whose_wait_is_over_in_a_loop_that_is_blocked() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=2)
    permit = await bulkhead.acquire()
    late = spawn(bulkhead.run(int))
    await settle()
    loop().jump(3)
    waits = in_thread(bulkhead.run_sync, int)
    until(lambda: sum(dataclasses.astuple(bulkhead.stats().rejected)) == 1)
    permit.release()
    assert waits.result() == 0
    with pytest.raises(BulkheadTimeoutError):
        await late
    assert bulkhead.stats().rejected.full == 0
    probe_full(bulkhead, 1)


def test_blocked_threads_take_turns() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=0.001)
    with bulkhead:
        for _ in range(20):
            with pytest.raises(BulkheadTimeoutError):
                bulkhead.run_sync(int)
            with pytest.raises(BulkheadTimeoutError):
                bulkhead.run_sync(int, deadline=0.0)
            with pytest.raises(BulkheadWeightError):
                bulkhead.run_sync(int, weight=2)
    for _ in range(20):
        assert bulkhead.run_sync(int, timeout=1.0) == 0


def test_ending_and_resizing_reach_blocked_threads() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=9, timeout=SOON)
    with bulkhead, bulkhead:
        heavy = in_thread(lambda: bulkhead.run_sync(int, weight=2))
        until(queued(bulkhead, 1))
        light = in_thread(call, bulkhead)
        until(queued(bulkhead, 2))
        bulkhead.resize(1)
        with pytest.raises(BulkheadWeightError):
            heavy.result()
        bulkhead.resize(3)
        light.result()
        bulkhead.resize(2)
        last = in_thread(call, bulkhead)
        until(queued(bulkhead, 1))
        bulkhead.close()
        with pytest.raises(BulkheadClosedError):
            last.result()
    with pytest.raises(BulkheadClosedError), bulkhead:
        pass
    assert (bulkhead.stats().rejected.closed, bulkhead.stats().active) == (2, 0)
    check_books(bulkhead)


def test_close_with_abort_leaves_threads_alone() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    assert bulkhead.run_sync(lambda: bulkhead.close(abort=True) and 7) == 7
    assert (bulkhead.stats().completed, bulkhead.stats().failed) == (1, 0)


def test_each_thread_leaves_by_its_own_entry() -> None:
    bulkhead = Bulkhead("b", max_concurrent=4)
    bulkhead.__enter__()
    in_thread(bulkhead.__enter__).result()
    assert bulkhead.stats().active == 2
    bulkhead.__exit__(None, None, None)
    # The other thread has gone, and what it holds is left to the thread that ends it in its place:
    # a pool may do that.
    assert bulkhead.stats().active == 1
    in_thread(bulkhead.__exit__, None, None, None).result()
    assert (bulkhead.stats().active, bulkhead.stats().completed) == (0, 2)
    with pytest.raises(RuntimeError, match="b: no thread is inside"):
        bulkhead.__exit__(None, None, None)
    check_books(bulkhead)


async def test_a_thread_cannot_leave_what_a_task_entered() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    async with bulkhead:
        with pytest.raises(RuntimeError, match="no thread is inside"):
            bulkhead.__exit__(None, None, None)
        await asyncio.to_thread(bulkhead.__enter__)
    assert bulkhead.stats().active == 1
    with pytest.raises(RuntimeError, match="not entered in this loop"):
        await bulkhead.__aexit__(None, None, None)
    bulkhead.__exit__(None, None, None)
    probe_full(bulkhead, 2)


def inside(bulkhead: Bulkhead) -> Iterator[None]:
    with bulkhead:
        yield


def test_a_permit_belongs_to_the_block_not_to_the_thread() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    generator = inside(bulkhead)
    in_thread(next, generator).result()
    gc.collect()
    assert bulkhead.stats().active == 1
    with pytest.raises(BulkheadFullError):
        bulkhead.run_sync(int)
    assert next(generator, "ended") == "ended"
    assert bulkhead.stats().completed == 1

    generator = inside(bulkhead)
    in_thread(next, generator).result()
    del generator
    gc.collect()
    assert (bulkhead.stats().failed, bulkhead.stats().active) == (1, 0)
    probe_full(bulkhead, 1)


def test_a_generator_that_is_collected_in_a_loop_gives_back() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    generators = [inside(bulkhead)]
    next(generators[0])

    async def main() -> None:
        generators.clear()
        await bulkhead.run(int)

    asyncio.run(main())
    probe_full(bulkhead, 1)


def test_it_runs_in_its_callers_context_and_on_exit_stacks() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(7)
    assert bulkhead.run_sync(variable.get) == 7
    with contextlib.ExitStack() as stack:
        stack.enter_context(bulkhead)
        stack.enter_context(bulkhead.acquire_sync())
        assert bulkhead.stats().active == 2
    probe_full(bulkhead, 2)


def test_a_refusal_keeps_nothing_alive() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=0.001)

    class Large:
        pass

    def refused(**bounds: Any) -> weakref.ref[Large]:
        large = Large()
        with contextlib.suppress(BulkheadFullError, BulkheadTimeoutError):
            bulkhead.run_sync(lambda held: held, large, **bounds)
        return weakref.ref(large)

    gc.disable()
    try:
        with bulkhead:
            assert refused()() is None
            assert refused(timeout=0)() is None
    finally:
        gc.enable()
    probe_full(bulkhead, 1)


def test_two_hundred_blocked_threads_are_served_in_order_and_leave_nothing() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=200, timeout=SOON)
    order: list[int] = []
    with bulkhead:
        threads = []
        for number in range(200):
            threads.append(in_thread(bulkhead.run_sync, order.append, number))
            until(queued(bulkhead, number + 1))
    for thread in threads:
        thread.result()
    assert order == list(range(200))
    probe_full(bulkhead, 1)
