"""The drivers: who tells the engine the time, and its outcomes to whoever waits for them.

Every input takes one path, `settle`: call the engine, drain its events, re-arm the one timer, wake other drivers, and only
then let anybody know.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Generator
from contextvars import Context
from typing import TYPE_CHECKING, Any

from ._clock import RESOLUTION, shifted
from ._engine import Engine
from ._idle import Idle
from ._numbers import EVENT_CALL_TIMEOUT, EVENT_IDLE, EVENT_ROOM

if TYPE_CHECKING:
    from ._drivers import Drivers


class Driver:
    """The inputs that every thread may give; as it is, it serves code outside any loop, for which nothing is ever due."""

    def __init__(self, family: Drivers, engine: Engine, clock: Callable[[], float]) -> None:
        self.family = family
        self.engine = engine
        self.set_clock(clock, 0.0)

    def set_clock(self, read: Callable[[], float], offset: float) -> None:
        """The core's time is what `read` says and `offset`."""
        self.clock = shifted(read, offset)
        self.offset = offset

    def finish(self, ticket: int, outcome: int) -> None:
        self.engine.finish(self.clock(), ticket, outcome)
        self.settle()

    def count_double_release(self) -> None:
        """No id is current any more, and a stale one that is released counts as that."""
        self.engine.release(self.clock(), 0)
        self.settle()

    def cancel(self, waiter: int) -> None:
        self.engine.cancel(self.clock(), waiter)
        self.settle()

    def resize(self, limit: int) -> None:
        self.engine.resize(self.clock(), limit)
        self.settle()

    def close(self, abort: bool) -> Idle:
        self.engine.close(self.clock(), abort)
        self.settle()
        return self._end()

    def drain(self) -> Idle:
        self.engine.drain(self.clock())
        self.settle()
        return self._end()

    def _end(self) -> Idle:
        idle = self.family.idleness.end(self.clock())
        self.settle()
        return idle

    def watch_idle(self) -> Idle:
        idle = self.family.idleness.watch(self.clock())
        self.settle()
        return idle

    def settle(self) -> None:
        """Tells the drivers that have something to tell."""
        self.family.wake_others(self.engine)


class LoopDriver(Driver):
    """The driver of one event loop; but for `wake` it is only used by the thread that runs this loop."""

    def __init__(self, family: Drivers, engine: Engine, loop: asyncio.AbstractEventLoop, offset: float) -> None:
        super().__init__(family, engine, loop.time)
        self.set_clock(loop.time, offset)
        self.loop = loop
        self.owner = engine.owner()
        self.context = Context()
        """Of timers and wake-ups: empty, not that of a caller who happens to be first."""
        self.roomers: set[asyncio.Future[Any]] = set()
        """Who wants to know when to ask for room again."""
        self._idlers: set[asyncio.Future[Any]] = set()
        self._events: deque[tuple[int, int, float]] = deque()
        self._settling = False
        self._again = False
        self._timer: asyncio.TimerHandle | None = None
        self.armed = math.inf
        self.is_tidied = False
        self._earliest = -math.inf

    def wait_idle(self) -> Generator[Any, None, None]:
        """Until a moment when nobody waits and no permit is held."""
        if self.engine.watch_idle(self.clock()):
            self.settle()
            return
        idler = self.loop.create_future()
        self._idlers.add(idler)
        try:
            self.settle()
            yield from idler
        finally:
            self._idlers.discard(idler)

    def has_room(self, weight: int) -> bool:
        """Whether a call of this weight would not be turned away as full; if it would, `roomers` are told when to ask again."""
        now = self.clock()
        has_room = self.engine.watch_room(now, weight, self.family.calls.holding(now))
        self.settle()
        return has_room

    def wake(self) -> None:
        """From any thread: there are events for this driver. Raises RuntimeError if its loop is closed."""
        self.loop.call_soon_threadsafe(self.settle, context=self.context)

    def settle(self) -> None:
        """A nested call only asks the outermost to go on, so that outcomes keep the order of the core."""
        if self._settling:
            self._again = True
            return
        event = self.engine.next_event()
        if event is not None:
            self._events.append(event)
        elif not self.family.is_shared and not self._events:
            # Nothing came of it: the way of every call that finds room.
            if self.engine.next_timer() != self.armed:
                self._arm()
            return
        self._settling = self._again = True
        self.family.calls.runs.note_settling(self.owner, True)
        try:
            while self._again:
                self._again = False
                self._drain()
                self._arm()
                self.family.wake_others(self.engine)
                while self._events:
                    self._deliver(*self._events.popleft())
        finally:
            self._settling = False
            self.family.calls.runs.note_settling(self.owner, False)

    def _drain(self) -> None:
        while (event := self.engine.next_event()) is not None:
            self._events.append(event)

    def wake_soon(self) -> None:
        """Waiters were told: they are to be woken."""
        self.loop.call_soon(self.family.calls.runs.wake, self.owner, context=self.context)

    def _deliver(self, kind: int, id: int, time: float) -> None:
        calls = self.family.calls
        if kind < EVENT_CALL_TIMEOUT:
            if calls.runs.tell(self.owner, kind, id, time):
                self.wake_soon()
            return
        calls.runs.seal(self.owner)
        if kind == EVENT_IDLE:
            _tell(self._idlers)
        elif kind == EVENT_ROOM:
            _tell(self.roomers)
        else:
            run = calls.answered(self, id)
            if run is not None:
                run.answer_early(kind, time)

    def _arm(self) -> None:
        """A timer that is armed too early stays: it fires, finds nothing and is armed again.

        One that nobody needs stays until the loop's next turn: calls that end in the turn they began in would otherwise each
        leave a cancelled timer behind, which a loop gets rid of only between its turns.
        """
        when = min(self.engine.next_timer(), self.family.next_look())
        if when == math.inf:
            if self._timer is not None and not self.is_tidied:
                self.is_tidied = True
                self._note_timer()
                self.loop.call_soon(self._tidy, context=self.context)
        elif (when := max(when, self._earliest)) < self.armed:
            self._disarm()
            self.armed = when
            self._note_timer()
            self._timer = self.loop.call_at(when - self.offset, self._fire, context=self.context)

    def _tidy(self) -> None:
        self.is_tidied = False
        if self.engine.next_timer() == math.inf:
            self._disarm()
        self._note_timer()

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.armed = math.inf

    def _fire(self) -> None:
        armed, self.armed, self._timer = self.armed, math.inf, None
        self._note_timer()
        now = self.clock()
        if now >= armed - RESOLUTION:
            # A loop fires a timer up to its clock's resolution early; then it is time.
            now = max(now, armed)
            self._earliest = math.nextafter(now, math.inf)
        else:
            # Some loops count whole milliseconds and fire earlier than that: do not spin until it is time.
            self._earliest = now + 0.001
        if self.family.is_shared:
            self.family.evict_closed()
        self.engine.handle_timeout(now)
        self.settle()

    def _note_timer(self) -> None:
        self.family.calls.runs.note_timer(self.owner, self.armed, self.is_tidied)


def _tell(futures: set[asyncio.Future[Any]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)
    futures.clear()
