"""The virtual clock: nothing sleeps, and every timer fires exactly when it is due."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from bulkheads import Bulkhead
from bulkheads.testing import VirtualLoop
from helpers import loop, spawn


async def test_time_moves_on_when_nothing_is_ready() -> None:
    started = time.monotonic()
    await asyncio.sleep(3600)
    assert loop().time() == 3600
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("when", [0.1, 1e5 + 0.1, 3e6 + 0.0625, 9e6, 2e9])
async def test_timers_fire_exactly_when_they_are_due_however_late_it_is(when: float) -> None:
    loop().jump(when)
    fired: list[float] = []
    for later in (0.25, 0.5, 0.25):
        loop().call_at(when + later, lambda: fired.append(loop().time()))
    await loop().advance(when + 0.25)
    assert fired == [when + 0.25] * 2
    await loop().advance(when + 10)
    assert fired == [when + 0.25] * 2 + [when + 0.5]
    assert loop().time() == when + 10
    loop().jump(when)
    assert loop().time() == when + 10


@pytest.mark.parametrize("when", [0.0, 1e5 + 0.1, 2.2e6 + 1 / 3, 8.9e6 + 1 / 7])
async def test_a_bulkhead_keeps_its_bounds_on_it_however_late_it_is(when: float) -> None:
    loop().jump(when)
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=1, timeout=0.7, call_timeout=1.3)
    running = spawn(bulkhead.run(asyncio.sleep, 9))
    await loop().settle()
    waiting = spawn(bulkhead.run(int))
    await asyncio.wait([running, waiting])
    assert loop().time() == pytest.approx(when + 1.3, abs=1e-6)
    await asyncio.gather(running, waiting, return_exceptions=True)


async def test_a_jump_is_a_blocked_loop() -> None:
    order: list[str] = []
    loop().call_at(1, order.append, "timer")
    loop().jump(2)
    order.append("blocked")
    await loop().settle()
    assert order == ["blocked", "timer"]


async def test_other_threads_are_waited_for_while_time_stands_still() -> None:
    gate = threading.Event()
    loop().call_soon(gate.set)
    assert await asyncio.to_thread(gate.wait, 30)
    assert loop().time() == 0


def test_it_starts_where_it_is_told() -> None:
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(start=5)) as runner:
        runner.run(asyncio.sleep(1))
        assert runner.get_loop().time() == 6
