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
from ._numbers import EVENT_GRANTED, FIRST_ID, LEAKED
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
        return await self.carry_out(await self.enter(weight, timeout, deadline), fn, args, kwargs)

    async def enter(self, weight: int, timeout: float, deadline: float | None) -> Run:
        """A run of the current task, as soon as it has its permits; whoever gets it ends it and concludes it."""
        driver = self.drivers.in_loop()
        run = Run(driver)
        run.enter()
        ticket = driver.acquire(run, *_checked(weight, timeout, deadline))
        if ticket < FIRST_ID:
            try:
                await self._wait(driver, ticket, weight)
            except BaseException:
                driver.runs.pop(run.id, None)
                raise
        return run

    async def take(self, weight: int, timeout: float, deadline: float | None) -> int:
        """The id of a permit by hand."""
        driver = self.drivers.in_loop()
        ticket = driver.acquire(None, *_checked(weight, timeout, deadline))
        if ticket < FIRST_ID:
            ticket = await self._wait(driver, ticket, weight)
        return ticket

    async def carry_out(self, run: Run, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The work itself; its permits go back before the caller goes on, however it ended."""
        try:
            result = fn(*args, **kwargs)
            if type(result) is CoroutineType or inspect.isawaitable(result):
                result = await result
            elif isinstance(result, AsyncGeneratorType):
                raise TypeError(f"{fn!r} returned an async generator, which would run without a permit; use `async with` in it")
        except BaseException as error:
            run.end(error)
            self.conclude(run, error)
            raise
        run.end(None)
        self.conclude(run, None)
        return result

    def conclude(self, run: Run, error: BaseException | None) -> None:
        """Raises the early answer of a run that has one; its own outcome is `error`, None if it returned.

        Cancellations by others and what ends the process go before the answer.
        """
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

    async def _wait(self, driver: LoopDriver, ticket: int, weight: int) -> int:
        """The id of the waiter when it may go on; raises the reason if it may not."""
        if ticket >= 0:
            raise _answers.rejection(self.name, self.engine, ticket, weight)
        event, waited = await driver.wait(-ticket)
        if event != EVENT_GRANTED:
            raise _answers.removal(self.name, self.engine, event, waited, weight)
        driver.start(-ticket)
        return -ticket


def _checked(weight: int, timeout: float, deadline: float | None) -> tuple[int, float, float]:
    return (
        _options.count("weight", weight),
        timeout if timeout is math.inf else _options.timeout(timeout),
        math.inf if deadline is None else _options.seconds("deadline", deadline),
    )
