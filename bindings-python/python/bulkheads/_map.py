"""Many items through one bulkhead: as many at a time as it has capacity for, without ever
queueing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any

from ._engine import Asked, Calls
from ._follow import carry_out
from ._items import Source


@dataclass(frozen=True)
class Plan:
    """What a map was asked for."""

    calls: Calls
    fn: Callable[[Any], Any]
    asked: Asked
    stop_on_error: bool
    return_exceptions: bool
    ordered: bool
    buffer: int


async def run_all(plan: Plan, source: Source) -> AsyncGenerator[Any, None]:
    """The results of `plan.fn` for each item; see `Bulkhead.map`."""
    run = _Run(plan, source)
    try:
        while True:
            run.start_what_fits()
            if run.has_outcome():
                outcome = run.take()
                if outcome.error is None:
                    yield outcome.value
                elif plan.return_exceptions and not outcome.is_of_source:
                    # Map 1.9
                    yield outcome.error
                elif plan.stop_on_error or plan.return_exceptions:
                    raise outcome.error
                else:
                    run.errors.append(outcome)
            elif run.is_over():
                break
            else:
                await run.change()
        if run.errors:
            raise run.group()
    finally:
        await run.close()


@dataclass
class _Outcome:
    index: int
    value: Any = None
    error: BaseException | None = None
    is_of_source: bool = False


class _Run:
    def __init__(self, plan: Plan, source: Source) -> None:
        self.errors: list[_Outcome] = []
        self._plan = plan
        self._source = source
        self._running: dict[int, asyncio.Task[Any]] = {}
        # In the order in which they came.
        self._outcomes: dict[int, _Outcome] = {}
        self._taken = 0
        self._next = 0
        # No further item is taken.
        self._is_closed = False
        self._capacity: asyncio.Future[None] | None = None
        # Since when it has been waiting for capacity while none of its items runs.
        self._waits_since: int | None = None
        self._changed: asyncio.Future[None] | None = None

    def start_what_fits(self) -> None:
        self._forget_capacity()
        while not self._is_ending():
            try:
                # Before an item is taken: one that is taken is to run, unless others are faster.
                self._await_capacity(self._plan.calls.wait_capacity(self._plan.asked, *self._turn()))
                if self._capacity is not None or not self._source.has_item(self._ring):
                    return
            except Exception as error:
                self._is_closed = True
                self._failed(_Outcome(self._taken, error=error, is_of_source=True))
                return
            if not self._start():
                return

    def has_outcome(self) -> bool:
        return self._next in self._outcomes if self._plan.ordered else bool(self._outcomes)

    def take(self) -> _Outcome:
        """The outcome that the consumer gets next."""
        index = self._next if self._plan.ordered else next(iter(self._outcomes))
        self._next += 1
        return self._outcomes.pop(index)

    def is_over(self) -> bool:
        return not self._running and self._is_ending()

    async def change(self) -> None:
        """Waits for an outcome, for capacity, or for an item."""
        self._changed = asyncio.get_running_loop().create_future()
        try:
            await self._changed
        finally:
            self._changed = None

    def group(self) -> BaseExceptionGroup[BaseException]:
        """All errors, in order of the items."""
        self.errors.sort(key=lambda outcome: outcome.index)
        errors = [outcome.error for outcome in self.errors if outcome.error is not None]
        text = f"{self._plan.calls.name}: {len(errors)} of {self._taken} items failed"
        return BaseExceptionGroup(text, errors)

    async def close(self) -> None:
        self._is_closed = True
        self._forget_capacity()
        tasks = [*self._source.under_way(), *self._running.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _is_ending(self) -> bool:
        return self._is_closed or self._source.is_exhausted

    def _turn(self) -> tuple[int, int]:
        """How many items run, and since when the map has been waiting if none does.

        A result that waits for the consumer, and has no place in the buffer, counts as an item that
        runs.
        """
        # Map 1.8
        running = len(self._running) + max(0, len(self._outcomes) - self._plan.buffer)
        if running:
            return running, 0
        if self._waits_since is None:
            self._waits_since = self._plan.calls.waits_since()
        return 0, self._waits_since

    def _start(self) -> bool:
        """The item in hand. False if it must wait for capacity."""
        calls = self._plan.calls
        try:
            begun = calls.begin_item(self._plan.asked, *self._turn())
        except Exception as error:
            # Map 1.4: the bulkhead would reject the rest too.
            self._is_closed = True
            self._source.take()
            self._failed(_Outcome(self._take_index(), error=error))
            return True
        if not isinstance(begun, int):
            self._await_capacity(begun)
            return False
        index = self._take_index()
        task = _start(calls, begun, self._plan.fn, self._source.take())
        self._running[index] = task
        task.add_done_callback(lambda task: self._ended(index, task))
        return True

    def _take_index(self) -> int:
        self._waits_since = None
        self._taken += 1
        return self._taken - 1

    def _ended(self, index: int, task: asyncio.Task[Any]) -> None:
        del self._running[index]
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is None:
            self._outcomes[index] = _Outcome(index, task.result())
        else:
            self._failed(_Outcome(index, error=error))
        self._ring()

    def _failed(self, outcome: _Outcome) -> None:
        if outcome.error is not None and not outcome.is_of_source:
            outcome.error.add_note(f"{self._plan.calls.name}: item {outcome.index} of a map")
        self._outcomes[outcome.index] = outcome
        if self._plan.stop_on_error and not self._plan.return_exceptions:
            self._is_closed = True
            # In order the items before it go on: their results come first.
            # Map 1.7
            last = outcome.index if self._plan.ordered else -1
            for index, task in self._running.items():
                if index > last:
                    task.cancel()

    def _await_capacity(self, capacity: asyncio.Future[None] | None) -> None:
        self._capacity = capacity
        if capacity is not None:
            capacity.add_done_callback(self._ring)

    def _forget_capacity(self) -> None:
        capacity, self._capacity = self._capacity, None
        if capacity is not None:
            self._plan.calls.forget(capacity)

    def _ring(self, _: object = None) -> None:
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)


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
