"""Options and arguments: the name, the value and the rule in every complaint; the type here, the
range in the core."""

from __future__ import annotations

import asyncio
import math
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadTimeoutError
from helpers import loop, probe_full

WRONG_COUNTS = [True, False, 1.0, 1.5, math.nan, math.inf, "2", "", None, [], {}, int, Decimal(1), Fraction(1)]
WRONG_TIMES = [True, False, "1", "", [], {}, float, Decimal(1), Fraction(1), 1j]
BAD_COUNTS = [-1, -(10**400), 2**31, 2**32, 2**64, 10**400]
BAD_TIMES = [-1, -1.0, -math.inf, math.nan, -5e-324, -(10**400)]


class Index:
    def __index__(self) -> int:
        return 2


@pytest.mark.parametrize("value", WRONG_COUNTS)
def test_a_count_of_a_wrong_type_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError, match="max_concurrent must be an int"):
        Bulkhead("b", max_concurrent=value)
    with pytest.raises(TypeError, match="max_queue must be an int"):
        Bulkhead("b", max_concurrent=1, max_queue=value)
    bulkhead = Bulkhead("b", max_concurrent=3)
    with pytest.raises(TypeError, match="max_concurrent must be an int"):
        bulkhead.resize(value)
    with pytest.raises(TypeError, match="weight must be an int"):
        bulkhead.try_acquire(value)
    with pytest.raises(TypeError, match="weight must be an int"):
        bulkhead.wrap(weight=value)
    with pytest.raises(TypeError, match="weight must be an int"):
        bulkhead.map(int, [], weight=value)
    for call in (bulkhead.run(int, weight=value), bulkhead.acquire(weight=value)):
        with pytest.raises(TypeError, match="weight must be an int"):
            asyncio.run(call)
    probe_full(bulkhead, 3)


@pytest.mark.parametrize("value", BAD_COUNTS)
def test_a_count_out_of_its_range_is_a_value_error(value: int) -> None:
    with pytest.raises(ValueError, match="max_concurrent must be an integer from 1 to 2147483647"):
        Bulkhead("b", max_concurrent=value)
    with pytest.raises(ValueError, match="max_queue must be an integer from 0 to 2147483647"):
        Bulkhead("b", max_concurrent=1, max_queue=value)
    bulkhead = Bulkhead("b", max_concurrent=3)
    for weight in (value, 0):
        for act in (
            bulkhead.try_acquire,
            lambda weight: bulkhead.wrap(weight=weight),
            lambda weight: bulkhead.map(int, [], weight=weight),
        ):
            with pytest.raises(ValueError, match="weight must be an integer from 1"):
                act(weight)
        for call in (bulkhead.run(int, weight=weight), bulkhead.acquire(weight=weight)):
            with pytest.raises(ValueError, match="weight must be an integer from 1"):
                asyncio.run(call)
    with pytest.raises(ValueError, match="max_concurrent must be an integer from 0"):
        bulkhead.resize(value)
    assert bulkhead.stats().admitted == 0
    probe_full(bulkhead, 3)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740993"),
        (2**70, "1180591620717411303424"),
        (-(2**70), "-1180591620717411303424"),
        (10**30 - 1, "9" * 30),
        (10**400, "100000000000… (401 digits)"),
        (1 - 10**400, "-999999999999… (400 digits)"),
        pytest.param(10**5000, "100000000000… (5001 digits)", id="10**5000"),
    ],
)
def test_a_count_far_out_of_its_range_is_shown_as_it_was_given(value: int, shown: str) -> None:
    bulkhead = Bulkhead("b", max_concurrent=3)
    for option, least, act in (
        ("max_concurrent", 1, lambda: Bulkhead("b", max_concurrent=value)),
        ("max_queue", 0, lambda: Bulkhead("b", max_concurrent=1, max_queue=value)),
        ("max_concurrent", 0, lambda: bulkhead.resize(value)),
        ("weight", 1, lambda: bulkhead.try_acquire(value)),
        ("weight", 1, lambda: bulkhead.wrap(weight=value)),
        ("weight", 1, lambda: bulkhead.map(int, [], weight=value)),
        ("weight", 1, lambda: asyncio.run(bulkhead.run(int, weight=value))),
        ("weight", 1, lambda: asyncio.run(bulkhead.acquire(weight=value))),
    ):
        with pytest.raises(ValueError, match=option) as caught:
            act()
        assert str(caught.value) == f"{option} must be an integer from {least} to 2147483647, got {shown}"
    probe_full(bulkhead, 3)


@pytest.mark.parametrize("value", [None, 0, 1, "x", "", []])
async def test_abort_of_a_wrong_type_is_a_type_error_and_closes_nothing(value: Any) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(TypeError) as caught:
        bulkhead.close(abort=value)
    assert str(caught.value) == f"abort must be a bool, got {value!r}"
    assert bulkhead.stats().state == "open"
    assert await bulkhead.run(int) == 0


@pytest.mark.parametrize("value", WRONG_TIMES)
def test_a_time_of_a_wrong_type_is_a_type_error(value: Any) -> None:
    for option in ("timeout", "call_timeout", "abandon_after"):
        with pytest.raises(TypeError, match=f"{option} must be seconds as a float"):
            Bulkhead("b", max_concurrent=1, **{option: value})
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(TypeError, match="timeout must be seconds"):
        bulkhead.wrap(timeout=value)
    for option in ("timeout", "deadline"):
        for call in (bulkhead.run(int, **{option: value}), bulkhead.acquire(**{option: value})):
            with pytest.raises(TypeError, match=f"{option} must be seconds"):
                asyncio.run(call)
    probe_full(bulkhead, 1)


