"""The bulkhead as users know it."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Iterable
from types import CoroutineType, EllipsisType
from typing import Any, Never, NoReturn, ParamSpec, Protocol, TypeVar, TypeVarTuple, get_overloads, overload

from . import _stats
from ._awaitables import Entering
from ._engine import Calls, Gate
from ._idle import Idle
from ._map import check_items, run_all
from ._permit import Acquisition, Permit, TrackedPermit
from ._work import check_work, is_awaitable

Result = TypeVar("Result")
Item = TypeVar("Item")
Parameters = ParamSpec("Parameters")
Arguments = TypeVarTuple("Arguments")


class Wrapper(Protocol):
    """What `wrap(weight=…)` returns: a decorator.

    The functions it makes yield `object` and are sent nothing: with `Any` there, type checkers lose the result where such a
    function is passed on, to `run` or `map`.
    """

    @overload
    def __call__(
        self, fn: Callable[Parameters, Awaitable[Result]], /
    ) -> Callable[Parameters, Coroutine[object, Never, Result]]: ...
    @overload
    def __call__(self, fn: Callable[Parameters, Result], /) -> Callable[Parameters, Coroutine[object, Never, Result]]: ...


class Bulkhead(Gate):
    """Guards one dependency with a budget of permits.

    A call that gets its permits runs; one that cannot get them yet waits in a bounded queue, for a bounded time, first come,
    first served; every other call is rejected at once, with an error that says which bound rejected it.

    It may be made anywhere and serve any number of event loops and threads at once, in one order: `async with` and `run` wait
    in their loop, `with` and `run_sync` block their thread.
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
        :param timeout: the longest a call may wait. Left out: one second, or `call_timeout` if that is less.
        :param call_timeout: the longest the work may run, from the grant. None: no bound.
        :param abandon_after: how long after its bound work that does not end keeps its permit. None: until it ends.
        :param track_permits: the warning of a permit that was dropped, and `repr`, say where it was taken, which costs a stack.
        :param detect_reentrancy: a call that would wait for itself, because of what its own task or thread holds and its weight,
            raises `BulkheadReentrantError` instead.
        """
        calls = Calls(name, max_concurrent, max_queue, timeout, call_timeout, abandon_after, detect_reentrancy)
        if not isinstance(track_permits, bool):
            raise TypeError(f"track_permits must be a bool, got {track_permits!r}")
        self._open(Entering(calls))
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
    ) -> Result: ...
    async def run(self, fn: Callable[[*Arguments], Any], /, *args: *Arguments, **bounds: Any) -> Any:
        """Calls `fn(*args)` with `weight` permits, awaits it if need be, and returns its result.

        A function that blocks would stop the event loop: `await asyncio.to_thread(shipping.run_sync, work)`.
        Keyword arguments go by `functools.partial`. `timeout` can only shorten the bulkhead's wait, 0 is not willing to wait.
        `deadline` is a point in time on the loop's clock (`time.monotonic()`); it bounds the wait and the work.

        At its bound the work is cancelled, and `BulkheadCallTimeoutError` is raised when it has ended.
        """
        # To fill in three defaults takes Python a tenth of the time of a whole call.
        calls = self._calls
        ticket = calls.begin_bounded(fn, *_bounds(**bounds)) if bounds else calls.begin(fn)
        if ticket < 0:
            ticket = ~ticket
            await calls.wait(ticket)
        try:
            # Without arguments Python calls it faster if it sees none.
            result = fn(*args) if args else fn()  # type: ignore[call-arg]
            if type(result) is CoroutineType or is_awaitable(fn, result):
                # Running 5.3: in the task of its caller.
                result = await result
        except BaseException as error:
            calls.end(ticket, error)
            raise
        del calls[ticket]
        return result

    def run_sync(
        self,
        fn: Callable[[*Arguments], Result],
        /,
        *args: *Arguments,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
    ) -> Result:
        """As `run` for a thread, which is blocked while it waits: calls `fn(*args)` with `weight` permits and returns its result.

        Waiting lets other threads run, and Ctrl-C ends it. Nothing can cancel a function that runs: there is no call time-out,
        and `timeout` and `deadline` bound the wait alone. In a thread where an event loop runs it raises RuntimeError.
        """
        result: Result = self._calls.run_sync(fn, args, weight, timeout, deadline)
        return result

    def acquire(self, *, weight: int = 1, timeout: float = math.inf, deadline: float | None = None) -> Acquisition:
        """A permit: `async with shipping.acquire() as permit` or `permit = await shipping.acquire()`; see `Acquisition`."""
        return Acquisition(self._calls, self._permit, weight, timeout, deadline)

    def acquire_sync(self, *, weight: int = 1, timeout: float = math.inf, deadline: float | None = None) -> Permit:
        """A permit by hand, for which this thread is blocked: `with shipping.acquire_sync(weight=2) as permit`; as `run_sync`."""
        permit = self._permit(self._calls, Calls.checked_weight(weight))
        self._calls.fill(permit, weight, timeout, deadline)
        return permit

    def try_acquire(self, weight: int = 1) -> Permit | None:
        """A permit by hand if it can be had at once, also outside any event loop; it never waits."""
        weight = Calls.checked_weight(weight)
        permit = self._permit(self._calls, weight)
        return permit if self._calls.fill_at_once(permit, weight) else None

    @overload
    def wrap(self, fn: Callable[Parameters, Awaitable[Result]], /) -> Callable[Parameters, Coroutine[object, Never, Result]]: ...
    @overload
    def wrap(self, fn: Callable[Parameters, Result], /) -> Callable[Parameters, Coroutine[object, Never, Result]]: ...
    @overload
    def wrap(self, fn: None = None, /, *, weight: int = 1, timeout: float = math.inf) -> Wrapper: ...
    def wrap(self, fn: Callable[..., Any] | None = None, /, *, weight: int = 1, timeout: float = math.inf) -> Any:
        """An async function with the same parameters and result that runs in this bulkhead; also a decorator, on methods too.

        It is `async` also if `fn` is not, and calls it as `run` does.
        """
        calls, weight = self._calls, Calls.checked_weight(weight)
        Calls.check_timeout(timeout)
        is_plain = weight == 1 and timeout == math.inf

        def wrapper(fn: Callable[..., Any], /) -> Callable[..., Coroutine[Any, Any, Any]]:
            check_work(fn)

            @functools.wraps(fn)
            async def guarded(*args: Any, **kwargs: Any) -> Any:
                ticket = calls.begin(fn) if is_plain else calls.begin_bounded(fn, weight, timeout, None)
                if ticket < 0:
                    ticket = ~ticket
                    await calls.wait(ticket)
                try:
                    result = fn(*args, **kwargs)
                    if type(result) is CoroutineType or is_awaitable(fn, result):
                        result = await result
                except BaseException as error:
                    calls.end(ticket, error)
                    raise
                del calls[ticket]
                return result

            return guarded

        return wrapper if fn is None else wrapper(fn)

    @overload
    def map(
        self, fn: Callable[[Item], Awaitable[Result]], items: Iterable[Item] | AsyncIterable[Item], /, *, weight: int = 1
    ) -> AsyncGenerator[Result, None]: ...
    @overload
    def map(
        self, fn: Callable[[Item], Result], items: Iterable[Item] | AsyncIterable[Item], /, *, weight: int = 1
    ) -> AsyncGenerator[Result, None]: ...
    def map(
        self, fn: Callable[[Any], Any], items: Iterable[Any] | AsyncIterable[Any], /, *, weight: int = 1
    ) -> AsyncGenerator[Any, None]:
        """The results of `fn(item)` for each item, in order: `async for page in shipping.map(fetch, urls)`.

        An item is taken only when it can run, so that the queue stays free for others, who go first. No more than `limit` items
        are under way or wait for their turn. The first error ends it in its place; that, and `aclose()`, cancels the rest.
        """
        check_work(fn)
        check_items(items)
        return run_all(self._calls, fn, items, Calls.checked_weight(weight))

    def resize(self, max_concurrent: int, /) -> None:
        """Changes the limit. 0 pauses; shrinking waits until enough running calls have ended and revokes nothing."""
        self._calls.resize(max_concurrent)

    def close(self, *, abort: bool = False) -> Awaitable[None]:
        """Rejects new calls and all waiters, now; with `abort` it also cancels the running work.

        What it returns settles when no permit is held any more; awaited from inside the bulkhead's own work it never does.
        """
        self._calls.close(abort)
        return self._ending()

    def drain(self) -> Awaitable[None]:
        """Rejects new calls, now, and serves the waiters; what it returns is as for `close`."""
        self._calls.drain()
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

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a Bulkhead guards calls of one process and cannot be pickled or copied: {self!r}; make one in each process"
        )


def _bounds(*, weight: int = 1, timeout: float = math.inf, deadline: float | None = None) -> tuple[int, float, float | None]:
    return weight, timeout, deadline


# Errors about wrong keywords name `run`, and introspection sees its keywords.
_bounds.__qualname__ = Bulkhead.run.__qualname__
Bulkhead.run.__signature__ = inspect.signature(get_overloads(Bulkhead.run)[-1])  # type: ignore[attr-defined]
