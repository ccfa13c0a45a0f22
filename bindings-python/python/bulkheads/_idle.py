"""What `close`, `drain` and `idle` return."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._drivers import Drivers


class Idle:
    """Settles at the first moment when nobody waits and no permit is held.

    What brought it about has happened already: it may be ignored, awaited by many, awaited again, or awaited in another loop.
    Awaiting it from inside the bulkhead's own work never ends.
    """

    __slots__ = ("_family", "_futures", "_settled")

    def __init__(self, family: Drivers) -> None:
        self._family = family
        self._futures: list[asyncio.Future[None]] = []
        self._settled = False

    def __await__(self) -> Generator[Any, None, None]:
        if not self._settled:
            # In the loop that this was made for, this is what is being watched.
            watched = self._family.in_loop().watch_idle()
            yield from watched._wait()
            self._settled = True

    def settle(self) -> None:
        """The moment has come."""
        self._settled = True
        for future in self._futures:
            if not future.done():
                future.set_result(None)

    def _wait(self) -> Generator[Any, None, None]:
        if self._settled:
            return
        future = asyncio.get_running_loop().create_future()
        self._futures.append(future)
        try:
            yield from future
        finally:
            self._futures.remove(future)