@pytest.mark.parametrize("value", BAD_TIMES)
def test_a_time_out_of_its_range_is_a_value_error(value: float) -> None:
    for option in ("timeout", "call_timeout", "abandon_after"):
        for bad in (value, 0, 0.0, -0.0):
            with pytest.raises(ValueError, match=f"{option} must be more than 0, or infinite"):
                Bulkhead("b", max_concurrent=1, **{option: bad})  # type: ignore[arg-type]
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(ValueError, match="timeout must be 0 or more"):
        bulkhead.wrap(timeout=value)
    for call in (bulkhead.run(int, timeout=value), bulkhead.acquire(timeout=value)):
        with pytest.raises(ValueError, match="timeout must be 0 or more"):
            asyncio.run(call)
    assert bulkhead.stats().rejected.full == 0
    probe_full(bulkhead, 1)


def test_timeout_none_says_what_to_write_and_the_others_take_it_for_none() -> None:
    none: Any = None
    with pytest.raises(TypeError, match="leave it out or write math"):
        Bulkhead("b", max_concurrent=1, timeout=none)
    bulkhead = Bulkhead("b", max_concurrent=1, timeout=math.inf, call_timeout=None, abandon_after=None)
    with pytest.raises(TypeError, match="leave it out or write math"):
        asyncio.run(bulkhead.run(int, timeout=none))
    with pytest.raises(TypeError, match="leave it out or write math"):
        bulkhead.wrap(timeout=none)
    assert asyncio.run(bulkhead.run(int, deadline=None)) == 0


def test_unknown_options_and_missing_ones_are_type_errors() -> None:
    with pytest.raises(TypeError, match="max_size"):
        Bulkhead("b", max_concurrent=1, max_size=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="max_concurrent"):
        Bulkhead("b")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="name must be a str"):
        Bulkhead(3, max_concurrent=1)  # type: ignore[arg-type]
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(TypeError, match="heavy"):
        bulkhead.acquire(heavy=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="signal"):
        asyncio.run(bulkhead.run(int, signal=1))  # type: ignore[call-overload]


def test_what_stands_for_an_int_is_taken() -> None:
    two: Any = Index()
    bulkhead = Bulkhead("b", max_concurrent=two, max_queue=two, timeout=two, call_timeout=two)
    assert bulkhead.stats().limit == 2
    permit = bulkhead.try_acquire(two)
    assert permit is not None
    assert (permit.weight, bulkhead.stats().active) == (2, 2)
    permit.release()
    assert asyncio.run(bulkhead.run(int, weight=two, timeout=two)) == 0


def test_the_largest_values_are_taken_and_nothing_wraps() -> None:
    most = 2**31 - 1
    bulkhead = Bulkhead("b", max_concurrent=most, max_queue=most, timeout=1e300, call_timeout=10**400, abandon_after=1e19)
    first = bulkhead.try_acquire(most)
    assert first is not None
    assert bulkhead.try_acquire(most) is None
    assert (bulkhead.stats().active, bulkhead.stats().available) == (most, 0)
    first.release()
    assert bulkhead.stats().available == most


@pytest.mark.parametrize("far", [math.inf, 1e300, 3e9, 10**400])
async def test_a_time_too_far_off_means_never(far: float) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=far)
    deadline = far if far == math.inf else 9e8  # beyond that it looks like one of the calendar
    async with bulkhead:
        waiter = asyncio.create_task(bulkhead.run(int, timeout=far, deadline=deadline))
        await loop().advance(1e6)
        assert not waiter.done()
    assert await waiter == 0


@pytest.mark.parametrize("past", [0, 0.0, -1, -math.inf, -(10**400), 1.0])
async def test_a_deadline_that_has_passed_is_rejected_at_once(past: float) -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    loop().jump(1.0)
    for call in (bulkhead.run(int, deadline=past), bulkhead.acquire(deadline=past)):
        with pytest.raises(BulkheadTimeoutError, match="deadline had passed") as caught:
            await call
        assert caught.value.waited == 0
    with pytest.raises(ValueError, match="deadline must be a number"):
        await bulkhead.run(int, deadline=math.nan)
    assert bulkhead.stats().rejected.queue_timeout == 2
    probe_full(bulkhead, 1)


async def test_a_deadline_must_not_be_of_the_calendar() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    for call in (bulkhead.run(int, deadline=time.time() + 1), bulkhead.acquire(deadline=int(time.time()))):
        with pytest.raises(ValueError, match=r"^deadline must be .*, which looks like time\.time\(\)$"):
            await call
    assert await bulkhead.run(int, deadline=math.inf) == 0
    assert bulkhead.stats().admitted == 1


async def test_the_default_wait_is_one_second_or_the_call_time_out_if_that_is_less() -> None:
    for options, want in (
        ({}, 1.0),
        ({"call_timeout": 0.5}, 0.5),
        ({"call_timeout": 5}, 1.0),
        ({"timeout": 3, "call_timeout": 0.5}, 3),
    ):
        bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, **options)
        async with await bulkhead.acquire():
            with pytest.raises(BulkheadTimeoutError) as caught:
                await bulkhead.run(int)
        assert caught.value.waited == pytest.approx(want)


async def test_a_calls_own_time_out_can_only_shorten() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=0.05)
    async with bulkhead:
        for own, want in ((0.01, 0.01), (0.2, 0.05), (math.inf, 0.05)):
            with pytest.raises(BulkheadTimeoutError) as caught:
                await bulkhead.acquire(timeout=own)
            assert caught.value.waited == pytest.approx(want)


def test_a_bulkhead_is_made_once() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    with pytest.raises(RuntimeError, match="made once"):
        bulkhead.__init__("c", max_concurrent=5)  # type: ignore[misc]
    assert (bulkhead.name, bulkhead.stats().limit) == ("b", 1)
    probe_full(bulkhead, 1)
