"""How the calls of one bulkhead are admitted, run and ended: what all its public ways in share."""

from __future__ import annotations

import asyncio
import inspect
import math
import warnings
from collections.abc import Callable
from types import AsyncGeneratorType, CoroutineType
from typing import TYPE_CHECKING, Any

from . import _answers, _options
from ._driver import LoopDriver
from ._drivers import Drivers
from ._engine import Engine
from ._numbers import EVENT_GRANTED, FIRST_ID, LEAKED, MAX_COUNT
from ._run import Run

if TYPE_CHECKING:
    from ._permit import Permit


class Calls:
    """A bulkhead's name, engine and drivers, and the way of a call through them."""

    def __init__(self, name: str, engine: Engine) -> None:
        self.name = name
        self.engine = engine
        self.drivers = Drivers(engine)
        self._has_warned = False

    async def run(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        weight: int,
        timeout: float,
        deadline: float | None,
    ) -> Any:
        """The work of `fn` with permits, from admission to result."""
        run = self.admit(weight, timeout, deadline)
        if run.is_waiting:
            await self.wait(run, weight)
        return await self.carry_out(run, fn, args, kwargs)

    def admit(self, weight: int, timeout: float, deadline: float | None) -> Run:
        """A run of the current task, which may have to wait; whoever gets it ends it and concludes it."""
        if type(weight) is int and 0 < weight <= MAX_COUNT and timeout is math.inf and deadline is None:
            bound = math.inf
        else:
            weight, timeout, bound = _checked(weight, timeout, deadline)
        driver = self.drivers.in_loop()
        run = Run(driver)
        run.enter()
        code = driver.admit(run, weight, timeout, bound)
        if code:
            raise _answers.rejection(self.name, self.engine, code, weight)
        return run

    async def wait(self, run: Run, weight: int) -> None:
        """Until a run may go on; raises the reason if it may not."""
        run.is_waiting = False
        try:
            await self._wait(run.driver, run.id, weight)
        except BaseException:
            run.driver.runs.pop(run.id, None)
            raise

    async def take(self, weight: int, timeout: float, deadline: float | None) -> int:
        """The id of a permit by hand."""
        driver = self.drivers.in_loop()
        ticket = driver.acquire(*_checked(weight, timeout, deadline))
        if ticket < 0:
            await self._wait(driver, -ticket, weight)
        elif ticket < FIRST_ID:
            raise _answers.rejection(self.name, self.engine, ticket, weight)
        return abs(ticket)

    async def carry_out(self, run: Run, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The work itself; its permits go back before the caller goes on, however it ended."""
        try:
            result = fn(*args, **kwargs)
            if type(result) is CoroutineType or inspect.isawaitable(result):
                result = await result
            elif isinstance(result, AsyncGeneratorType):
                raise TypeError(f"{fn!r} returned an async generator, which would run without a permit; use `async with` in it")
        except BaseException as error:
            self.conclude(run, error)
            raise
        self.conclude(run, None)
        return result

    def conclude(self, run: Run, error: BaseException | None) -> None:
        """Gives the permit of a run back, then raises its early answer if it has one; `error` is that of its work, None if it returned.

        Cancellations by others and what ends the process go before the answer.
        """
        run.end(error)
        if not run.answer:
            return
        is_cancelled = run.is_cancelled_by_others()
        if error is not None and not isinstance(error, (Exception, asyncio.CancelledError)):
            return
        if is_cancelled:
            if isinstance(error, asyncio.CancelledError):
                return
            raise asyncio.CancelledError from error
        raise _answers.early_answer(self.name, run.answer, run.ran) from error

    def reclaim(self, ticket: int, permit: Permit) -> None:
        """From a finaliser, in any thread and at any point of the program: so nothing is settled here."""
        self.drivers.outside.finish(ticket, LEAKED)
        if not self._has_warned:
            self._has_warned = True
            text = f"a permit of bulkhead {self.name} was dropped without release; use `async with` (said once per bulkhead)"
            warnings.warn(text, ResourceWarning, stacklevel=2, source=permit)

    async def _wait(self, driver: LoopDriver, waiter: int, weight: int) -> None:
        event, waited = await driver.wait(waiter)
        if event != EVENT_GRANTED:
            raise _answers.removal(self.name, self.engine, event, waited, weight)
        driver.start(waiter)


def _checked(weight: int, timeout: float, deadline: float | None) -> tuple[int, float, float]:
    return (
        _options.count("weight", weight),
        _options.timeout(timeout),
        _options.deadline(deadline),
    )
