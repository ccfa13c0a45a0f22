"""Says when an item of a map may start."""

from __future__ import annotations

import asyncio
import math
from asyncio.events import _get_running_loop
from typing import Any

from . import _answers
from ._calls import Calls
from ._numbers import FIRST_ID, FULL, FULL_PAUSED
from ._run import Run


class Room:
    """It only says when to ask: the core decides."""

    def __init__(self, calls: Calls, weight: int) -> None:
        self._calls = calls
        self._weight = weight
        self._driver = calls.drivers.in_loop()
        self._wanted: asyncio.Future[Any] | None = None

    def is_there(self) -> bool:
        """Whether the core would answer at once: by a permit, or by a reason that waiting does not mend."""
        engine, weight = self._calls.engine, self._weight
        limit = engine.limit()
        fits = engine.queued() == 0 and engine.active() + weight <= limit
        return fits or weight > limit > 0 or self._calls.drivers.has_ended

    def width(self) -> int:
        """How many items may be under way or wait for their turn to be yielded."""
        return max(1, self._calls.engine.limit() // self._weight)

    def admit(self) -> Run | None:
        """A run, or None if somebody was faster. Raises what no waiting would mend."""
        if not self.is_there():
            return None
        run = Run(self._driver)
        code = self._driver.acquire(run, self._weight, 0.0, math.inf)
        if code >= FIRST_ID:
            return run
        if FULL <= code <= FULL_PAUSED:
            return None
        raise _answers.rejection(self._calls.name, self._calls.engine, code, self._weight)

    def wanted(self) -> asyncio.Future[Any]:
        """Done at the first step after which there is room; `leave` when that no longer matters."""
        self._wanted = self._driver.loop.create_future()
        self._calls.drivers.rooms.add(self)
        return self._wanted

    def look(self) -> None:
        """After a step of any driver, in any thread."""
        wanted = self._wanted
        if wanted is None or not self.is_there():
            return
        self._wanted = None
        if _get_running_loop() is self._driver.loop:
            _settle(wanted)
        else:
            self._driver.tell(_settle, wanted)

    def leave(self) -> None:
        self._wanted = None
        self._calls.drivers.rooms.discard(self)


def _settle(future: asyncio.Future[Any]) -> None:
    if not future.done():
        future.set_result(None)
