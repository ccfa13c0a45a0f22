"""Many items through one bulkhead: as many at a time as it has capacity for, without ever queueing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Final

from ._engine import Calls
from ._work import carry_out

_NOTHING: Final = object()


async def run_all(
    calls: Calls, fn: Callable[[Any], Any], items: Iterable[Any] | AsyncIterable[Any], weight: int
) -> AsyncGenerator[Any, None]:
    """The results of `fn` for each item, in order; see `Bulkhead.map`."""
    started: deque[asyncio.Task[Any]] = deque()
    source = Source(items)
    capacity: asyncio.Future[Any] | None = None
    has_failed = False

    def settled(task: asyncio.Task[Any]) -> None:
        nonlocal has_failed
        has_failed = has_failed or task.cancelled() or task.exception() is not None

    try:
        while True:
            capacity = None
            while not has_failed and not source.is_exhausted and len(started) < calls.width(weight):
                # Before an item is taken: one that is taken is to run, unless others are faster.
                capacity = calls.wait_capacity(weight)
                if capacity is not None or not source.has_item():
                    break
                begun = calls.begin_item(weight)
                if not isinstance(begun, int):
                    capacity = begun
                    break
                started.append(_start(calls, begun, fn, source.take()))
                started[-1].add_done_callback(settled)
            if started and started[0].done():
                yield started.popleft().result()
            else:
                waits = [*source.under_way(), *list(started)[:1], *([] if capacity is None else [capacity])]
                if not waits:
                    return
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if capacity is not None:
                calls.forget(capacity)
    finally:
        if capacity is not None:
            calls.forget(capacity)
        await _cancel([*source.under_way(), *started])


def check_items(items: object) -> None:
    """Raises TypeError unless it can be iterated, one way or the other."""
    if not isinstance(items, (Iterable, AsyncIterable)) and not hasattr(type(items), "__getitem__"):
        raise TypeError(f"items must be an iterable or an async iterable, got {items!r}")


class Source:
    """Items of an iterable of either kind. At most one is in hand or, if getting it takes time, under way."""

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

    def has_item(self) -> bool:
        """Whether an item is in hand; if none is, one is under way or there is none left."""
        if self._item is _NOTHING:
            self._item = next(self._now, _NOTHING) if self._later is None else self._receive(self._later)
            self.is_exhausted = self._item is _NOTHING and self._pull is None
        return self._item is not _NOTHING

    def take(self) -> Any:
        """The item in hand."""
        item, self._item = self._item, _NOTHING
        return item

    def under_way(self) -> list[asyncio.Task[Any]]:
        """The task that gets the next item, while it runs."""
        return [self._pull] if self._pull is not None and not self._pull.done() else []

    def _receive(self, items: AsyncIterator[Any]) -> Any:
        if self._pull is None:
            self._pull = asyncio.get_running_loop().create_task(_next(items))
        if not self._pull.done():
            return _NOTHING
        pull, self._pull = self._pull, None
        return pull.result()


async def _next(items: AsyncIterator[Any]) -> Any:
    return await anext(items, _NOTHING)


def _start(calls: Calls, ticket: int, fn: Callable[[Any], Any], item: object) -> asyncio.Task[Any]:
    has_begun = False

    async def work() -> Any:
        nonlocal has_begun
        has_begun = True
        calls.hand_over(ticket)
        return await carry_out(calls, ticket, fn, item)

    def settled(task: asyncio.Task[Any]) -> None:
        if not has_begun:
            # It was cancelled before its first step.
            calls.end(ticket, asyncio.CancelledError())

    task = asyncio.get_running_loop().create_task(work())
    task.add_done_callback(settled)
    return task


async def _cancel(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
