"""The bulkhead as users know it."""

from __future__ import annotations

import asyncio
import functools
import inspect
import math
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
from concurrent.futures import Future
from types import CoroutineType, EllipsisType
from typing import Any, Final, Literal, Never, NoReturn, ParamSpec, Protocol, Self, TypeVar, TypeVarTuple, get_overloads, overload

from . import _stats
from ._awaitables import Entering
from ._engine import Calls, Gate
from ._follow import follow_in_loop, in_thread, relay
from ._idle import Idle
from ._items import Source, check_items, checked_buffer, checked_flag
from ._map import Plan, run_all
from ._permit import Acquisition, Permit, TrackedPermit
from ._work import check_blocking_work, check_work, goes_on, is_async, warn_of_ambiguity

_TO_THREAD: Final[Any] = asyncio.to_thread

Result = TypeVar("Result")
Item = TypeVar("Item")
Parameters = ParamSpec("Parameters")
Sent = TypeVar("Sent", contravariant=True)
Arguments = TypeVarTuple("Arguments")


class Wrapper(Protocol):
    """What `wrap(weight=…)` returns: a decorator.

    The functions it makes yield `object` and are sent nothing: with `Any` there, type checkers lose
    the result where such a function is passed on, to `run` or `map`.
    """

    @overload
    def __call__(
        self, fn: Callable[Parameters, Awaitable[Result]], /
    ) -> Callable[Parameters, CoroutineType[object, Never, Result]]: ...
    @overload
    def __call__(
        self, fn: Callable[Parameters, AsyncGenerator[Item, Sent]], /
    ) -> Callable[Parameters, AsyncGenerator[Item, Sent]]: ...
    @overload
    def __call__(self, fn: Callable[Parameters, Result], /) -> Callable[Parameters, Result]: ...


