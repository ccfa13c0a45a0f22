"""Signals while the main thread is blocked: Ctrl-C ends the wait and loses nothing."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from bulkheads import Bulkhead
from helpers import SOON, in_thread, probe_full, until

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signals")

OnSignal = Callable[[Callable[[], Any]], Any]


@pytest.fixture
def bulkhead() -> Bulkhead:
    return Bulkhead("b", max_concurrent=1, max_queue=9, timeout=SOON)


@pytest.fixture
def on_signal() -> Iterator[OnSignal]:
    """Sets what the handler of SIGUSR1 does."""
    before = signal.getsignal(signal.SIGUSR1)
    yield lambda handle: signal.signal(signal.SIGUSR1, lambda *_: handle())
    signal.signal(signal.SIGUSR1, before)


def send_when(is_so: Callable[[], bool], number: int = signal.SIGUSR1) -> None:
    def send() -> None:
        until(is_so)
        os.kill(os.getpid(), number)

    threading.Thread(target=send, daemon=True).start()


def block(bulkhead: Bulkhead) -> None:
    with bulkhead:
        pass


@pytest.mark.parametrize("way", [block, lambda bulkhead: bulkhead.run_sync(int), lambda bulkhead: bulkhead.acquire_sync()])
def test_ctrl_c_ends_the_wait_and_leaves_the_queue(bulkhead: Bulkhead, way: Callable[[Bulkhead], None]) -> None:
    with bulkhead:
        send_when(lambda: bulkhead.stats().queued == 1, signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            way(bulkhead)
        assert (bulkhead.stats().queued, bulkhead.stats().rejected.cancelled) == (0, 1)
    probe_full(bulkhead, 1)


def test_a_grant_that_comes_with_it_passes_on(bulkhead: Bulkhead, on_signal: OnSignal) -> None:
    held = bulkhead.acquire_sync()
    behind: list[Any] = []

    def handle() -> None:
        behind.append(in_thread(bulkhead.run_sync, int))
        until(lambda: bulkhead.stats().queued == 2)
        held.release()
        raise ZeroDivisionError

    on_signal(handle)
    send_when(lambda: bulkhead.stats().queued == 1)
    with pytest.raises(ZeroDivisionError):
        bulkhead.run_sync(int)
    behind[0].result()
    assert (bulkhead.stats().unclaimed, bulkhead.stats().completed) == (1, 2)
    probe_full(bulkhead, 1)


def test_a_handler_that_returns_lets_the_wait_go_on(bulkhead: Bulkhead, on_signal: OnSignal) -> None:
    held = bulkhead.acquire_sync()
    on_signal(held.release)
    send_when(lambda: bulkhead.stats().queued == 1)
    assert bulkhead.run_sync(int) == 0
    probe_full(bulkhead, 1)


def test_a_handler_may_wait_itself(bulkhead: Bulkhead, on_signal: OnSignal) -> None:
    held = bulkhead.acquire_sync()
    order: list[str] = []

    def make_room() -> None:
        until(lambda: bulkhead.stats().queued == 2)
        bulkhead.resize(2)
        held.release()

    def handle() -> None:
        """It stands behind the call that it interrupts, so the permits must be enough for both."""
        in_thread(make_room)
        bulkhead.run_sync(order.append, "handler")

    on_signal(handle)
    send_when(lambda: bulkhead.stats().queued == 1)
    bulkhead.run_sync(order.append, "interrupted")
    assert order == ["handler", "interrupted"]
    until(lambda: bulkhead.stats().active == 0)
    probe_full(bulkhead, 2)


class Interrupted(BaseException):
    pass


def by_every_way(bulkhead: Bulkhead) -> None:
    with bulkhead, bulkhead.acquire_sync():
        bulkhead.run_sync(int)
    permit = bulkhead.try_acquire()
    if permit is not None:
        permit.release()


# What is raised in a finaliser Python reports, and goes on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:a permit of bulkhead b was dropped:ResourceWarning")
def test_a_signal_at_any_moment_loses_no_permit() -> None:
    """A handler runs between any two instructions of Python's: a permit must not be in the hands of
    any of them alone."""
    bulkhead = Bulkhead("b", max_concurrent=3)
    interrupt(1000, lambda: by_every_way(bulkhead))
    gc.collect()
    probe_full(bulkhead, 3)


@pytest.mark.parametrize("bounds", [{}, {"call_timeout": 60}, {"detect_reentrancy": True}])
def test_nor_does_one_in_a_loop_within_async_with(bounds: dict[str, Any]) -> None:
    bulkhead = Bulkhead("b", max_concurrent=3, **bounds)

    async def enter() -> None:
        async with bulkhead, bulkhead:
            pass

    async def main() -> None:
        # The loop itself would not stand it: nothing here waits, and so nothing returns to it.
        interrupt(1000, lambda: enter().send(None), StopIteration)

    asyncio.run(main())
    probe_full(bulkhead, 3)


def interrupt(times: int, act: Callable[[], object], *ends: type[BaseException]) -> None:
    """Acts again and again, while a handler raises at any moment."""
    is_armed = False
    interrupted = 0

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal is_armed
        if is_armed:
            is_armed = False
            raise Interrupted

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 50e-6, 37e-6)
    try:
        while interrupted < times:
            try:
                is_armed = True
                with contextlib.suppress(*ends):
                    act()
                is_armed = False
            except Interrupted:
                interrupted += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
