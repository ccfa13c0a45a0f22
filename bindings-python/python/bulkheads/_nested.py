"""What each context holds, for `detect_reentrancy`."""

from __future__ import annotations

import weakref
from contextvars import ContextVar
from typing import Final

from ._engine import Engine

_HELD: Final[ContextVar[tuple[Held, ...]]] = ContextVar("permits of bulkheads", default=())


class Holdings:
    """Of one bulkhead. A context is what `contextvars` says: that of a task, or of a thread.

    Tasks, and whatever else runs in a copy of a context, hold what that held when they were begun, until it comes back.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._self = weakref.ref(self)

    def permits(self) -> int:
        """How many the caller's context holds."""
        return sum(held.permits() for held in _HELD.get() if held.whose is self._self)

    def add(self, id: int) -> None:
        """The caller's context holds the permits of this id."""
        held = _HELD.get()
        # Each look asks the core about all of them: at these lengths, what has come back is never more than what is held.
        is_power_of_two = len(held) & (len(held) - 1) == 0
        _HELD.set((*(_still_held(held) if is_power_of_two else held), Held(self._self, id)))

    def tidy(self) -> None:
        """Something came back, most likely what was taken last. The rest is looked at as more is added."""
        held = _HELD.get()
        count = len(held)
        while count and not held[count - 1].permits():
            count -= 1
        if count < len(held):
            _HELD.set(held[:count])


class Held:
    """The core knows what has come back, however it did. A context keeps no bulkhead alive."""

    __slots__ = ("_id", "whose")

    def __init__(self, whose: weakref.ref[Holdings], id: int) -> None:
        self.whose = whose
        self._id = id

    def permits(self) -> int:
        """How many it holds now."""
        holdings = self.whose()
        return 0 if holdings is None else holdings.engine.permits(self._id)


def _still_held(held: tuple[Held, ...]) -> tuple[Held, ...]:
    return tuple(one for one in held if one.permits())