class Bulkhead(Gate):
    """Guards one dependency with a budget of permits.

    A call that gets its permits runs; one that cannot get them yet waits in a bounded queue, for a
    bounded time, first come, first served; every other call is rejected at once, with an error that
    says which bound rejected it.

    It may be made anywhere and serve any number of event loops and threads at once, in one order:
    `async with` and `run` wait in their loop, `with` and `run_sync` block their thread.
    """

    def __init__(
        self,
        name: str,
        *,
        max_concurrent: int,
        max_queue: int = 0,
        timeout: float | EllipsisType = ...,
        call_timeout: float | None = None,
        abandon_after: float | None = None,
        track_permits: bool = False,
        detect_reentrancy: bool = False,
    ) -> None:
        """Times are seconds; `math.inf` is no bound.

        :param name: stands in errors, warnings and `repr`.
        :param max_concurrent: how many permits there are, at least 1.
        :param max_queue: how many calls may wait; 0 fails fast.
        :param timeout: the longest a call may wait. Left out: one second, or `call_timeout` if that
            is less.
        :param call_timeout: the longest the work may run, from the grant. None: no bound.
        :param abandon_after: how long after its bound work that does not end keeps its permit.
            None: until it ends.
        :param track_permits: the warning of a permit that was dropped, and `repr`, say where it was
            taken, which costs a stack.
        :param detect_reentrancy: a call that would wait for itself, because of what its own task or
            thread holds and its weight, raises `BulkheadReentrantError` instead.
        """
        calls = Calls(name, max_concurrent, max_queue, timeout, call_timeout, abandon_after, detect_reentrancy)
        if not isinstance(track_permits, bool):
            raise TypeError(f"track_permits must be a bool, got {track_permits!r}")
        self._open(Entering(calls, calls.ask(1, math.inf, None, None)))
        self._calls = calls
        self._permit = TrackedPermit if track_permits else Permit
        self._end: Idle | None = None
        self._idle: Idle | None = None

    @property
    def name(self) -> str:
        """As it stands in errors, warnings and `repr`."""
        return self._calls.name

    @overload
    async def run(
        self,
        fn: Callable[[*Arguments], Awaitable[Result]],
        /,
        *args: *Arguments,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
    ) -> Result: ...
    @overload
    async def run(
        self,
        fn: Callable[[*Arguments], Future[Result]],
        /,
        *args: *Arguments,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
    ) -> Result: ...
    @overload
    async def run(
        self,
        fn: Callable[[*Arguments], Result],
        /,
        *args: *Arguments,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
    ) -> Result: ...
    async def run(self, fn: Callable[[*Arguments], Any], /, *args: *Arguments, **bounds: Any) -> Any:
        """Calls `fn(*args)` with `weight` permits, awaits it if need be, and returns its result.

        A function that blocks would stop the event loop: `await shipping.run_in_thread(work)`.
        Keyword arguments go by `functools.partial`, or `with_options`. `timeout` can only shorten
        the bulkhead's wait, 0 is not willing to wait; `call_timeout` that of the work. `deadline`
        is a point in time on the loop's clock (`time.monotonic()`); it bounds both.

        A future of another thread is awaited, and the permit stays until it is done. A generator is
        returned; the permit stays until that ends, is closed or dropped.

        At its bound the work is cancelled, and `BulkheadCallTimeoutError` is raised when it has
        ended.
        """
        if fn is _TO_THREAD:
            # Cancelled it would leave its thread, which would go on without a permit.
            return await self.run_in_thread(*args, **bounds)  # type: ignore[arg-type]
        # To fill in the defaults takes Python a tenth of the time of a whole call.
        calls = self._calls
        if bounds:
            warn_of_ambiguity(fn, bounds)
            ticket = calls.begin_bounded(fn, *_bounds(**bounds))
        else:
            ticket = calls.begin(fn)
        if ticket < 0:
            ticket = ~ticket
            await calls.wait(ticket)
        try:
            # Without arguments Python calls it faster if it sees none.
            result = fn(*args) if args else fn()  # type: ignore[call-arg]
            # Running 5.3: in the task of its caller.
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

    async def run_in_thread(self, fn: Callable[[*Arguments], Result], /, *args: *Arguments, **bounds: Any) -> Result:
        """Calls `fn(*args)` in a thread, as `asyncio.to_thread` does, and returns its result;
        options as for `run`.

        The permit stays until the thread is done, also when the caller has left or its bound has
        passed: nothing can end a thread.
        """
        check_blocking_work(fn)
        begin: Callable[[], Any] = functools.partial(in_thread, fn, *args)
        result: Result = await self.run(begin, **bounds)
        return result

    def with_options(
        self,
        *,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
    ) -> WithOptions:
        """The same bulkhead under these options:
        `shipping.with_options(timeout=0.5).run(work, timeout=3)` hands `timeout=3` on to `work`.
        Also `async with shipping.with_options(weight=2)`."""
        return WithOptions(self, weight=weight, timeout=timeout, deadline=deadline, call_timeout=call_timeout)

    def run_sync(
        self,
        fn: Callable[[*Arguments], Result],
        /,
        *args: *Arguments,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
    ) -> Result:
        """As `run` for a thread, which is blocked while it waits: calls `fn(*args)` with `weight`
        permits and returns its result.

        A future that it returns is waited for, and a generator keeps the permit until it ends, is
        closed or dropped.

        Waiting lets other threads run, and Ctrl-C ends it. Nothing can cancel a function that runs:
        there is no call time-out, and `timeout` and `deadline` bound the wait alone. In a thread
        where an event loop runs it raises RuntimeError.
        """
        result: Result = self._calls.run_sync(fn, args, weight, timeout, deadline)
        return result

    def acquire(self, *, weight: int = 1, timeout: float = math.inf, deadline: float | None = None) -> Acquisition:
        """A permit: `async with shipping.acquire() as permit` or
        `permit = await shipping.acquire()`; see `Acquisition`."""
        return Acquisition(self._calls, self._permit, weight, timeout, deadline)

    def acquire_sync(self, *, weight: int = 1, timeout: float = math.inf, deadline: float | None = None) -> Permit:
        """A permit by hand, for which this thread is blocked:
        `with shipping.acquire_sync(weight=2) as permit`; as `run_sync`."""
        permit = self._permit(self._calls, Calls.checked_weight(weight))
        self._calls.fill(permit, weight, timeout, deadline)
        return permit

    def try_acquire(self, weight: int = 1) -> Permit | None:
        """A permit by hand if it can be had at once, also outside any event loop; it never
        waits."""
        weight = Calls.checked_weight(weight)
        permit = self._permit(self._calls, weight)
        return permit if self._calls.fill_at_once(permit, weight) else None

    @overload
    def wrap(
        self, fn: Callable[Parameters, Awaitable[Result]], /
    ) -> Callable[Parameters, CoroutineType[object, Never, Result]]: ...
    @overload
    def wrap(
        self, fn: Callable[Parameters, AsyncGenerator[Item, Sent]], /
    ) -> Callable[Parameters, AsyncGenerator[Item, Sent]]: ...
    @overload
    def wrap(self, fn: Callable[Parameters, Result], /) -> Callable[Parameters, Result]: ...
    @overload
    def wrap(
        self, fn: None = None, /, *, weight: int = 1, timeout: float = math.inf, call_timeout: float | None = None
    ) -> Wrapper: ...
    def wrap(
        self,
        fn: Callable[..., Any] | None = None,
        /,
        *,
        weight: int = 1,
        timeout: float = math.inf,
        call_timeout: float | None = None,
    ) -> Any:
        """The same function, with a permit for each call; also a decorator, on methods too.

        An async function stays one, as `run` calls it; an async generator keeps its permit until it
        ends or is closed. A plain function stays plain, for threads, as `run_sync` calls it; where
        an event loop runs it raises RuntimeError.
        """
        calls, weight = self._calls, Calls.checked_weight(weight)
        calls.ask(weight, timeout, None, call_timeout)
        is_plain = weight == 1 and timeout == math.inf and call_timeout is None

        def wrapper(fn: Callable[..., Any], /) -> Callable[..., Any]:
            check_work(fn)
            if not is_async(fn):
                return blocking(fn)

            @functools.wraps(fn)
            async def guarded(*args: Any, **kwargs: Any) -> Any:
                ticket = calls.begin(fn) if is_plain else calls.begin_bounded(fn, weight, timeout, None, call_timeout)
                if ticket < 0:
                    ticket = ~ticket
                    await calls.wait(ticket)
                try:
                    result = fn(*args, **kwargs)
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

            return streaming(guarded) if inspect.isasyncgenfunction(fn) else guarded

        def blocking(fn: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(fn)
            def guarded(*args: Any, **kwargs: Any) -> Any:
                work = functools.partial(fn, **kwargs) if kwargs else fn
                # Threads and loops in Python 2.5
                return calls.run_sync(work, args, weight, timeout, None)

            return guarded

        return wrapper if fn is None else wrapper(fn)

    @overload
    def map(
        self,
        fn: Callable[[Item], Awaitable[Result]],
        items: Iterable[Item] | AsyncIterable[Item],
        /,
        *,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
        stop_on_error: bool = True,
        return_exceptions: Literal[False] = False,
        ordered: bool = True,
        buffer: int = 0,
    ) -> AsyncGenerator[Result, None]: ...
    @overload
    def map(
        self,
        fn: Callable[[Item], Result],
        items: Iterable[Item] | AsyncIterable[Item],
        /,
        *,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
        stop_on_error: bool = True,
        return_exceptions: Literal[False] = False,
        ordered: bool = True,
        buffer: int = 0,
    ) -> AsyncGenerator[Result, None]: ...
    @overload
    def map(
        self,
        fn: Callable[[Item], Awaitable[Result]],
        items: Iterable[Item] | AsyncIterable[Item],
        /,
        *,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
        stop_on_error: bool = True,
        return_exceptions: Literal[True],
        ordered: bool = True,
        buffer: int = 0,
    ) -> AsyncGenerator[Result | BaseException, None]: ...
    @overload
    def map(
        self,
        fn: Callable[[Item], Result],
        items: Iterable[Item] | AsyncIterable[Item],
        /,
        *,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
        stop_on_error: bool = True,
        return_exceptions: Literal[True],
        ordered: bool = True,
        buffer: int = 0,
    ) -> AsyncGenerator[Result | BaseException, None]: ...
    def map(
        self,
        fn: Callable[[Any], Any],
        items: Iterable[Any] | AsyncIterable[Any],
        /,
        *,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
        call_timeout: float | None = None,
        stop_on_error: bool = True,
        return_exceptions: bool = False,
        ordered: bool = True,
        buffer: int = 0,
    ) -> AsyncGenerator[Any, None]:
        """The results of `fn(item)` for each item, in order:
        `async for page in shipping.map(fetch, urls)`.

        An item is taken only when it can run, so that the queue stays free for others, who go
        first; while none of its items runs, it waits for that no longer than any call (`timeout`,
        then `BulkheadTimeoutError`). No more than `limit` items, and `buffer` results, are under
        way or wait for their turn; with `ordered=False` each result comes as soon as it is there.

        The first error ends it in its place, and cancels what comes behind; so does `aclose()`.
        With `stop_on_error=False` all items run, and an exception group of the errors comes last;
        with `return_exceptions=True` errors come as results.
        """
        check_work(fn)
        check_items(items)
        calls = self._calls
        asked = calls.ask(weight, timeout, deadline, call_timeout)
        plan = Plan(
            calls=calls,
            fn=fn,
            asked=asked,
            stop_on_error=checked_flag("stop_on_error", stop_on_error),
            return_exceptions=checked_flag("return_exceptions", return_exceptions),
            ordered=checked_flag("ordered", ordered),
            buffer=checked_buffer(buffer),
        )
        return run_all(plan, Source(items))

    def resize(self, max_concurrent: int, /) -> None:
        """Changes the limit. 0 pauses; shrinking waits until enough running calls have ended and
        revokes nothing."""
        self._calls.resize(max_concurrent)

    def close(self, *, abort: bool = False) -> Awaitable[None]:
        """Rejects new calls and all waiters, now; with `abort` it also cancels the running work.

        What it returns settles when no permit is held any more; awaited from inside the bulkhead's
        own work it never does.
        """
        self._calls.close(abort)
        return self._ending()

    def drain(self, *, timeout: float = math.inf) -> Awaitable[None]:
        """Rejects new calls, now, and serves the waiters, for `timeout` seconds at most: then it
        closes, which needs an event loop.

        What it returns is as for `close`.
        """
        self._calls.drain(timeout)
        return self._ending()

    def idle(self) -> Awaitable[None]:
        """Settles at the first moment without waiters and without permits in use; ends nothing."""
        moment = self._calls.idle_moment()
        # The same one until its moment has come.
        if self._idle is None or self._idle.moment != moment:
            self._idle = Idle(self._calls, moment)
        return self._idle

    def _ending(self) -> Idle:
        """The same for every close and drain, in whichever thread."""
        # Ending 3, Ending 6
        idle = self._end or Idle(self._calls, self._calls.idle_moment())
        if self._end is None:
            self._end = idle
        return self._end

    def stats(self) -> _stats.Stats:
        """One consistent snapshot, a value that later calls don't change."""
        return _stats.snapshot(self._calls.stats())

    def __repr__(self) -> str:
        limit, active, queued, max_queue = self._calls.figures()
        figures = f"{active}/{limit} active, {queued}/{max_queue} queued"
        state = self.stats().state
        marks = ([] if state == "open" else [state]) + (["paused"] if limit == 0 else [])
        return f"<Bulkhead {', '.join([f'{self.name} {figures}', *marks])}>"

    def __copy__(self) -> Self:
        """Itself: a copy of an object that holds a bulkhead means the same dependency, and its
        one limit."""
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a Bulkhead guards calls of one process and cannot be pickled: {self!r}; make one in each process")


def streaming(guarded: Callable[..., Awaitable[AsyncGenerator[Any, Any]]]) -> Callable[..., AsyncGenerator[Any, Any]]:
    """From a function whose result is awaited for a stream: the permit is taken with the first
    item."""

    @functools.wraps(guarded)
    def stream(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        return relay(functools.partial(guarded, *args, **kwargs))

    return stream


def _bounds(
    *, weight: int = 1, timeout: float = math.inf, deadline: float | None = None, call_timeout: float | None = None
) -> tuple[int, float, float | None, float | None]:
    return weight, timeout, deadline, call_timeout


class WithOptions(Gate):
    """A bulkhead under options for some of its calls; see `Bulkhead.with_options`. Keywords go to
    the work."""

    def __init__(self, bulkhead: Bulkhead, /, **options: Any) -> None:
        calls = bulkhead._calls
        self._bulkhead = bulkhead
        self._options = options
        self._open(Entering(calls, calls.ask(*_bounds(**options))))

    async def run(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """As `Bulkhead.run`."""
        return await self._bulkhead.run(_with_keywords(fn, kwargs), *args, **self._options)

    async def run_in_thread(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """As `Bulkhead.run_in_thread`."""
        return await self._bulkhead.run_in_thread(_with_keywords(fn, kwargs), *args, **self._options)

    def run_sync(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """As `Bulkhead.run_sync`, which knows no `call_timeout`."""
        return self._bulkhead.run_sync(_with_keywords(fn, kwargs), *args, **self._of_permits())

    def acquire(self) -> Acquisition:
        """As `Bulkhead.acquire`."""
        return self._bulkhead.acquire(**self._of_permits())

    def acquire_sync(self) -> Permit:
        """As `Bulkhead.acquire_sync`."""
        return self._bulkhead.acquire_sync(**self._of_permits())

    def wrap(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """As `Bulkhead.wrap`, which knows no `deadline`."""
        return self._bulkhead.wrap(**{name: value for name, value in self._options.items() if name != "deadline"})(fn)

    def map(
        self, fn: Callable[[Any], Any], items: Iterable[Any] | AsyncIterable[Any], /, **options: Any
    ) -> AsyncGenerator[Any, None]:
        """As `Bulkhead.map`, with its further options."""
        return self._bulkhead.map(fn, items, **self._options, **options)

    def _of_permits(self) -> dict[str, Any]:
        return {name: value for name, value in self._options.items() if name != "call_timeout"}


def _with_keywords(fn: Callable[..., Any], kwargs: dict[str, Any]) -> Callable[..., Any]:
    # Always one: of a partial function `run` knows that its keywords are meant for the work.
    return functools.partial(fn, **kwargs)


# Errors about wrong keywords name `run`, and introspection sees its keywords.
_bounds.__qualname__ = Bulkhead.run.__qualname__
Bulkhead.run.__signature__ = inspect.signature(get_overloads(Bulkhead.run)[-1])  # type: ignore[attr-defined]
