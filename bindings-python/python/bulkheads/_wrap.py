"""Functions that run in a bulkhead."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Coroutine
from types import CoroutineType
from typing import Any, Never, ParamSpec, TypeVar, overload

from ._engine import Runs
from ._work import check_work, is_awaitable

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class Wrapper:
    """What `wrap(weight=…)` returns: a decorator.

    The functions it makes yield `object` and are sent nothing: with `Any` there, type checkers lose the result where such a
    function is passed on, to `run` or `map`.
    """

    def __init__(self, runs: Runs, weight: int, timeout: float) -> None:
        self._runs = runs
        self._weight = weight
        self._timeout = timeout

    @overload
    def __call__(
        self, fn: Callable[Parameters, Awaitable[Result]], /
    ) -> Callable[Parameters, Coroutine[object, Never, Result]]: ...
    @overload
    def __call__(self, fn: Callable[Parameters, Result], /) -> Callable[Parameters, Coroutine[object, Never, Result]]: ...
    def __call__(self, fn: Callable[..., Any], /) -> Callable[..., Coroutine[Any, Any, Any]]:
        check_work(fn)
        runs, weight, timeout = self._runs, self._weight, self._timeout

        @functools.wraps(fn)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            # As `Bulkhead.run`, which another coroutine in between would make dearer.
            ticket = runs.begin(fn, weight, timeout, None)
            if ticket < 0:
                ticket = ~ticket
                await runs.wait(ticket)
            try:
                result = fn(*args, **kwargs)
                if type(result) is CoroutineType or is_awaitable(fn, result):
                    result = await result
            except BaseException as error:
                runs.end(ticket, error)
                raise
            del runs[ticket]
            return result

        return guarded
