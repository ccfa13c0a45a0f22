"""What the calls that need not wait return: awaited, it is done at once."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final

from ._engine import Done


def send(self: Done, value: Any, /) -> Any:
    """It is a coroutine too, for whoever makes a task of it."""
    raise StopIteration


def throw(self: Done, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any:
    """Whoever is cancelled before the first step."""
    raise kind if value is None else value


def close(self: Done) -> None:
    """There is nothing to give up."""


# Given to the class itself: a subclass would not have the slot for which it is there.
for _function in (send, throw, close):
    setattr(Done, _function.__name__, _function)

READY: Final = Done()
"""It has no state: one serves all."""
