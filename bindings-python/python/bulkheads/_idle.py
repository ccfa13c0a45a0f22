"""What `close`, `drain` and `idle` return."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ._engine import Calls


class Idle:
    """Settles at the first moment without waiters and without permits in use.

    What brought it about has happened already: it may be ignored, awaited by many, awaited again,
    or awaited in another loop. Awaiting it from inside the bulkhead's own work never ends.
    """

    __slots__ = ("_calls", "moment")

    def __init__(self, calls: Calls, moment: int) -> None:
        self._calls = calls
        self.moment = moment

    def __await__(self) -> Generator[Any, None, None]:
        while (future := self._calls.wait_idle(self.moment)) is not None:
            try:
                yield from future
            finally:
                self._calls.forget(future)
