"""`close`, `drain`, `idle`, `resize`: they act at the call, and what they return may be ignored."""

from __future__ import annotations

import asyncio
import gc
import math

import pytest

from bulkheads import Bulkhead, BulkheadClosedError, BulkheadFullError, BulkheadWeightError
from helpers import Work, check_books, loop, probe_full, settle, spawn


async def test_close_rejects_every_waiter_in_order_and_lets_the_running_finish() -> None:
    bulkhead, work, order = Bulkhead("b", max_concurrent=1, max_queue=3), Work(), []
    running = spawn(bulkhead.run(work))
    await settle()

    async def waiter(number: int) -> None:
        try:
            await bulkhead.run(work, number)
        except BulkheadClosedError:
            order.append(number)

    waiters = [spawn(waiter(number)) for number in range(3)]
    await settle()
    ending = bulkhead.close()
    assert bulkhead.close() is ending
    assert bulkhead.drain() is ending
    await settle()
    assert order == [0, 1, 2]
    for call in (bulkhead.run(int), bulkhead.acquire()):
        with pytest.raises(BulkheadClosedError):
            await call
    assert bulkhead.stats().state == "closed"
    waiting = spawn(asyncio.wait_for(ending, 100))
    await settle()
    assert not waiting.done()
    work.end(result="result")
    await waiting
    assert await running == "result"
    await ending
    await bulkhead.close()
    await asyncio.gather(*waiters)
    check_books(bulkhead)


async def test_drain_serves_the_waiters_first() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=3), Work()
    calls = [spawn(bulkhead.run(work, number)) for number in range(2)]
    await settle()
    ending = bulkhead.drain()
    assert bulkhead.stats().state == "draining"
    with pytest.raises(BulkheadClosedError):
        await bulkhead.run(int)
    work.end(0)
    await settle()
    assert work.order == [0, 1]
    work.end(1)
    await ending
    await asyncio.gather(*calls)
    assert bulkhead.close() is ending
    assert bulkhead.stats().state == "closed"


async def test_a_drain_that_has_served_its_waiters_is_closed() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=3), Work()
    call = spawn(bulkhead.run(work))
    await settle()
    ending = bulkhead.drain()
    work.end()
    await ending
    await call
    assert bulkhead.stats().state == "closed"


async def test_drain_with_a_timeout_ends_by_closing() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=3, timeout=math.inf), Work()
    running = spawn(bulkhead.run(work))
    waiting = spawn(bulkhead.run(int))
    await settle()
    ending = bulkhead.drain(timeout=5)
    await asyncio.sleep(4.9)
    assert (bulkhead.stats().state, waiting.done()) == ("draining", False)
    await asyncio.sleep(0.2)
    with pytest.raises(BulkheadClosedError):
        await waiting
    assert bulkhead.stats().state == "closed"
    work.end()
    await asyncio.gather(ending, running)
    check_books(bulkhead)


async def test_what_they_return_may_be_ignored_awaited_by_many_and_cancelled() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1), Work()
    call = spawn(bulkhead.run(work))
    await settle()
    bulkhead.idle()
    idle = bulkhead.idle()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(idle, 1)
    many = asyncio.gather(idle, bulkhead.idle(), bulkhead.close())
    await settle()
    assert not many.done()
    work.end()
    await many
    await call
    gc.collect()


async def test_idle_settles_at_the_first_such_moment_and_ends_nothing() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=2), Work()
    await bulkhead.idle()
    calls = [spawn(bulkhead.run(work, number)) for number in range(2)]
    await settle()
    idle = bulkhead.idle()
    waiting = spawn(asyncio.wait_for(idle, 100))
    work.end(0)
    await settle()
    assert not waiting.done()
    work.end(1)
    await waiting
    await asyncio.gather(*calls)
    again = spawn(bulkhead.run(work, 2))
    await settle()
    await idle
    assert not again.done()
    work.end(2)
    await again
    probe_full(bulkhead, 1)


async def test_idle_counts_permits_by_hand_and_is_told_when_all_waiters_were_cancelled() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=2)
    permit = await bulkhead.acquire()
    waiter = spawn(bulkhead.run(int))
    await settle()
    waiting = spawn(asyncio.wait_for(bulkhead.idle(), 100))
    await settle()
    waiter.cancel()
    await settle()
    assert not waiting.done()
    permit.release()
    await waiting


