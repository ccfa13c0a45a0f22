"""Cancellation is asyncio's own: a task that is cancelled gets the CancelledError, and nothing it
had is lost."""

from __future__ import annotations

import asyncio
import random

import pytest

from bulkheads import Bulkhead
from helpers import Work, check_books, loop, probe_full, settle, spawn


async def test_a_waiter_woken_and_cancelled_in_one_turn_never_runs_and_the_permit_passes_on() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=2), Work()
    permit = bulkhead.try_acquire()
    assert permit is not None
    first, second = spawn(bulkhead.run(work, 1)), spawn(bulkhead.run(work, 2))
    await settle()
    permit.release()
    first.cancel()
    await settle()
    assert first.cancelled()
    assert work.order == [2]
    stats = bulkhead.stats()
    assert (stats.unclaimed, stats.rejected.cancelled, stats.admitted) == (1, 0, 3)
    work.end(2)
    await second
    probe_full(bulkhead, 1)


async def test_the_same_by_hand_and_by_async_with() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=3)

    async def hold() -> None:
        async with bulkhead:
            raise AssertionError("never runs")

    for start in (bulkhead.acquire, hold, bulkhead.acquire().__aenter__):
        permit = bulkhead.try_acquire()
        assert permit is not None
        waiter = spawn(start())
        await settle()
        permit.release()
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        probe_full(bulkhead, 1)
    assert bulkhead.stats().unclaimed == 3


async def test_cancelling_a_waiter_that_was_not_granted_starts_nobody() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, max_queue=3), Work()
    first = spawn(bulkhead.run(work, 0))
    await settle()
    waiters = [spawn(bulkhead.run(work, number)) for number in (1, 2, 3)]
    await settle()
    waiters[0].cancel()
    await settle()
    assert work.order == [0]
    waiters[1].cancel()
    work.end(0)
    await settle()
    assert work.order == [0, 3]
    assert work.peak == 1
    work.end(3)
    await asyncio.gather(first, *waiters, return_exceptions=True)
    probe_full(bulkhead, 1)


async def test_a_holder_that_cancels_its_successor_as_it_leaves() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1)

    async def holder() -> None:
        async with bulkhead:
            await asyncio.sleep(1)
        successor.cancel()

    holding = spawn(holder())
    await settle()
    successor = spawn(bulkhead.run(int))
    await asyncio.wait([holding, successor])
    assert successor.cancelled()
    probe_full(bulkhead, 1)


async def test_k_releases_meet_m_cancellations() -> None:
    generator = random.Random(7)
    bulkhead = Bulkhead("b", max_concurrent=4, max_queue=8)
    for _ in range(300):
        work = Work()
        permits = [bulkhead.try_acquire() for _ in range(4)]
        waiters = [spawn(bulkhead.run(work, number)) for number in range(8)]
        await settle()
        releases = generator.sample(permits, generator.randint(0, 4))
        victims = generator.sample(range(8), generator.randint(0, 8))
        actions = [("release", permit) for permit in releases] + [("cancel", number) for number in victims]
        generator.shuffle(actions)
        for verb, subject in actions:
            if verb == "release":
                subject.release()  # type: ignore[union-attr]
            else:
                waiters[subject].cancel()  # type: ignore[index]
        await settle()
        live = [number for number in range(8) if number not in victims]
        assert work.order == live[: len(releases)]
        for permit in set(permits) - set(releases):
            assert permit is not None
            permit.release()
        await settle()
        for name in live:
            if name not in work.gates:
                await settle()
            work.end(name)
        await asyncio.gather(*waiters, return_exceptions=True)
        probe_full(bulkhead, 4)


async def test_cancelling_the_running_call_cancels_the_work_and_gives_back_once() -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=1, call_timeout=5), Work()
    call = spawn(bulkhead.run(work))
    await settle()
    call.cancel("why")
    with pytest.raises(asyncio.CancelledError, match="why"):
        await call
    assert bulkhead.stats().failed == 1
    assert bulkhead.stats().rejected.cancelled == 0
    probe_full(bulkhead, 1)


@pytest.mark.parametrize("way", ["run", "async with", "acquire"])
async def test_cancelled_again_and_again_during_its_clean_up(way: str) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    rounds = 0

    async def clean_up() -> None:
        nonlocal rounds
        for _ in range(5):
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                rounds += 1

    async def work() -> None:
        try:
            await asyncio.sleep(9)
        finally:
            await clean_up()

    async def caller() -> None:
        if way == "run":
            await bulkhead.run(work)
        elif way == "acquire":
            async with bulkhead.acquire():
                await work()
        else:
            async with bulkhead:
                await work()

    call = spawn(caller())
    await settle()
    for _ in range(6):
        call.cancel()
        await settle()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert rounds == 5
    assert bulkhead.stats().failed == 1
    probe_full(bulkhead, 1)


async def test_a_thousand_cancelled_waiters_leave_no_trace_and_no_extra_capacity() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1000, timeout=60)
    async with bulkhead:
        waiters = [spawn(bulkhead.run(int)) for _ in range(1000)]
        await settle()
        assert bulkhead.stats().queued == 1000
        for waiter in waiters:
            waiter.cancel()
        await settle()
        assert bulkhead.stats().queued == 0
        assert loop().next_timer() is None
    assert bulkhead.stats().rejected.cancelled == 1000
    probe_full(bulkhead, 1)


async def test_wait_for_around_acquire_loses_no_permit() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=5, timeout=60)
    permit = bulkhead.try_acquire()
    assert permit is not None
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(bulkhead.acquire(), 1)
    assert bulkhead.stats().queued == 0
    async with asyncio.timeout(2):
        loop().call_later(1, permit.release)
        (await asyncio.wait_for(bulkhead.acquire(), 1.5)).release()
    probe_full(bulkhead, 1)


async def test_a_cancellation_after_a_rejection_in_the_same_turn_is_still_delivered() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=5)
    async with bulkhead:
        waiter = spawn(bulkhead.run(int))
        await settle()
        bulkhead.close()
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        stats = bulkhead.stats()
        assert (stats.rejected.closed, stats.rejected.cancelled) == (1, 0)
    check_books(bulkhead)


async def test_a_waiting_coroutine_that_is_closed_leaves_the_queue() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=5)
    for start in (lambda: bulkhead.run(int), bulkhead.acquire):
        async with bulkhead:
            coroutine = start()
            coroutine.send(None)
            assert bulkhead.stats().queued == 1
            coroutine.close()
            assert bulkhead.stats().queued == 0
    probe_full(bulkhead, 1)


async def test_the_count_of_cancellations_stays_right() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=1)
    task = asyncio.current_task()
    assert task is not None
    async with bulkhead:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await bulkhead.run(int)
        assert task.cancelling() == 0
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await bulkhead.run(asyncio.sleep, 3)
    assert task.cancelling() == 0
    probe_full(bulkhead, 1)
