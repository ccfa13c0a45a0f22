"""Cancellation, grant and time-out of one waiter in one turn, in every order; and a loop that is
blocked for longer than every bound."""

from __future__ import annotations

import asyncio
from itertools import permutations

import pytest

from bulkheads import Bulkhead, BulkheadCallTimeoutError, BulkheadFullError, BulkheadTimeoutError
from helpers import Work, check_books, loop, probe_full, settle, spawn

ORDERS = list(permutations(["cancel", "grant", "time out"]))


@pytest.mark.parametrize("order", ORDERS, ids=", ".join)
@pytest.mark.parametrize("way", ["run", "acquire"])
@pytest.mark.parametrize("grant", ["a release", "a growing limit", "a head that leaves"])
async def test_of_one_turn(order: tuple[str, ...], way: str, grant: str) -> None:
    """A task that was cancelled ends cancelled, whatever outcome was on its way; its permit passes
    on, and it is counted once."""
    has_head = grant == "a head that leaves"
    bulkhead = Bulkhead("b", max_concurrent=2 if has_head else 1, max_queue=3, timeout=600)
    hold = bulkhead.try_acquire()
    assert hold is not None
    head = spawn(bulkhead.run(int, weight=2)) if has_head else None
    await settle()
    ran: list[str] = []

    async def waiter() -> None:
        if way == "run":
            await bulkhead.run(ran.append, "ran", timeout=10)
        else:
            (await bulkhead.acquire(timeout=10)).release()

    waiting = spawn(waiter())
    following = spawn(bulkhead.run(ran.append, "next"))
    await settle()
    for act in order:
        if act == "cancel":
            waiting.cancel()
        elif act == "time out":
            loop().jump(10)
        elif grant == "a release":
            hold.release()
        elif grant == "a growing limit":
            bulkhead.resize(2)
        elif head is not None:
            head.cancel()
    await asyncio.wait([waiting, following])
    assert waiting.cancelled()
    assert ran == ["next"]
    stats = bulkhead.stats()
    if order[0] == "grant" and not has_head:
        # A head's task has to take its own cancellation before anybody is granted.
        assert (stats.unclaimed, stats.rejected.queue_timeout) == (1, 0)
    assert stats.unclaimed + stats.rejected.queue_timeout + stats.rejected.cancelled == (2 if has_head else 1)
    if grant != "a release":
        hold.release()
    probe_full(bulkhead, 1 if grant == "a release" else 2)


@pytest.mark.parametrize("first", ["the timers", "a release", "a result", "a new call"])
async def test_a_loop_that_was_blocked_for_longer_than_every_bound_answers_each_call_once(first: str) -> None:
    bulkhead, work = Bulkhead("b", max_concurrent=2, max_queue=9, timeout=50, call_timeout=80), Work()
    hold = bulkhead.try_acquire()
    assert hold is not None
    order: list[str] = []

    async def told(name: str, timeout: float) -> None:
        try:
            await bulkhead.run(work, name, timeout=timeout)
            order.append(f"{name} ran")
        except BulkheadFullError:
            order.append(f"{name} was turned away")
        except BulkheadTimeoutError:
            order.append(f"{name} waited too long")
        except BulkheadCallTimeoutError:
            order.append(f"{name} ran too long")

    calls = [spawn(told(name, timeout)) for name, timeout in (("a", 50), ("b", 50), ("c", 20))]
    await settle()
    loop().jump(10_000)
    if first == "a release":
        hold.release()
    elif first == "a result":
        work.end("a")
    elif first == "a new call":
        calls.append(spawn(told("d", 0)))
    await asyncio.wait(calls)
    wanted = ["a ran" if first == "a result" else "a ran too long", "b waited too long", "c waited too long"]
    assert sorted(order) == wanted + ["d was turned away"] * (first == "a new call")
    hold.release()
    check_books(bulkhead)
    assert bulkhead.stats().rejected.queue_timeout == 2
    probe_full(bulkhead, 2)


async def test_calls_that_arrive_after_a_block_are_timed_from_then_on() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=50)
    async with bulkhead:
        loop().jump(10_000)
        with pytest.raises(BulkheadTimeoutError) as caught:
            await bulkhead.run(int)
        assert caught.value.waited == 50
        assert loop().time() == 10_050
    probe_full(bulkhead, 1)
