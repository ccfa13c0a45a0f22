"""Says when an item of a map may start."""

from __future__ import annotations

import asyncio
from typing import Any

from ._calls import Calls
from ._errors import BulkheadFullError


class Room:
    """It only says when to ask: the core decides."""

    def __init__(self, calls: Calls, weight: int) -> None:
        self._calls = calls
        self._weight = weight
        self._driver = calls.drivers.in_loop()
        self._wanted: asyncio.Future[Any] | None = None

    def is_there(self) -> bool:
        """Whether the core would answer at once: by a permit, or by a reason that waiting does not mend."""
        return self._driver.has_room(self._weight)

    def width(self) -> int:
        """How many items may be under way or wait for their turn to be yielded."""
        return max(1, self._calls.engine.limit() // self._weight)

    def admit(self) -> int | None:
        """The ticket of a run, or None if somebody was faster. Raises what no waiting would mend."""
        if not self.is_there():
            return None
        try:
            return self._calls.runs.begin_later(self._weight)
        except BulkheadFullError:
            return None

    def wanted(self) -> asyncio.Future[Any]:
        """Done when it is time to ask again; `leave` when that no longer matters."""
        self._wanted = self._driver.loop.create_future()
        self._driver.roomers.add(self._wanted)
        # Whoever took the last item may have made room meanwhile.
        if self.is_there() and not self._wanted.done():
            self._wanted.set_result(None)
        return self._wanted

    def leave(self) -> None:
        if self._wanted is not None:
            self._driver.roomers.discard(self._wanted)
            self._wanted = None
