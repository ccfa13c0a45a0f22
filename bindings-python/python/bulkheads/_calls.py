"""How the calls of one bulkhead are admitted, run and ended: what all its public ways in share."""

from __future__ import annotations

import asyncio
import math
import warnings
from collections.abc import Callable
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from . import _answers, _options
from ._driver import LoopDriver
from ._drivers import Drivers
from ._engine import Engine, Runs
from ._errors import BulkheadError
from ._nested import Holdings
from ._numbers import LEAKED
from ._ready import READY
from ._run import Run
from ._work import is_awaitable

if TYPE_CHECKING:
    from ._permit import Permit


class Calls:
    """A bulkhead's name, engine and drivers, and the way of a call through them.

    `runs`, which is compiled, begins and ends a call; what is here it asks for by name, and only when a call is out of the ordinary:
    one that waits, is refused, is answered early, or comes with options of its own.
    """

    def __init__(self, name: str, engine: Engine, detects_reentrancy: bool, permit: type[Permit]) -> None:
        self.name = name
        self.engine = engine
        self.permit = permit
        self.drivers = Drivers(self, engine)
        self._holdings = Holdings(engine) if detects_reentrancy else None
        self.runs = Runs(self, name, engine, READY, detects_reentrancy)
        self._answered: dict[int, Run] = {}
        self._has_warned = False

    async def take(self, weight: int, timeout: float, deadline: float | None) -> int:
        """The id of a permit by hand."""
        ticket = self.runs.begin_hand(weight, timeout, deadline)
        if ticket < 0:
            ticket = ~ticket
            await self.runs.wait(ticket)
        id = self.runs.id(ticket)
        self.runs.forget(ticket)
        return id

    async def carry_out(self, ticket: int, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """The work itself; its permits go back before the caller goes on, however it ended."""
        try:
            result = fn(*args)
            if type(result) is CoroutineType or is_awaitable(fn, result):
                result = await result
        except BaseException as error:
            self.runs.end(ticket, error)
            raise
        del self.runs[ticket]
        return result

    def conclude(self, id: int, error: BaseException | None) -> None:
        """Raises the early answer of a run whose permit was given back; `error` is that of its work, None if it returned.

        Cancellations by others and what ends the process go before the answer.
        """
        run = self._answered.pop(id)
        run.has_ended = True
        is_cancelled = run.is_cancelled_by_others()
        if error is not None and not isinstance(error, (Exception, asyncio.CancelledError)):
            return
        if is_cancelled:
            if isinstance(error, asyncio.CancelledError):
                return
            raise asyncio.CancelledError from error
        raise _answers.early_answer(self.name, run.answer, run.ran) from error

    def answered(self, driver: LoopDriver, id: int) -> Run | None:
        """The run of this id, if it still runs, which has to be told that its caller's answer is fixed."""
        found = self.runs.answer(id)
        if found is None:
            return None
        run = self._answered[id] = Run(driver, *found)
        return run

    def hand_answered_over(self, id: int, task: asyncio.Task[Any] | None) -> None:
        """A run that was answered before its task began."""
        self._answered[id].hand_over(task)

    def end_answered(self, id: int) -> None:
        """A run that was answered goes on without its permit."""
        self._answered[id].has_ended = True

    def refusal(self, code: int, weight: int, holding: int) -> BulkheadError:
        """The error of a call that was rejected as it arrived."""
        return _answers.rejection(self.name, self.engine, code, weight, holding)

    def removal(self, event: int, waited: float, weight: int) -> BulkheadError:
        """The error of a call that left the queue without a permit."""
        return _answers.removal(self.name, self.engine, event, waited, weight)

    def holding(self, now: float) -> int:
        """How many permits the caller's own context holds, if that is looked at. What is due comes back before that is asked."""
        if self._holdings is None or self._holdings.permits() == 0:
            return 0
        self.engine.handle_timeout(now)
        return self._holdings.permits()

    def hold(self, id: int) -> None:
        """The caller's context holds the permits of this id."""
        if self._holdings is not None:
            self._holdings.add(id)

    def let_go(self) -> None:
        """Something has come back."""
        if self._holdings is not None:
            self._holdings.tidy()

    def checked(self, weight: object, timeout: object, deadline: object) -> tuple[int, float, float]:
        """The arguments of a call as the engine takes them."""
        weight, timeout = _options.count("weight", weight), _options.timeout(timeout)
        if deadline is None:
            return weight, timeout, math.inf
        return weight, timeout, _options.deadline(deadline) + self.drivers.here().offset

    def driver(self) -> LoopDriver:
        """That of the running loop."""
        return self.drivers.in_loop()

    def evict_closed(self) -> None:
        """Other loops may have been closed since the last call."""
        self.drivers.evict_closed()

    def look(self) -> tuple[float, float]:
        """For a thread that is to be blocked: the time, and for how many seconds at most until it looks again. See `Drivers.look`."""
        return self.drivers.look()

    def wake(self, owner: int) -> None:
        """A loop that was told something where none runs."""
        self.drivers.wake(owner)

    def give_back(self, id: int, outcome: int) -> None:
        """The end of a run, wherever it comes to it."""
        self.drivers.here().finish(id, outcome)

    def cancel(self, id: int) -> None:
        """A caller gives up, wherever its coroutine is when it is closed."""
        self.drivers.here().cancel(id)

    def reclaim(self, permit: Permit) -> None:
        """From a finaliser, in any thread and at any point of the program: so nothing is settled here."""
        self.runs.empty(permit, LEAKED)
        if not self._has_warned:
            self._has_warned = True
            text = f"a permit of bulkhead {self.name} was dropped without release; use `async with` (said once per bulkhead)"
            text += permit._taken_at()
            warnings.warn(text, ResourceWarning, stacklevel=2, source=permit)
