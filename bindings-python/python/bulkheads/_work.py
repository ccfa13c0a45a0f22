"""What can be run in a bulkhead."""

from __future__ import annotations

import functools
import inspect
import warnings
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from types import AsyncGeneratorType, GeneratorType


def check_work(fn: object) -> None:
    """Anything that can be called; the likely mistakes have a text of their own."""
    if callable(fn) and not isinstance(fn, staticmethod):
        return
    if inspect.iscoroutine(fn):
        fn.close()
        raise TypeError(f"fn must be a function, got a coroutine: pass {fn.__name__} and its arguments, do not call it")
    if isinstance(fn, (staticmethod, classmethod)):
        raise TypeError(f"fn must be a function, got a {type(fn).__name__}: put it above the decorator that wraps")
    raise TypeError(f"fn must be a function, got {fn!r}")


def is_async(fn: Callable[..., object]) -> bool:
    """Whether what a call of `fn` returns is to be awaited, or iterated in a loop. Of a lambda it
    cannot be known; most return an awaitable."""
    is_lambda = getattr(fn, "__name__", "") == "<lambda>"
    call = getattr(fn, "__call__", None)  # noqa: B004
    ways = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return is_lambda or any(is_way(fn) or is_way(call) for is_way in ways)


def warn_of_ambiguity(fn: object, options: Iterable[str]) -> None:
    """Once for each function: an option of `run` that is a parameter of the work too does not get
    there."""
    # A method is an object of its own at each call.
    function = getattr(fn, "__func__", fn)
    try:
        if isinstance(fn, functools.partial) or function in _looked_at:
            return
        _looked_at.add(function)
        parameters = inspect.signature(fn).parameters  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return
    for option in options:
        if option in parameters:
            text = (
                f"run(…, {option}=…) is an option of the bulkhead, and {fn!r} has a parameter of that name: write "
                f"with_options({option}=…).run(…), which hands keywords on to the function"
            )
            warnings.warn(text, RuntimeWarning, stacklevel=3)


_looked_at: weakref.WeakSet[object] = weakref.WeakSet()


def check_blocking_work(fn: object) -> None:
    """As `check_work`, for what a thread runs that is blocked meanwhile."""
    check_work(fn)
    if inspect.iscoroutinefunction(fn) or inspect.isasyncgenfunction(fn):
        raise TypeError(f"{fn!r} is an async function, which would run without a permit; use `await run(…)` in a loop")


def refuse_result(fn: object, result: object) -> object:
    """Raises TypeError if what a blocking function returned does its work in a loop."""
    if not isinstance(result, AsyncGeneratorType) and not inspect.isawaitable(result):
        return result
    if inspect.iscoroutine(result):
        result.close()
    raise TypeError(f"{fn!r} returned {result!r}, which would go on without a permit; use `await run(…)` in a loop")


def goes_on(result: object) -> bool:
    """Whether what work returned in a loop goes on."""
    return inspect.isawaitable(result) or isinstance(result, (AsyncGeneratorType, GeneratorType, Future))
