"""Where the items of a map come from: one at a time, and only when asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Final

_NOTHING: Final = object()


def check_items(items: object) -> None:
    """Raises TypeError unless it can be iterated, one way or the other."""
    if not isinstance(items, (Iterable, AsyncIterable)) and not hasattr(type(items), "__getitem__"):
        raise TypeError(f"items must be an iterable or an async iterable, got {items!r}")


class Source:
    """Items of an iterable of either kind. At most one is in hand or, if getting it takes time,
    under way."""

    def __init__(self, items: Iterable[Any] | AsyncIterable[Any]) -> None:
        self.is_exhausted = False
        self._item: Any = _NOTHING
        self._pull: asyncio.Task[Any] | None = None
        self._later: AsyncIterator[Any] | None = None
        self._now: Iterator[Any] = iter(())
        if isinstance(items, AsyncIterable):
            self._later = aiter(items)
        else:
            self._now = iter(items)

    def has_item(self, ring: Callable[[object], None]) -> bool:
        """Whether an item is in hand; if none is, there is none left, or one is under way, and
        `ring` is called when it is there."""
        if self._item is _NOTHING:
            self._item = next(self._now, _NOTHING) if self._later is None else self._receive(self._later, ring)
            self.is_exhausted = self._item is _NOTHING and self._pull is None
        return self._item is not _NOTHING

    def take(self) -> Any:
        """The item in hand."""
        item, self._item = self._item, _NOTHING
        return item

    def under_way(self) -> list[asyncio.Task[Any]]:
        """The task that gets the next item, while it runs."""
        return [self._pull] if self._pull is not None and not self._pull.done() else []

    def _receive(self, items: AsyncIterator[Any], ring: Callable[[object], None]) -> Any:
        if self._pull is None:
            self._pull = asyncio.get_running_loop().create_task(_next(items))
            self._pull.add_done_callback(ring)
        if not self._pull.done():
            return _NOTHING
        pull, self._pull = self._pull, None
        return pull.result()


async def _next(items: AsyncIterator[Any]) -> Any:
    return await anext(items, _NOTHING)


def checked_flag(option: str, value: object) -> bool:
    """Raises TypeError for what is neither true nor false."""
    if not isinstance(value, bool):
        raise TypeError(f"{option} must be True or False, got {value!r}")
    return value


def checked_buffer(value: object) -> int:
    """Raises TypeError for what is no integer, ValueError below 0."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"buffer must be an integer, got {value!r}")
    if value < 0:
        raise ValueError(f"buffer must be 0 or more, got {value}")
    return value
