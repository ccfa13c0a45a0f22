"""A host that stands in for asyncio: a loop without queues of its own making, and tasks that only
note what is asked of them.

So what the compiled half of the Python package asks of a loop is seen as it is, without what
asyncio adds to it.
"""

from __future__ import annotations

import asyncio
import math
from asyncio import events, tasks
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Timer:
    when: float
    callback: Callable[[], object]
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Loop:
    """On virtual time. Nothing is called but by `settle` and `pass_time`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []
        self.ready: deque[Callable[[], object]] = deque()

    def time(self) -> float:
        return self.now

    def is_closed(self) -> bool:
        return False

    def call_at(self, when: float, callback: Callable[[], object], *, context: Context) -> Timer:
        self.timers.append(Timer(when, callback))
        return self.timers[-1]

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> None:
        self.ready.append(lambda: callback(*args))

    def create_future(self) -> Future:
        return Future()

    def next_timer(self) -> float:
        self.timers = [timer for timer in self.timers if not timer.is_cancelled]
        return min((timer.when for timer in self.timers), default=math.inf)

    def settle(self) -> None:
        """Until nothing is ready and no timer is due."""
        while self.ready or self.next_timer() <= self.now:
            with step(self, None):
                if self.ready:
                    self.ready.popleft()()
                else:
                    first = min(self.timers, key=lambda timer: timer.when)
                    self.timers.remove(first)
                    first.callback()

    def pass_time(self, until: float) -> None:
        self.settle()
        while (due := self.next_timer()) <= until:
            self.now = max(self.now, due)
            self.settle()
        self.now = max(self.now, until)


@dataclass
class Future:
    """One that the package makes itself, with whatever waits for it."""

    is_done: bool = False
    callbacks: list[Callable[[], object]] = field(default_factory=list)

    def done(self) -> bool:
        return self.is_done

    def set_result(self, result: None) -> None:
        self.is_done = True
        for callback in self.callbacks:
            callback()


class Task:
    """Asked to cancel it calls `on_cancel` in the next turn, when a task of asyncio would take its
    next step."""

    cr_running = False

    def __init__(self, loop: Loop, on_cancel: Callable[[], object]) -> None:
        self.loop = loop
        self.on_cancel = on_cancel
        self.requests = 0

    def get_coro(self) -> Task:
        return self

    def done(self) -> bool:
        return False

    def cancelling(self) -> int:
        return self.requests

    def uncancel(self) -> int:
        self.requests -= 1
        return self.requests

    def cancel(self) -> bool:
        self.requests += 1
        self.loop.call_soon(self.on_cancel)
        return True


@contextmanager
def step(loop: Loop, task: Task | None) -> Iterator[None]:
    """What happens inside happens in this loop, in a step of this task if there is one."""
    stand_in: Any = loop
    task_of: Any = task
    before = events._get_running_loop()
    events._set_running_loop(stand_in)
    try:
        if task is None:
            yield
        else:
            with _stepping(stand_in, task_of):
                yield
    finally:
        events._set_running_loop(before)


@contextmanager
def _stepping(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Iterator[None]:
    tasks._enter_task(loop, task)
    try:
        yield
    finally:
        tasks._leave_task(loop, task)
