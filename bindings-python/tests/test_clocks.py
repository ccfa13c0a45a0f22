"""Clocks that begin behind one another: a bulkhead made at import time meets all the loops of a
test suite, virtual ones among them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadTimeoutError
from bulkheads.testing import VirtualLoop
from helpers import SOON, in_thread, probe_full, until

NewLoop = Callable[[], asyncio.AbstractEventLoop]
FAR = 1e7


@pytest.fixture
def aged() -> Bulkhead:
    """A bulkhead that has seen a loop whose clock was far ahead."""
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=3, timeout=0.05, call_timeout=2 * FAR)
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(bulkhead.run(asyncio.sleep, FAR))
    return bulkhead


async def wait_in_vain(bulkhead: Bulkhead, **options: Any) -> float:
    before = asyncio.get_running_loop().time()
    async with asyncio.timeout(SOON):
        with pytest.raises(BulkheadTimeoutError):
            await bulkhead.run(int, **options)
    return asyncio.get_running_loop().time() - before


@pytest.mark.parametrize("new_loop", [VirtualLoop, asyncio.new_event_loop])
def test_a_wait_lasts_as_long_as_it_should_in_a_loop_whose_clock_is_behind(aged: Bulkhead, new_loop: NewLoop) -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner, aged.acquire_sync():
        assert 0.049 < runner.run(wait_in_vain(aged)) < SOON
        assert 0.019 < runner.run(wait_in_vain(aged, timeout=0.02)) < SOON
    probe_full(aged, 1)


@pytest.mark.parametrize("new_loop", [VirtualLoop, asyncio.new_event_loop])
def test_a_deadline_is_one_of_its_own_loops_clock(aged: Bulkhead, new_loop: NewLoop) -> None:
    async def bounded() -> None:
        now = asyncio.get_running_loop().time()
        assert 0.019 < await wait_in_vain(aged, deadline=now + 0.02) < SOON
        assert await wait_in_vain(aged, deadline=now) < SOON

    with asyncio.Runner(loop_factory=new_loop) as runner:
        with aged.acquire_sync():
            runner.run(bounded())
        # Not FAR, which is how much the core is ahead.
        assert runner.run(aged.run(lambda: "in time", deadline=time.monotonic() + FAR / 2)) == "in time"
    probe_full(aged, 1)


def test_a_thread_does_not_wait_by_the_clock_of_a_loop_that_is_closed(aged: Bulkhead) -> None:
    with aged.acquire_sync():
        for options in [{}, {"timeout": 0.01}, {"deadline": time.monotonic() + 0.01}]:
            waits = in_thread(lambda options=options: aged.run_sync(int, **options))
            with pytest.raises(BulkheadTimeoutError):
                waits.result()
    probe_full(aged, 1)


def test_a_thread_that_waits_already_goes_over_to_the_clock_of_the_living() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=3, timeout=0.05)
    loop = VirtualLoop()
    permit = loop.run_until_complete(bulkhead.acquire())
    waits = in_thread(bulkhead.run_sync, int)
    until(lambda: bulkhead.stats().queued == 1)
    bulkhead.resize(0)
    loop.close()
    with pytest.raises(BulkheadTimeoutError):
        waits.result()
    bulkhead.resize(1)
    permit.release()
    probe_full(bulkhead, 1)
