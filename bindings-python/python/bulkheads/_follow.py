"""Work that goes on after its function has returned: it keeps its permit until it has ended."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import Future, wait
from functools import partial
from types import AsyncGeneratorType, CoroutineType, GeneratorType, TracebackType
from typing import Any, NoReturn

from ._engine import Calls
from ._work import goes_on, refuse_result


def follow(calls: Calls, id: int, fn: object, result: Any) -> Any:
    """What `run_sync` returns for a result that may do more work; the permit of `id` is back when
    that has ended."""
    if isinstance(result, GeneratorType) and not inspect.isawaitable(result):
        # Running 5.6
        return Stream(calls, id, result)
    if isinstance(result, Future):
        return _wait(calls, id, result)
    return refuse_result(fn, result)


def _wait(calls: Calls, id: int, future: Future[Any]) -> Future[Any]:
    """The future, when it is done."""
    # First: what a signal handler raises ends the wait, not the work.
    future.add_done_callback(partial(_end, calls, id))
    try:
        # Running 5.7
        wait([future])
    except BaseException:
        calls.overrun(id)
        raise
    # The callback of its thread may still be to come.
    _end(calls, id, future)
    return future


def _end(calls: Calls, id: int, future: Future[Any]) -> None:
    calls.end_id(id, future.cancelled() or future.exception() is not None)


async def carry_out(calls: Calls, ticket: int, fn: Callable[..., Any], *args: Any) -> Any:
    """The work of a call; its permits go back before the caller goes on, however it ended.

    `Bulkhead.run` and `Bulkhead.wrap` have the same lines, since another coroutine in between would
    make them dearer.
    """
    try:
        result = fn(*args)
        if type(result) is CoroutineType:
            result = await result
        elif goes_on(result):
            is_held, result = await follow_in_loop(calls, ticket, result)
            if is_held:
                return result
    except BaseException as error:
        calls.end(ticket, error)
        raise
    del calls[ticket]
    return result


async def follow_in_loop(calls: Calls, ticket: int, result: Any) -> tuple[bool, Any]:
    """What becomes of a result that may do more work, and whether that holds the permit of the call
    from now on."""
    if inspect.isawaitable(result):
        return False, await result
    if isinstance(result, Future):
        return False, await _finish_future(calls, ticket, result)
    if isinstance(result, AsyncGeneratorType):
        # Running 5.6
        return True, AsyncStream(calls, ticket, result)
    id = calls.detach(ticket, False)
    calls.end(ticket, None)
    # Running 5.6
    return True, Stream(calls, id, result)


async def _finish_future(calls: Calls, ticket: int, future: Future[Any]) -> Any:
    """The result of a future that work has returned in a loop. Its permit stays until it is done,
    also when its caller leaves."""
    try:
        return await asyncio.wrap_future(future)
    except BaseException:
        if not future.done():
            # Running 5.7
            id = calls.detach(ticket, True)
            future.add_done_callback(partial(_end, calls, id))
        raise


def in_thread(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """Starts `fn` in a thread of the loop's own, as `asyncio.to_thread` does; the future is done
    when the thread is."""
    future: Future[Any] = Future()
    call = partial(contextvars.copy_context().run, fn, *args, **kwargs)
    asyncio.get_running_loop().run_in_executor(None, _carry_out, future, call)
    return future


def _carry_out(future: Future[Any], call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


class Stream(Generator[Any, Any, Any]):
    """A generator that keeps its permit until it ends, is closed or dropped."""

    __slots__ = ("_calls", "_generator", "_id")

    def __init__(self, calls: Calls, id: int, generator: Generator[Any, Any, Any]) -> None:
        self._calls = calls
        self._id = id
        self._generator = generator

    def send(self, value: Any, /) -> Any:
        return self._step(self._generator.send, value)

    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any:
        return self._step(self._generator.throw, kind if value is None else value)

    def close(self) -> None:
        try:
            self._generator.close()
        finally:
            self._end(None)

    def _step(self, step: Callable[[Any], Any], value: Any) -> Any:
        try:
            return step(value)
        except BaseException as error:
            self._end(None if isinstance(error, StopIteration) else error)
            raise

    def _end(self, error: BaseException | None) -> None:
        id, self._id = self._id, 0
        if id:
            self._calls.end_id(id, error is not None)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a generator with a permit is not copied or pickled")

    def __del__(self) -> None:
        # A signal handler may have raised before it was whole.
        if getattr(self, "_id", 0):
            self.close()


class AsyncStream(AsyncGenerator[Any, Any]):
    """An async generator that keeps its permit until it ends, is closed or dropped.

    A bound that passes while it runs cancels the task that runs it; while it stands still it is
    raised at the next step.
    """

    __slots__ = ("_calls", "_generator", "_ticket")

    def __init__(self, calls: Calls, ticket: int, generator: AsyncGenerator[Any, Any]) -> None:
        self._calls = calls
        self._ticket: int | None = ticket
        self._generator = generator
        if isinstance(generator, AsyncGeneratorType):
            calls.set_stream(ticket, generator.ag_frame)

    async def asend(self, value: Any, /) -> Any:
        return await self._step(self._generator.asend, value)

    async def athrow(self, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any:
        return await self._step(self._generator.athrow, kind if value is None else value)

    async def aclose(self) -> None:
        try:
            await self._generator.aclose()
        finally:
            self._end(GeneratorExit())

    async def _step(self, step: Callable[[Any], Any], value: Any) -> Any:
        if self._ticket is not None:
            if self._calls.ends_early(self._ticket):
                await self._generator.aclose()
                self._end(None)
                raise StopAsyncIteration
            # The task that asks for an item is cancelled at the bound.
            self._calls.hand_over(self._ticket)
        try:
            return await step(value)
        except StopAsyncIteration:
            self._end(None)
            raise
        except BaseException as error:
            self._end(error)
            raise

    def _end(self, error: BaseException | None) -> None:
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            self._calls.end(ticket, error)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a generator with a permit is not copied or pickled")

    def __del__(self) -> None:
        # The generator itself is closed by its loop.
        if getattr(self, "_ticket", None) is not None:
            self._end(GeneratorExit())


async def relay(begin: Callable[[], Awaitable[AsyncGenerator[Any, Any]]]) -> AsyncGenerator[Any, Any]:
    """The items of a stream that begins with the first; what is sent and thrown goes through."""
    stream = await begin()
    try:
        step = stream.asend(None)
        while True:
            try:
                item = await step
            except StopAsyncIteration:
                return
            try:
                sent = yield item
            except GeneratorExit:
                raise
            except BaseException as error:
                step = stream.athrow(error)
            else:
                step = stream.asend(sent)
    finally:
        await stream.aclose()
