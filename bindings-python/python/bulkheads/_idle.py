"""What `close`, `drain` and `idle` return."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ._engine import Engine

if TYPE_CHECKING:
    from ._drivers import Drivers


class Idle:
    """Settles at the first moment when nobody waits and no permit is held.

    What brought it about has happened already: it may be ignored, awaited by many, awaited again, or awaited in another loop.
    Awaiting it from inside the bulkhead's own work never ends.
    """

    __slots__ = ("_family", "has_come")

    def __init__(self, family: Drivers) -> None:
        self._family = family
        self.has_come = False

    def __await__(self) -> Generator[Any, None, None]:
        # A loop may still have to tell of an earlier moment than the one that this is about.
        while not self._family.idleness.has_come_for(self):
            yield from self._family.in_loop().wait_idle()


class Idleness:
    """Remembers the moment for whoever asked, in a loop or outside of any, and whether or not anybody awaits it yet.

    The core does, in the events of the engine that belongs to no loop: they are read when somebody wants to know.
    """

    def __init__(self, family: Drivers, engine: Engine) -> None:
        self._family = family
        self._engine = engine
        self._watched: Idle | None = None
        self._end: Idle | None = None

    def watch(self, now: float) -> Idle:
        """The next such moment: the same awaitable until it has come."""
        with self._family.lock:
            self._read()
            idle = self._watched
            if idle is None:
                # Known before the core is asked: a signal handler may ask for it, or bring the moment about, in between.
                idle = self._watched = Idle(self._family)
                if self._engine.watch_idle(now):
                    self._tell()
            return idle

    def end(self, now: float) -> Idle:
        """The same awaitable for every close and drain."""
        with self._family.lock:
            if self._end is None:
                self._end = self.watch(now)
            return self._end

    def has_come_for(self, idle: Idle) -> bool:
        with self._family.lock:
            self._read()
            return idle.has_come

    def restart(self) -> None:
        """In a forked child nobody waits and no permit is held."""
        self._tell()

    def _read(self) -> None:
        """Nobody waits or runs under this engine, so that it has no other events."""
        if self._engine.next_event() is not None:
            self._tell()

    def _tell(self) -> None:
        if self._watched is not None:
            self._watched.has_come = True
            self._watched = None
