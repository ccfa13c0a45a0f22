"""Which time it is for the core, to which all the clocks of a bulkhead's loops and threads have to make sense."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import get_clock_info
from types import FunctionType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ._engine import Engine

RESOLUTION: Final = get_clock_info("monotonic").resolution


class Clock:
    """A clock set forward by `offset`: one that begins behind what the core has seen, a virtual one say, would let everybody wait
    until that time has come round again."""

    __slots__ = ("_read", "offset")

    def __init__(self, read: Callable[[], float], offset: float) -> None:
        self._read = read
        self.offset = offset

    def __call__(self) -> float:
        return self._read() + self.offset


def behind(engine: Engine, read: Callable[[], float], offset: float = 0.0) -> float:
    """By how much to set a clock forward, which is set by `offset` already. Those that agree stay as they are."""
    latest = engine.now()
    gap = latest - (read() + offset)
    # A timer that fires a little early takes the core that much ahead.
    return offset + gap if gap > 2 * RESOLUTION else offset


def shifted(read: Callable[[], float], offset: float) -> Callable[[], float]:
    """The clock itself if it can be, since that is faster."""
    return Clock(read, offset) if offset else read


def is_real(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether its clock is the system's. That of a compiled loop is, which other threads should not ask."""
    clock: object = getattr(loop.time, "__func__", loop.time)
    return clock is asyncio.BaseEventLoop.time or not isinstance(clock, FunctionType)
