"""A run that was answered early: it has to end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._driver import LoopDriver


class Run:
    """Cancels the task that works, as `asyncio.timeout` does.

    It keeps `cancelling()` right: the cancellation that it asked for is taken back on the way out, and whoever else cancelled
    the task meanwhile is obeyed.
    """

    __slots__ = ("_baseline", "_driver", "_has_cancelled", "answer", "has_ended", "ran", "task")

    def __init__(self, driver: LoopDriver, task: asyncio.Task[Any] | None, baseline: int) -> None:
        """`baseline` is how often the task had been cancelled when its run began."""
        self._driver = driver
        self._baseline = baseline
        self._has_cancelled = False
        self.has_ended = False
        self.task = task

    def answer_early(self, event: int, ran: float) -> None:
        """The caller's answer is fixed; the work has to end."""
        self.answer, self.ran = event, ran
        if self.task is None:
            return
        if getattr(self.task.get_coro(), "cr_running", True):
            # It is on the stack: as the current task, or below its eager child, which began in the middle of its step. Cancelled
            # now it would hear of it where it waits next, which may be after the work has ended.
            self._cancel_soon()
        else:
            self._cancel()

    def hand_over(self, task: asyncio.Task[Any] | None) -> None:
        """It begins in this task, which hears of the answer where it waits first."""
        self.task, self._baseline = task, 0 if task is None else task.cancelling()
        self._cancel_soon()

    def is_cancelled_by_others(self) -> bool:
        """Takes the cancellation of an early answer back; whether anybody else's is left. Ask once."""
        task = self.task
        if task is None:
            return False
        left = task.uncancel() if self._has_cancelled else task.cancelling()
        return left > self._baseline

    def _cancel_soon(self) -> None:
        self._driver.loop.call_soon(self._cancel, context=self._driver.context)

    def _cancel(self) -> None:
        if not self.has_ended and self.task is not None:
            self._has_cancelled = self.task.cancel()
