"""The drivers of one bulkhead: one for each loop that uses it, one for code outside any loop."""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
import weakref
from asyncio.events import _get_running_loop
from typing import TYPE_CHECKING, Final

from ._clock import behind, is_real
from ._driver import Driver, LoopDriver
from ._engine import Engine
from ._idle import Idleness

if TYPE_CHECKING:
    from ._calls import Calls

# Seconds after which a blocked thread looks again. Python runs signal handlers in its main thread, and only while that runs Python.
_SIGNALS_LOOKED_AFTER: Final = 0.05
# A loop says nothing when it is closed.
_CLOSED_LOOKED_AFTER: Final = 0.25

_all: weakref.WeakSet[Drivers] = weakref.WeakSet()


class Drivers:
    """Finds the driver of the caller's loop, makes it at first use, and ends those whose loops were closed.

    So one bulkhead, made anywhere, serves any number of loops, one after the other or in several threads at once.
    """

    def __init__(self, calls: Calls, engine: Engine) -> None:
        self.calls = calls
        self.outside = Driver(self, engine, time.monotonic)
        self.idleness = Idleness(self, engine)
        self._offset = 0.0
        """What the system's clock is behind the core by: for all who read it."""
        self.is_shared = False
        """Whether several loops use it, so that each has to wake the others."""
        self._engine = engine
        self._latest: LoopDriver | None = None
        self._is_real = True
        self._by_owner: dict[int, LoopDriver] = {}
        self._parents = self._by_owner
        self.lock = threading.RLock()
        _all.add(self)

    def here(self) -> Driver:
        """The driver for whatever code asks."""
        loop = _get_running_loop()
        if loop is None:
            return self.outside
        latest = self._latest
        return latest if latest is not None and latest.loop is loop else self._of(loop)

    def in_loop(self) -> LoopDriver:
        """The driver of the running loop. Raises RuntimeError where there is none."""
        loop = asyncio.get_running_loop()
        latest = self._latest
        return latest if latest is not None and latest.loop is loop else self._of(loop)

    def wake_others(self, engine: Engine) -> None:
        """Wakes the drivers that have events, but the one whose engine asks: it is awake."""
        if not self.is_shared and engine is not self._engine:
            return
        for owner in engine.take_wakes():
            self.wake(owner)

    def wake(self, owner: int) -> None:
        """Wakes a driver, if there is one, or ends it if its loop is closed."""
        driver = self._by_owner.get(owner)
        if driver is None:
            return
        try:
            driver.wake()
        except RuntimeError:
            self._evict(driver)

    def look(self) -> tuple[float, float]:
        """The time, after loops that were closed gave back what they held, and for how many seconds a thread may then be blocked."""
        self.evict_closed()
        nap = _CLOSED_LOOKED_AFTER if self._by_owner else math.inf
        if threading.current_thread() is threading.main_thread():
            nap = _SIGNALS_LOOKED_AFTER
        return self.outside.clock(), nap

    def next_look(self) -> float:
        """When a loop has to look whether another was closed: whoever waits may wait for what that one held."""
        is_to_look = self.is_shared and self._is_real and self._engine.queued()
        return self.outside.clock() + _CLOSED_LOOKED_AFTER if is_to_look else math.inf

    def evict_closed(self) -> None:
        """Ends the drivers whose loops were closed: what they still held goes to the living."""
        for driver in self._by_owner.values():
            if driver.loop.is_closed():
                self._evict(driver)

    def leave_parent_behind(self) -> None:
        """In a forked child, where no loop of the parent runs, and no thread that waits, or may have held the lock."""
        self.lock = threading.RLock()
        # Kept: a loop that is finalised here would take its files out of what the parent's loop still waits for.
        self._parents = self._by_owner
        self._know({})
        self._latest = None
        self._choose_clock()
        self._engine.restart()
        self.idleness.restart()

    def _of(self, loop: asyncio.AbstractEventLoop) -> LoopDriver:
        with self.lock:
            driver = next((driver for driver in self._by_owner.values() if driver.loop is loop), None)
            if driver is None:
                self.evict_closed()
                driver = self._attach(loop)
            self._latest = driver
            return driver

    def _attach(self, loop: asyncio.AbstractEventLoop) -> LoopDriver:
        engine = self._engine.attach()
        offset = self._real_offset() if is_real(loop) else behind(engine, loop.time)
        driver = LoopDriver(self, engine, loop, offset)
        self._know({**self._by_owner, engine.owner(): driver})
        self._choose_clock()
        return driver

    def _choose_clock(self) -> None:
        """Code outside any loop, a finaliser for one, reads the clock that the loops read, the latest that lives."""
        driver = next(reversed(self._by_owner.values()), None)
        self._is_real = driver is None or is_real(driver.loop)
        if driver is None or self._is_real:
            self.outside.set_clock(time.monotonic, self._real_offset())
        else:
            self.outside.set_clock(driver.loop.time, driver.offset)

    def _real_offset(self) -> float:
        self._offset = behind(self._engine, time.monotonic, self._offset)
        return self._offset

    def _evict(self, driver: LoopDriver) -> None:
        with self.lock:
            owner = driver.engine.owner()
            self._know({other: live for other, live in self._by_owner.items() if other != owner})
            if self._latest is driver:
                self._latest = None
            self._choose_clock()
        driver.engine.evict(self.outside.clock())
        self.wake_others(self._engine)

    def _know(self, by_owner: dict[int, LoopDriver]) -> None:
        """A new table each time: other threads may be reading the old one."""
        self.is_shared = len(by_owner) > 1
        self._by_owner = by_owner


def _leave_parents_behind() -> None:
    for drivers in tuple(_all):
        drivers.leave_parent_behind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_parents_behind)
