"""One bulkhead, many event loops: one after the other, in several threads at once, and loops that
died; on both kinds of loop."""

from __future__ import annotations

import asyncio
import gc
import math
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadFullError, BulkheadTimeoutError, Permit
from bulkheads._engine import look_for_closed_loops_after
from helpers import SOON, check_books, in_thread, probe_full, until


@pytest.fixture(autouse=True, params=["asyncio", "uvloop"])
def kind_of_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever makes a loop makes one of this kind."""
    if request.param == "uvloop":
        asyncio.set_event_loop_policy(pytest.importorskip("uvloop").EventLoopPolicy())
    yield
    asyncio.set_event_loop_policy(None)


def run_in_thread(main: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    return thread


def test_three_loops_in_a_row_each_with_contention() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=5, timeout=0.01)

    async def main() -> None:
        order: list[int] = []
        await asyncio.gather(*(bulkhead.run(order.append, number) for number in range(5)))
        assert order == list(range(5))
        async with bulkhead:
            with pytest.raises(BulkheadTimeoutError):
                await bulkhead.run(int)

    for _ in range(3):
        asyncio.run(main())
        gc.collect()
    probe_full(bulkhead, 1)


def test_a_loop_that_ends_in_the_middle_leaves_nothing_behind() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=9, timeout=600, call_timeout=600)
    complaints: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        tasks = [asyncio.create_task(bulkhead.run(asyncio.sleep, 60)) for _ in range(6)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (bulkhead.stats().active, bulkhead.stats().queued) == (2, 4)
        del tasks

    for _ in range(50):
        asyncio.run(main())
    assert not complaints
    probe_full(bulkhead, 2)


def test_what_a_loop_that_was_closed_without_care_still_held_goes_to_the_living() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9)
    loop = asyncio.new_event_loop()
    held = loop.run_until_complete(asyncio.wait_for(bulkhead.acquire(), 1))
    waiting = bulkhead.run(int)

    async def first_step() -> None:
        waiting.send(None)

    loop.run_until_complete(first_step())
    loop.close()
    assert bulkhead.stats().queued == 1
    assert asyncio.run(bulkhead.run(int)) == 0
    stats = bulkhead.stats()
    assert (stats.abandoned_runs, stats.rejected.cancelled, stats.active) == (1, 1, 0)
    waiting.close()
    held.release()
    check_books(bulkhead)


def test_two_live_loops_share_one_queue_and_each_is_woken() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=100, timeout=SOON)
    order: list[str] = []
    entered, arrived, leave = threading.Event(), threading.Event(), threading.Event()

    async def holder() -> None:
        async with bulkhead:
            entered.set()
            await asyncio.to_thread(leave.wait, SOON)
        await bulkhead.run(order.append, "third")

    async def waiters() -> None:
        first = asyncio.create_task(bulkhead.run(order.append, "first"))
        second = asyncio.create_task(bulkhead.run(order.append, "second"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        arrived.set()
        await asyncio.gather(first, second)

    one = run_in_thread(holder)
    assert entered.wait(SOON)
    other = run_in_thread(waiters)
    assert arrived.wait(SOON)
    leave.set()
    one.join(SOON)
    other.join(SOON)
    assert order == ["first", "second", "third"]
    probe_full(bulkhead, 1)


def test_a_release_outside_any_loop_wakes_the_loop_that_waits() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=SOON)
    permit = bulkhead.try_acquire()
    assert permit is not None

    async def main() -> float:
        asyncio.get_running_loop().run_in_executor(None, permit.release)
        started = time.monotonic()
        await bulkhead.run(int)
        return time.monotonic() - started

    assert asyncio.run(main()) < SOON / 2
    probe_full(bulkhead, 1)


def test_ending_from_another_thread_reaches_waiters_and_whoever_awaits_the_end() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=SOON)

    async def main() -> None:
        permit = await bulkhead.acquire()
        waiter = asyncio.create_task(bulkhead.run(int))
        await asyncio.sleep(0)
        await asyncio.to_thread(bulkhead.close)
        await asyncio.gather(waiter, return_exceptions=True)
        permit.release()
        await asyncio.wait_for(bulkhead.drain(), SOON)

    asyncio.run(main())
    assert bulkhead.stats().rejected.closed == 1


def test_threads_and_loops_hammer_every_method_and_the_limit_holds() -> None:
    bulkhead = Bulkhead("b", max_concurrent=4, max_queue=1000, timeout=SOON, call_timeout=SOON)
    inside, peak, lock = 0, 0, threading.Lock()
    failures: list[BaseException] = []

    def enter(step: int) -> None:
        nonlocal inside, peak
        with lock:
            inside += step
            peak = max(peak, inside)

    async def work() -> None:
        enter(1)
        await asyncio.sleep(0)
        enter(-1)

    async def caller(number: int) -> None:
        for _ in range(20):
            if number % 3 == 0:
                await bulkhead.run(work)
            elif number % 3 == 1:
                async with bulkhead:
                    await work()
            else:
                async with bulkhead.acquire(timeout=SOON):
                    await work()
            repr(bulkhead)

    async def main() -> None:
        await asyncio.gather(*map(caller, range(10)))

    def blocking() -> None:
        try:
            for _ in range(2000):
                permit = bulkhead.try_acquire()
                if permit is not None:
                    enter(1)
                    enter(-1)
                    permit.release()
                bulkhead.stats()
        except BaseException as error:
            failures.append(error)

    def looping() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=looping) for _ in range(3)] + [threading.Thread(target=blocking) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    assert not any(thread.is_alive() for thread in threads)
    assert peak <= 4
    probe_full(bulkhead, 4)


def test_a_loop_that_dies_beside_a_living_one_holds_nobody_up() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)

    async def take() -> Permit:
        return await bulkhead.acquire()

    async def main() -> None:
        assert await bulkhead.run(int) == 0
        other = asyncio.new_event_loop()
        held = await asyncio.to_thread(other.run_until_complete, take())
        with pytest.raises(BulkheadFullError):
            await bulkhead.run(int)
        other.close()
        assert await bulkhead.run(int) == 0
        held.release()

    asyncio.run(main())
    assert (bulkhead.stats().abandoned_runs, bulkhead.stats().double_releases) == (1, 0)
    probe_full(bulkhead, 1)


@pytest.fixture
def looks_often() -> Iterator[None]:
    """asyncio does not notify of a loop that is closed: a call that waits looks from time to
    time."""
    before = look_for_closed_loops_after(1_000_000)
    yield
    look_for_closed_loops_after(before)


def loop_that_holds(bulkhead: Bulkhead) -> tuple[asyncio.AbstractEventLoop, Permit]:
    async def take() -> Permit:
        return await bulkhead.acquire()

    event_loop = asyncio.new_event_loop()
    return event_loop, event_loop.run_until_complete(take())


@pytest.mark.usefixtures("looks_often")
def test_who_waits_already_gets_what_a_loop_held_that_is_closed() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=math.inf)
    order: list[str] = []
    event_loop, held = loop_that_holds(bulkhead)
    in_loop = in_thread(asyncio.run, bulkhead.run(order.append, "loop"))
    until(lambda: bulkhead.stats().queued == 1)
    blocked = in_thread(bulkhead.run_sync, order.append, "thread")
    until(lambda: bulkhead.stats().queued == 2)
    event_loop.close()
    in_loop.result()
    blocked.result()
    assert order == ["loop", "thread"]
    assert (bulkhead.stats().abandoned_runs, bulkhead.stats().completed) == (1, 2)
    held.release()
    probe_full(bulkhead, 1)


@pytest.mark.parametrize(
    "call",
    [lambda bulkhead: asyncio.run(bulkhead.run(int)), lambda bulkhead: bulkhead.run_sync(int)],
    ids=["a loop", "a blocked thread"],
)
@pytest.mark.usefixtures("looks_often")
def test_one_that_waits_alone_hears_of_it_too(call: Callable[[Bulkhead], int]) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=math.inf)
    event_loop, held = loop_that_holds(bulkhead)
    waiter = in_thread(call, bulkhead)
    until(lambda: bulkhead.stats().queued == 1)
    event_loop.close()
    waiter.result()
    held.release()
    probe_full(bulkhead, 1)


def test_a_loop_that_is_stopped_but_not_closed_keeps_its_grants() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=SOON)
    event_loop = asyncio.new_event_loop()
    order: list[str] = []

    async def begin() -> asyncio.Task[None]:
        waiter = asyncio.create_task(bulkhead.run(order.append, "stopped"))
        await asyncio.sleep(0)
        assert bulkhead.stats().queued == 1
        return waiter

    with bulkhead:
        waiter = event_loop.run_until_complete(begin())
        blocked = in_thread(bulkhead.run_sync, order.append, "thread")
        until(lambda: bulkhead.stats().queued == 2)
    # Granted, and nobody there to run: the limit is used.
    assert (bulkhead.stats().active, bulkhead.stats().queued) == (1, 1)
    with pytest.raises(BulkheadTimeoutError):
        bulkhead.run_sync(int, timeout=0.001)
    event_loop.run_until_complete(waiter)
    blocked.result()
    event_loop.close()
    assert order == ["stopped", "thread"]
    probe_full(bulkhead, 1)


def test_a_task_that_is_destroyed_unresumed_holds_nobody_up() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=SOON)
    event_loop = asyncio.new_event_loop()
    event_loop.set_exception_handler(lambda *_: None)
    tasks: set[Any] = set()

    async def begin() -> None:
        tasks.add(asyncio.create_task(bulkhead.run(int)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    with bulkhead:
        event_loop.run_until_complete(begin())
        blocked = in_thread(bulkhead.run_sync, int)
        until(lambda: bulkhead.stats().queued == 2)
    assert bulkhead.stats().active == 1
    # Its grant lies in the loop's queue of callbacks, which goes with the loop.
    event_loop.close()
    del event_loop
    tasks.clear()
    gc.collect()
    in_thread(bulkhead.run_sync, int).result()
    blocked.result()
    probe_full(bulkhead, 1)


def test_a_waiter_of_a_closed_loop_leaves_and_its_grant_is_given_back() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=SOON)
    loops = [asyncio.new_event_loop() for _ in range(2)]
    waiting: list[Any] = []

    async def begin() -> None:
        call = bulkhead.run(int)
        call.send(None)
        waiting.append(call)

    with bulkhead:
        for event_loop in loops:
            event_loop.run_until_complete(begin())
    assert (bulkhead.stats().active, bulkhead.stats().queued) == (1, 1)
    loops[1].close()
    with pytest.raises(BulkheadTimeoutError):
        bulkhead.run_sync(int, timeout=0.001)
    assert (bulkhead.stats().active, bulkhead.stats().queued) == (1, 0)
    loops[0].close()
    assert bulkhead.run_sync(int) == 0
    stats = bulkhead.stats()
    assert (stats.rejected.cancelled, stats.abandoned_runs, stats.completed) == (1, 1, 2)
    for call in waiting:
        call.close()
    probe_full(bulkhead, 1)


@pytest.mark.parametrize("enter", [lambda bulkhead: bulkhead, lambda bulkhead: bulkhead.acquire()], ids=["bare", "acquire"])
def test_a_body_that_is_closed_while_its_loop_does_not_run_gives_its_permit_back(enter: Callable[[Bulkhead], Any]) -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    event_loop, bodies = asyncio.new_event_loop(), list[Any]()

    async def inside() -> None:
        async with enter(bulkhead):
            await asyncio.get_running_loop().create_future()

    async def begin() -> None:
        bodies.append(inside())
        bodies[-1].send(None)

    async def hold() -> None:
        async with bulkhead:
            await asyncio.sleep(60)

    event_loop.run_until_complete(begin())
    holder = event_loop.create_task(hold())
    event_loop.run_until_complete(asyncio.sleep(0))
    assert bulkhead.stats().active == 2
    bodies.pop().close()
    assert (bulkhead.stats().active, bulkhead.stats().failed) == (1, 1)
    holder.cancel()
    event_loop.run_until_complete(asyncio.gather(holder, return_exceptions=True))
    event_loop.close()
    probe_full(bulkhead, 2)


def test_a_bulkhead_that_is_collected_with_those_inside_is_quiet() -> None:
    async def inside(bulkhead: Bulkhead) -> None:
        async with bulkhead:
            await asyncio.get_running_loop().create_future()

    def enter(bulkhead: Bulkhead) -> Iterator[None]:
        with bulkhead:
            yield

    def begin() -> weakref.ref[Bulkhead]:
        bulkhead = Bulkhead("b", max_concurrent=2)
        event_loop = asyncio.new_event_loop()
        event_loop.set_exception_handler(lambda *_: None)
        tasks: list[Any] = [event_loop.create_task(inside(bulkhead))]
        event_loop.run_until_complete(asyncio.sleep(0))
        generator = enter(bulkhead)
        next(generator)
        tasks += [tasks, generator, bulkhead]
        assert bulkhead.stats().active == 2
        event_loop.close()
        return weakref.ref(bulkhead)

    bulkhead = begin()
    gc.collect()
    assert bulkhead() is None
