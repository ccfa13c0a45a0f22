"""An event loop on virtual time, for tests: nothing sleeps, and every timer fires exactly when it
is due.

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(main())

Whenever nothing is ready, time moves on to the next timer. A test that steps through time itself
runs in the loop and uses `advance`, `jump` and `settle`.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from typing import Any, Protocol, cast


class VirtualLoop(asyncio.SelectorEventLoop):
    """Starts at `start` seconds. Files, sockets and other threads work, but while they are waited
    for, time stands still."""

    def __init__(self, start: float = 0.0) -> None:
        self._virtual_now = start
        super().__init__(_Selector(self))
        # In debug mode a loop complains of callbacks that take long, which those that move time on
        # always seem to do.
        self.slow_callback_duration = math.inf
        self.jump(start)

    def time(self) -> float:
        return self._virtual_now

    def next_timer(self) -> float | None:
        """When the next timer falls due, None if there is none."""
        timers = [timer.when() for timer in _inside(self)._scheduled if not timer.cancelled()]
        return min(timers, default=None)

    def jump(self, when: float) -> None:
        """Sets the clock, as if the loop had been blocked until then: timers due by now fire when
        the loop gets its turn."""
        self._virtual_now = max(self._virtual_now, when)
        # A loop fires timers that are due within its resolution, which must be felt at this point
        # of time.
        _inside(self)._clock_resolution = max(1e-9, 2 * math.ulp(self._virtual_now))

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Other threads may take as long as they take: of virtual time there is always enough."""
        await super().shutdown_default_executor()

    async def settle(self) -> None:
        """Until nothing else is ready and no timer is due."""
        while True:
            await asyncio.sleep(0)
            due = self.next_timer()
            if not _inside(self)._ready and (due is None or due > self._virtual_now):
                return

    async def advance(self, when: float) -> None:
        """Moves time on to `when`, from timer to timer, each with all that follows from it."""
        await self.settle()
        while (due := self.next_timer()) is not None and due <= when:
            self.jump(due)
            await self.settle()
        self.jump(when)


class _Selector(selectors.DefaultSelector):
    """Where a loop would wait for its next timer, time moves on instead."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        due = self._loop.next_timer()
        if timeout is None or timeout <= 0 or due is None:
            return super().select(timeout)
        ready = super().select(0)
        if not ready:
            self._loop.jump(due)
        return ready


class _Inside(Protocol):
    """What asyncio's own loops have had inside since they exist."""

    _scheduled: list[asyncio.TimerHandle]
    _ready: Any
    _clock_resolution: float


def _inside(loop: VirtualLoop) -> _Inside:
    return cast(_Inside, loop)