def test_without_a_loop_they_act_at_once_and_are_awaited_later() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    permit = bulkhead.try_acquire()
    assert permit is not None
    ending, idle = bulkhead.close(), bulkhead.idle()
    assert bulkhead.stats().state == "closed"
    assert bulkhead.try_acquire() is None

    async def main() -> None:
        asyncio.get_running_loop().call_soon(permit.release)
        await ending
        await idle
        await bulkhead.drain()

    asyncio.run(main())


async def test_a_permit_that_comes_back_after_close_is_quiet() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    permit = await bulkhead.acquire()
    bulkhead.close()
    permit.release()
    assert (bulkhead.stats().active, bulkhead.stats().completed) == (0, 1)


async def test_closed_is_final_whatever_is_resized() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    bulkhead.close()
    for limit in (0, 5, 1):
        bulkhead.resize(limit)
        assert bulkhead.stats().limit == limit
        with pytest.raises(BulkheadClosedError):
            await bulkhead.run(int)


async def test_growing_admits_and_shrinking_drains() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=10, timeout=600), Work()
    calls = [spawn(bulkhead.run(work, number)) for number in range(6)]
    await settle()
    bulkhead.resize(3)
    assert bulkhead.try_acquire() is None
    await settle()
    assert work.order == [0, 1, 2]
    bulkhead.resize(1)
    work.end(0)
    work.end(1)
    await settle()
    assert work.order == [0, 1, 2]
    work.end(2)
    await settle()
    assert work.order == [0, 1, 2, 3]
    bulkhead.resize(9)
    await settle()
    for number in (3, 4, 5):
        work.end(number)
    await asyncio.gather(*calls)
    probe_full(bulkhead, 9)


async def test_zero_pauses_and_what_is_too_heavy_ends() -> None:
    bulkhead = Bulkhead("b", max_concurrent=4, max_queue=2, timeout=600)
    bulkhead.resize(0)
    heavy, light = spawn(bulkhead.run(int, weight=4)), spawn(bulkhead.run(int))
    await settle()
    with pytest.raises(BulkheadFullError, match="paused"):
        await bulkhead.run(int)
    assert repr(bulkhead) == "<Bulkhead b 0/0 active, 2/2 queued, paused>"
    bulkhead.resize(2)
    await light
    with pytest.raises(BulkheadWeightError) as caught:
        await heavy
    assert (caught.value.weight, caught.value.limit) == (4, 2)
    probe_full(bulkhead, 2)


def test_idle_outside_of_a_loop_remembers_its_moment() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    first = bulkhead.try_acquire()
    assert first is not None
    idle = bulkhead.idle()
    assert bulkhead.idle() is idle
    first.release()
    second = bulkhead.try_acquire()
    assert second is not None
    later = bulkhead.idle()
    assert later is not idle
    asyncio.run(asyncio.wait_for(idle, 1))

    async def main() -> None:
        waiting = spawn(asyncio.wait_for(later, 30))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not waiting.done()
        second.release()
        await waiting

    asyncio.run(main())
    probe_full(bulkhead, 1)


def test_idle_of_a_loop_that_is_gone_remembers_its_moment() -> None:
    bulkhead, made = Bulkhead("b", max_concurrent=1), []
    first = bulkhead.try_acquire()
    assert first is not None

    async def ask() -> None:
        made.append(bulkhead.idle())

    asyncio.run(ask())
    first.release()
    second = bulkhead.try_acquire()
    assert second is not None
    asyncio.run(asyncio.wait_for(made[0], 1))
    second.release()
    probe_full(bulkhead, 1)


def test_the_end_is_one_awaitable_in_every_loop_and_outside() -> None:
    bulkhead, ends = Bulkhead("b", max_concurrent=1), []
    permit = bulkhead.try_acquire()
    assert permit is not None

    async def end() -> None:
        ends.append(bulkhead.close())

    async def main() -> None:
        await end()
        waiting = [spawn(asyncio.wait_for(end, 30)) for end in ends]
        await asyncio.sleep(0)
        permit.release()
        await asyncio.gather(*waiting)

    ends.append(bulkhead.drain())
    asyncio.run(end())
    asyncio.run(main())
    ends.append(bulkhead.drain())
    assert all(other is ends[0] for other in ends)
    asyncio.run(asyncio.wait_for(ends[0], 1))


async def test_work_may_close_its_own_bulkhead() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1)

    async def work() -> str:
        bulkhead.close()
        await asyncio.sleep(1)
        return "done"

    first, second = spawn(bulkhead.run(work)), spawn(bulkhead.run(work))
    assert await first == "done"
    with pytest.raises(BulkheadClosedError):
        await second
    assert loop().next_timer() is None
