"""One call that the bulkhead runs, from its admission to the end of its work."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ._numbers import COMPLETED, FAILED

if TYPE_CHECKING:
    from ._driver import LoopDriver


class Run:
    """Ties a permit to the task that holds it, so that its early answer can cancel the work there.

    It keeps `cancelling()` right as `asyncio.timeout` does: the cancellation that it asked for is taken back on the way out,
    and whoever else cancelled the task meanwhile is obeyed.
    """

    __slots__ = ("_baseline", "_cancelled", "_task", "answer", "driver", "id", "ran")

    def __init__(self, driver: LoopDriver) -> None:
        self.driver = driver
        self.id = 0
        self.answer = 0
        self.ran = 0.0
        self._cancelled = False
        self._task: asyncio.Task[Any] | None = None
        self._baseline = 0

    def enter(self) -> None:
        """The current task is the one that works."""
        task = self._task = asyncio.current_task(self.driver.loop)
        if task is not None:
            self._baseline = task.cancelling()
            if self.answer:
                self._cancel_soon()

    def answer_early(self, event: int, ran: float) -> None:
        """The caller's answer is fixed; the work has to end."""
        self.answer, self.ran = event, ran
        task = self._task
        if task is None:
            return
        if task is asyncio.current_task(self.driver.loop):
            # A task that cancels itself is cancelled where it waits next, which may be after the work has ended.
            self._cancel_soon()
        else:
            self._cancel()

    def end(self, error: BaseException | None) -> None:
        """The permit goes back."""
        ticket, self.id = self.id, 0
        if ticket:
            self.driver.runs.pop(ticket, None)
            self.driver.family.here().finish(ticket, COMPLETED if error is None else FAILED)

    def is_cancelled_by_others(self) -> bool:
        """Takes this run's own cancellation back; whether anybody else's is left. Ask once."""
        task = self._task
        if task is None:
            return False
        left = task.uncancel() if self._cancelled else task.cancelling()
        return left > self._baseline

    def _cancel_soon(self) -> None:
        self.driver.loop.call_soon(self._cancel, context=self.driver.context)

    def _cancel(self) -> None:
        if self.id and self._task is not None:
            self._cancelled = self._task.cancel()
