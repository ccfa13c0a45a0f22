"""One call that the bulkhead runs, from its admission to the end of its work."""

from __future__ import annotations

import asyncio
from asyncio import current_task
from typing import TYPE_CHECKING, Any

from ._numbers import COMPLETED, FAILED

if TYPE_CHECKING:
    from ._driver import LoopDriver


class Run:
    """Ties a permit to the task that holds it, so that its early answer can cancel the work there.

    It keeps `cancelling()` right as `asyncio.timeout` does: the cancellation that it asked for is taken back on the way out,
    and whoever else cancelled the task meanwhile is obeyed.
    """

    __slots__ = ("_baseline", "_has_cancelled", "answer", "driver", "id", "is_waiting", "ran", "task")

    def __init__(self, driver: LoopDriver) -> None:
        self.driver = driver
        self.id = 0
        self.is_waiting = False
        self.answer = 0
        self.task: asyncio.Task[Any] | None = None

    def enter(self) -> None:
        """The current task is the one that works."""
        task = self.task = current_task(self.driver.loop)
        if task is not None:
            self._baseline = task.cancelling()
            if self.answer:
                self._cancel_soon()

    def answer_early(self, event: int, ran: float) -> None:
        """The caller's answer is fixed; the work has to end."""
        self.answer, self.ran, self._has_cancelled = event, ran, False
        if self.task is None:
            return
        if getattr(self.task.get_coro(), "cr_running", True):
            # It is on the stack: as the current task, or below its eager child, which began in the middle of its step. Cancelled
            # now it would hear of it where it waits next, which may be after the work has ended.
            self._cancel_soon()
        else:
            self._cancel()

    def end(self, error: BaseException | None) -> None:
        """The permit goes back."""
        ticket, self.id = self.id, 0
        if ticket:
            driver = self.driver
            del driver.runs[ticket]
            # Asking for the running loop costs more than all the rest; a coroutine may be finalised anywhere, though.
            here = driver if driver.is_at_home() else driver.family.here()
            here.finish(ticket, COMPLETED if error is None else FAILED)

    def is_cancelled_by_others(self) -> bool:
        """Takes the cancellation of an early answer back; whether anybody else's is left. Ask once."""
        task = self.task
        if task is None:
            return False
        left = task.uncancel() if self._has_cancelled else task.cancelling()
        return left > self._baseline

    def _cancel_soon(self) -> None:
        self.driver.loop.call_soon(self._cancel, context=self.driver.context)

    def _cancel(self) -> None:
        if self.id and self.task is not None:
            self._has_cancelled = self.task.cancel()
