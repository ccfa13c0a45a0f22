"""Async generators that have entered a bulkhead: which they are, and whether a task waits in
one."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import sys
from types import FrameType
from typing import Any

from ._permit import Acquisition


def frame() -> FrameType | None:
    """The frame of the caller, if that is an async generator that gives items.

    The body of an `@asynccontextmanager` is one too, but its task goes on inside of it.
    """
    caller = sys._getframe(1)
    if caller.f_code is _ACQUIRE and caller.f_back is not None:
        # Of `async with bulkhead.acquire()`.
        caller = caller.f_back
    if not caller.f_code.co_flags & inspect.CO_ASYNC_GENERATOR:
        return None
    below = caller.f_back
    return None if below is not None and below.f_code is _ENTER_CONTEXT else caller


_ACQUIRE = Acquisition.__aenter__.__code__
_ENTER_CONTEXT = contextlib._AsyncGeneratorContextManager.__aenter__.__code__


def waits_in(task: asyncio.Task[Any], frame: FrameType) -> bool:
    """Whether what this task waits for lies in the async generator with this frame."""
    awaited: Any = task.get_coro()
    while awaited is not None:
        if getattr(awaited, "ag_frame", None) is frame:
            return True
        for name in ("cr_await", "gi_yieldfrom", "ag_await"):
            if hasattr(awaited, name):
                awaited = getattr(awaited, name)
                break
        else:
            # What `anext` and its like return does not show its generator otherwise.
            awaited = next(filter(inspect.isasyncgen, gc.get_referents(awaited)), None)
    return False
