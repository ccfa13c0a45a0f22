"""What entering a bulkhead returns."""

from __future__ import annotations

import asyncio
from asyncio.events import _get_running_loop
from collections.abc import Coroutine
from types import TracebackType
from typing import Any

from ._engine import Entry, Runs


class Entering(Entry):
    """`async with` awaits it, and that is all that is usually done with it.

    It is a coroutine too, for whoever makes a task of it; then each task has a real one, which does the work.
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._coroutines: dict[asyncio.Task[Any] | None, Coroutine[Any, Any, None]] = {}

    def send(self, value: Any, /) -> Any:
        return self._step("send", value)

    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any:
        error = kind if value is None and traceback is None else (value or kind()).with_traceback(traceback)
        return self._step("throw", error)

    def close(self) -> None:
        coroutine = self._coroutines.pop(_task(), None)
        if coroutine is not None:
            coroutine.close()

    def _step(self, verb: str, value: Any) -> Any:
        task = _task()
        coroutine = self._coroutines.pop(task, None) or _enter(self._runs)
        yielded = getattr(coroutine, verb)(value)
        self._coroutines[task] = coroutine
        return yielded


async def _enter(runs: Runs) -> None:
    waiting = runs.enter()
    if waiting is not None:
        await waiting


def _task() -> asyncio.Task[Any] | None:
    return None if _get_running_loop() is None else asyncio.current_task()
