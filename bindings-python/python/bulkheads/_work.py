"""What can be run in a bulkhead."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import AsyncGeneratorType, CoroutineType
from typing import Any

from ._engine import Calls


async def carry_out(calls: Calls, ticket: int, fn: Callable[..., Any], *args: Any) -> Any:
    """The work of a call; its permits go back before the caller goes on, however it ended.

    `Bulkhead.run` and `Bulkhead.wrap` have the same lines, since another coroutine in between would make them dearer.
    """
    try:
        result = fn(*args)
        if type(result) is CoroutineType or is_awaitable(fn, result):
            result = await result
    except BaseException as error:
        calls.end(ticket, error)
        raise
    del calls[ticket]
    return result


def check_work(fn: object) -> None:
    """Anything that can be called; the likely mistakes have a text of their own."""
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


def check_blocking_work(fn: object) -> None:
    """As `check_work`, for what a thread runs that is blocked meanwhile."""
    check_work(fn)
    if inspect.iscoroutinefunction(fn):
        raise TypeError(f"{fn!r} is an async function, which would run without a permit; use `await run(…)` in a loop")


def check_result(fn: object, result: object) -> None:
    """Raises TypeError if what a blocking function returned does its work later."""
    if not isinstance(result, AsyncGeneratorType) and not inspect.isawaitable(result):
        return
    if inspect.iscoroutine(result):
        result.close()
    raise TypeError(f"{fn!r} returned {result!r}, which would go on without a permit; use `await run(…)` in a loop")


def is_awaitable(fn: object, result: object) -> bool:
    """Whether what `fn` returned is to be awaited. Raises TypeError for what would do its work without a permit."""
    if isinstance(result, AsyncGeneratorType):
        raise TypeError(f"{fn!r} returned an async generator, which would run without a permit; use `async with` in it")
    return inspect.isawaitable(result)
