"""Many items through one bulkhead: as many at a time as there is room for, without ever queueing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from typing import Any

from ._calls import Calls
from ._room import Room
from ._source import Source


async def run_all(
    calls: Calls, fn: Callable[[Any], Any], items: Iterable[Any] | AsyncIterable[Any], weight: int
) -> AsyncGenerator[Any, None]:
    """The results of `fn` for each item, in order; see `Bulkhead.map`."""
    started: deque[asyncio.Task[Any]] = deque()
    source = Source(items)
    room = Room(calls, weight)
    has_failed = False

    def settled(task: asyncio.Task[Any]) -> None:
        nonlocal has_failed
        has_failed = has_failed or task.cancelled() or task.exception() is not None

    try:
        while True:
            wants_room = False
            while not has_failed and not source.is_exhausted and len(started) < room.width():
                if not room.is_there():
                    wants_room = True
                    break
                if not source.has_item():
                    break
                ticket = room.admit()
                if ticket is not None:
                    started.append(_start(calls, ticket, fn, source.take()))
                    started[-1].add_done_callback(settled)
            if started and started[0].done():
                yield started.popleft().result()
                continue
            waits = [*source.under_way(), *list(started)[:1], *([room.wanted()] if wants_room else [])]
            if not waits:
                return
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            room.leave()
    finally:
        room.leave()
        await _cancel([*source.under_way(), *started])


def _start(calls: Calls, ticket: int, fn: Callable[[Any], Any], item: object) -> asyncio.Task[Any]:
    has_begun = False

    async def work() -> Any:
        nonlocal has_begun
        has_begun = True
        calls.runs.hand_over(ticket)
        return await calls.carry_out(ticket, fn, (item,))

    def settled(task: asyncio.Task[Any]) -> None:
        if not has_begun:
            # It was cancelled before its first step.
            calls.runs.release(ticket, asyncio.CancelledError())
            calls.runs.forget(ticket)

    task = asyncio.get_running_loop().create_task(work())
    task.add_done_callback(settled)
    return task


async def _cancel(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
