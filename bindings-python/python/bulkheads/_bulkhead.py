"""The bulkhead as users know it."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Iterable
from types import CoroutineType, EllipsisType
from typing import Any, Never, NoReturn, ParamSpec, TypeVar, TypeVarTuple, overload

from . import _options, _stats
from ._calls import Calls
from ._engine import Engine, Gate
from ._entering import Entering
from ._map import run_all
from ._permit import Acquisition, Permit, TrackedPermit
from ._source import check_items
from ._work import check_work, is_awaitable
from ._wrap import Wrapper

Result = TypeVar("Result")
Item = TypeVar("Item")
Parameters = ParamSpec("Parameters")
Arguments = TypeVarTuple("Arguments")


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
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, got {name!r}")
        engine = Engine(
            _options.count("max_concurrent", max_concurrent),
            _options.count("max_queue", max_queue, least=0),
            _options.default_timeout(timeout),
            _options.optional_seconds("call_timeout", call_timeout),
            _options.optional_seconds("abandon_after", abandon_after),
        )
        permit = TrackedPermit if _options.flag("track_permits", track_permits) else Permit
        calls = Calls(name, engine, _options.flag("detect_reentrancy", detect_reentrancy), permit)
        self._open(Entering(calls.runs))
        self._calls = calls
        self._runs = calls.runs

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
    async def run(
        self,
        fn: Callable[[*Arguments], Any],
        /,
        *args: *Arguments,
        weight: int = 1,
        timeout: float = math.inf,
        deadline: float | None = None,
    ) -> Any:
        """Calls `fn(*args)` with `weight` permits, awaits it if need be, and returns its result.

        A function that blocks would stop the event loop: `await asyncio.to_thread(shipping.run_sync, work)`.
        Keyword arguments go by `functools.partial`. `timeout` can only shorten the bulkhead's wait, 0 is not willing to wait.
        `deadline` is a point in time on the loop's clock (`time.monotonic()`); it bounds the wait and the work.

        At its bound the work is cancelled, and `BulkheadCallTimeoutError` is raised when it has ended.
        """
        runs = self._runs
        ticket = runs.begin(fn, weight, timeout, deadline)
        if ticket < 0:
            ticket = ~ticket
            await runs.wait(ticket)
        try:
            # Without arguments Python calls it faster if it sees none.
            result = fn(*args) if args else fn()  # type: ignore[call-arg]
            if type(result) is CoroutineType or is_awaitable(fn, result):
                result = await result
        except BaseException as error:
            runs.end(ticket, error)
            raise
        del runs[ticket]
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
        result: Result = self._runs.run_sync(fn, args, weight, timeout, deadline)
        return result

    def acquire(self, *, weight: int = 1, timeout: float = math.inf, deadline: float | None = None) -> Acquisition:
        """A permit: `async with shipping.acquire() as permit` or `permit = await shipping.acquire()`; see `Acquisition`."""
        return Acquisition(self._calls, weight, timeout, deadline)

    def acquire_sync(self, *, weight: int = 1, timeout: float = math.inf, deadline: float | None = None) -> Permit:
        """A permit by hand, for which this thread is blocked: `with shipping.acquire_sync(weight=2) as permit`; as `run_sync`."""
        weight = _options.count("weight", weight)
        permit = self._calls.permit(self._calls, 0, weight)
        self._runs.fill(permit, weight, timeout, deadline)
        return permit

    def try_acquire(self, weight: int = 1) -> Permit | None:
        """A permit by hand if it can be had at once, also outside any event loop; it never waits."""
        weight = _options.count("weight", weight)
        permit = self._calls.permit(self._calls, 0, weight)
        return permit if self._runs.fill_at_once(permit, weight) else None

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
        weight, timeout = _options.count("weight", weight), _options.timeout(timeout)
        _options.check_call(weight, timeout)
        wrapper = Wrapper(self._runs, weight, timeout)
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
        weight = _options.count("weight", weight)
        _options.check_call(weight, math.inf)
        return run_all(self._calls, fn, items, weight)

    def resize(self, max_concurrent: int, /) -> None:
        """Changes the limit. 0 pauses; shrinking waits until enough running calls have ended and revokes nothing."""
        self._calls.drivers.here().resize(_options.count("max_concurrent", max_concurrent, least=0))

    def close(self, *, abort: bool = False) -> Awaitable[None]:
        """Rejects new calls and all waiters, now; with `abort` it also cancels the running work.

        What it returns settles when no permit is held any more; awaited from inside the bulkhead's own work it never does.
        """
        return self._calls.drivers.here().close(_options.flag("abort", abort))

    def drain(self) -> Awaitable[None]:
        """Rejects new calls, now, and serves the waiters; what it returns is as for `close`."""
        return self._calls.drivers.here().drain()

    def idle(self) -> Awaitable[None]:
        """Settles at the first moment when nobody waits and no permit is held; ends nothing."""
        return self._calls.drivers.here().watch_idle()

    def stats(self) -> _stats.Stats:
        """One consistent snapshot, a value that later calls don't change."""
        return _stats.snapshot(self._calls.engine.stats())

    def __repr__(self) -> str:
        engine = self._calls.engine
        figures = f"{engine.active()}/{engine.limit()} active, {engine.queued()}/{engine.max_queue()} queued"
        state = self.stats().state
        marks = ([] if state == "open" else [state]) + (["paused"] if engine.limit() == 0 else [])
        return f"<Bulkhead {', '.join([f'{self.name} {figures}', *marks])}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a Bulkhead guards calls of one process and cannot be pickled or copied: {self!r}; make one in each process"
        )
