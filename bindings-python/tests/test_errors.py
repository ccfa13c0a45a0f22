"""Errors: stable codes, useful texts, and they survive pickling."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import pickle
import weakref
from collections.abc import Awaitable, Callable

import pytest

from bulkheads import (
    Bulkhead,
    BulkheadCallTimeoutError,
    BulkheadClosedError,
    BulkheadError,
    BulkheadFullError,
    BulkheadTimeoutError,
    BulkheadWeightError,
)
from helpers import settle, spawn


async def caught(call: Awaitable[object]) -> BulkheadError:
    with pytest.raises(BulkheadError) as raised:
        await call
    return raised.value


async def every_error() -> list[BulkheadError]:
    bulkhead = Bulkhead("orders", max_concurrent=2, max_queue=1, timeout=0.5, call_timeout=2)
    late = await caught(bulkhead.run(asyncio.sleep, 9))
    async with await bulkhead.acquire(weight=2):
        timed_out = spawn(bulkhead.run(int))
        await settle()
        full = await caught(bulkhead.run(int))
        waited = await caught(timed_out)
    heavy = await caught(bulkhead.run(int, weight=3))
    bulkhead.close()
    return [full, waited, await caught(bulkhead.run(int)), heavy, late]


async def test_codes_classes_and_what_they_carry() -> None:
    full, waited, closed, heavy, late = await every_error()
    assert isinstance(full, BulkheadFullError)
    assert (full.code, full.bulkhead, full.limit, full.active, full.queued, full.max_queue) == ("full", "orders", 2, 2, 1, 1)
    assert isinstance(waited, BulkheadTimeoutError)
    assert (waited.code, waited.limit, waited.active, waited.queued, waited.max_queue) == ("queue_timeout", 2, 2, 0, 1)
    assert waited.waited == pytest.approx(0.5)
    assert isinstance(closed, BulkheadClosedError)
    assert (closed.code, closed.bulkhead) == ("closed", "orders")
    assert isinstance(heavy, BulkheadWeightError)
    assert (heavy.code, heavy.weight, heavy.limit) == ("too_heavy", 3, 2)
    assert isinstance(late, BulkheadCallTimeoutError)
    assert (late.code, late.bulkhead) == ("call_timeout", "orders")
    assert late.ran == pytest.approx(2)


async def test_what_a_retry_and_a_breaker_must_know() -> None:
    errors = await every_error()
    assert [error.is_rejection for error in errors] == [True, True, True, True, False]
    assert [error.is_local_overload for error in errors] == [True, True, False, False, False]
    assert [isinstance(error, TimeoutError) for error in errors] == [False, False, False, False, True]


async def test_they_pickle_and_copy_with_notes_and_fields() -> None:
    nested = Bulkhead("nested", max_concurrent=1, detect_reentrancy=True)
    async with nested:
        reentrant = await caught(nested.run(int))
    for error in [*await every_error(), reentrant]:
        error.add_note("seen at the gateway")
        for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(twin) is type(error)
            assert (str(twin), twin.args, twin.__dict__) == (str(error), error.args, error.__dict__)
            assert twin.__notes__ == ["seen at the gateway"]


async def test_full_has_four_texts() -> None:
    texts = []
    for queue, timeout, limit in ((1, 9, 1), (0, 9, 1), (2, 0, 1), (0, 9, 0)):
        bulkhead = Bulkhead("orders", max_concurrent=1, max_queue=queue, timeout=9)
        permit = await bulkhead.acquire()
        bulkhead.resize(limit)
        waiter = spawn(bulkhead.run(int))
        await settle()
        texts.append(str(await caught(bulkhead.run(int, timeout=timeout))))
        permit.release()
        await asyncio.gather(waiter, return_exceptions=True)
    assert texts == [
        "orders: queue full (max_queue 1); shed load or raise it",
        "orders: no permit free (max_concurrent 1) and no queue configured (max_queue 0); shed load or raise one of them",
        "orders: no permit free (max_concurrent 1) and the call is not willing to wait (timeout 0)",
        "orders: paused (max_concurrent 0) and no place in the queue (max_queue 0); resize it to go on",
    ]


async def test_a_refusal_makes_no_cycle_that_holds_its_callers_frame() -> None:
    class Large:
        pass

    async def caller(refuse: Callable[[], Awaitable[object]]) -> weakref.ref[Large]:
        large = Large()
        try:
            await refuse()
        except BulkheadError:
            pass
        else:
            pytest.fail("not refused")
        return weakref.ref(large)

    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=0.01, call_timeout=0.01)
    closed = Bulkhead("closed", max_concurrent=1)
    closed.close()
    gc.collect()
    gc.disable()
    try:
        reference = await caller(lambda: bulkhead.run(asyncio.sleep, 1))
        # From 3.12 on asyncio itself holds the frame of a task that was cancelled until its next
        # turn.
        await asyncio.sleep(0)
        assert reference() is None
        async with await bulkhead.acquire():
            for refuse in (
                lambda: bulkhead.run(int, timeout=0),
                lambda: bulkhead.run(int),
                lambda: bulkhead.acquire(),
                lambda: bulkhead.run(int, weight=2),
                lambda: bulkhead.run(int, deadline=0),
                lambda: closed.run(int),
            ):
                reference = await caller(refuse)
                assert reference() is None
    finally:
        gc.enable()


async def test_an_error_becomes_a_dictionary_with_all_that_it_knows() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    async with bulkhead:
        with pytest.raises(BulkheadFullError) as raised:
            await bulkhead.run(int)
    shown = json.loads(json.dumps(raised.value.as_dict()))
    assert shown["message"] == str(raised.value)
    del shown["message"]
    assert shown == {"code": "full", "bulkhead": "b", "limit": 1, "active": 1, "queued": 0, "max_queue": 0}


def test_who_copies_what_holds_a_bulkhead_shares_it() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    settings = {"guards": [bulkhead]}
    assert copy.deepcopy(settings)["guards"][0] is bulkhead
    assert copy.copy(bulkhead) is bulkhead
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(bulkhead)
