"""Functions that run in a bulkhead."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, overload

from ._calls import Calls

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class Wrapper:
    """What `wrap(weight=…)` returns: a decorator."""

    def __init__(self, calls: Calls, weight: int, timeout: float) -> None:
        self._calls = calls
        self._weight = weight
        self._timeout = timeout

    @overload
    def __call__(self, fn: Callable[Parameters, Awaitable[Result]], /) -> Callable[Parameters, Coroutine[Any, Any, Result]]: ...
    @overload
    def __call__(self, fn: Callable[Parameters, Result], /) -> Callable[Parameters, Coroutine[Any, Any, Result]]: ...
    def __call__(self, fn: Callable[..., Any], /) -> Callable[..., Coroutine[Any, Any, Any]]:
        check_work(fn)
        calls, weight, timeout = self._calls, self._weight, self._timeout

        @functools.wraps(fn)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            return await calls.run(fn, args, kwargs, weight, timeout, None)

        return guarded


def check_work(fn: object) -> None:
    """Anything that can be called; the likely mistakes have a text of their own."""
    if type(fn) is FunctionType and not fn.__code__.co_flags & inspect.CO_ASYNC_GENERATOR:
        return
    if callable(fn) and not isinstance(fn, staticmethod):
        if inspect.isasyncgenfunction(fn):
            raise TypeError(f"{fn!r} is an async generator function, which would run without a permit; use `async with` in it")
        return
    if inspect.iscoroutine(fn):
        fn.close()
        raise TypeError(f"fn must be a function, got a coroutine: pass {fn.__name__} and its arguments, do not call it")
    if isinstance(fn, (staticmethod, classmethod)):
        raise TypeError(f"fn must be a function, got a {type(fn).__name__}: put it above the decorator that wraps")
    raise TypeError(f"fn must be a function, got {fn!r}")
