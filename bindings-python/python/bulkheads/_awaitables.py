"""What entering and leaving return: `async with` awaits it, and that is all that is usually done
with it.

Both are coroutines too, since `create_task` asks for one. Their compiled classes have only what
`await` uses.
"""

from __future__ import annotations

import asyncio
from asyncio.events import _get_running_loop
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Final

from ._engine import Done, Entry


class Entering(Entry):
    """The permit is taken when it is awaited, by the task that awaits it: one object serves all
    tasks. As a coroutine it starts a real one for each task."""

    __slots__ = ("_coroutines",)

    _coroutines: dict[asyncio.Task[Any] | None, Coroutine[Any, Any, None]]

    def send(self, value: Any, /) -> Any:
        return self._step("send", value)

    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any:
        error = kind if value is None and traceback is None else (value or kind()).with_traceback(traceback)
        return self._step("throw", error)

    def close(self) -> None:
        coroutine = self._begun().pop(_task(), None)
        if coroutine is not None:
            coroutine.close()

    def _step(self, verb: str, value: Any) -> Any:
        task, begun = _task(), self._begun()
        coroutine = begun.pop(task, None) or _enter(self)
        yielded = getattr(coroutine, verb)(value)
        begun[task] = coroutine
        return yielded

    def _begun(self) -> dict[asyncio.Task[Any] | None, Coroutine[Any, Any, None]]:
        if not hasattr(self, "_coroutines"):
            self._coroutines = {}
        return self._coroutines


async def _enter(entering: Entering) -> None:
    await entering


def _task() -> asyncio.Task[Any] | None:
    return None if _get_running_loop() is None else asyncio.current_task()


def send(self: Done, value: Any, /) -> Any:
    raise StopIteration


def throw(self: Done, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any:
    """The task was cancelled before its first step."""
    raise kind if value is None else value


def close(self: Done) -> None:
    """There is nothing to give up."""


# Given to the class itself: a subclass would not have the slot for which it is there.
for _function in (send, throw, close):
    setattr(Done, _function.__name__, _function)

READY: Final = Done()
"""What leaving returns. It has no state: one serves all."""
