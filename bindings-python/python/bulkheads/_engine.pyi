"""The compiled half of the package. Times are seconds."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context
from types import TracebackType
from typing import Any, Self, final

from typing_extensions import disjoint_base

__all__ = ["Asked", "Calls", "Done", "Entry", "Gate", "Waiting", "look_for_closed_loops_after"]

def look_for_closed_loops_after(nanos: int, /) -> int:
    """For tests: sets the interval, in nanoseconds, at which a waiter polls for closed loops.
    Answers the one before."""

@final
class Asked:
    """What calls ask for, checked; see `Calls.ask`."""

@final
class Calls:
    """The calls of one bulkhead. `begin…` answers a ticket, or, of a call that has to wait, minus
    one minus its ticket; it raises the reason if the call is refused."""

    def __new__(
        cls,
        name: object,
        max_concurrent: object,
        max_queue: object,
        timeout: object,
        call_timeout: object,
        abandon_after: object,
        detect_reentrancy: object,
    ) -> Self: ...
    @property
    def name(self) -> str: ...
    def begin(self, work: object, /) -> int:
        """A call of `run` without bounds of its own."""
    def begin_bounded(self, work: object, weight: object, timeout: object, deadline: object, call_timeout: object, /) -> int:
        """As `begin`, of any call, or of a block of code: then `work` is None."""
    def begin_item(self, asked: Asked, running: int, since: int, /) -> int | asyncio.Future[None]:
        """An item of `map`: its ticket, or the future that says when to ask again. It is to be
        handed over."""
    def begin_manual(self, weight: object, timeout: object, deadline: object, /) -> int:
        """A manual permit. It is to be put into its object."""
    def wait(self, ticket: int, /) -> Waiting:
        """What a call that has to wait awaits. Raises the reason if it may not go on."""
    def end(self, ticket: int, error: BaseException | None, /) -> None:
        """Gives the permits of a call back; `error` is that of its work, None if it returned.
        Raises its early answer, if it has one."""
    def __delitem__(self, ticket: int, /) -> None:
        """The work of a call returned, as `end`: Python calls this faster than any method."""
    def release(self, ticket: int, error: BaseException | None, /) -> None:
        """Gives the permits of a call back, which goes on without."""
    def hand_over(self, ticket: int, /) -> None:
        """The call goes on in the current task, which did not begin it."""
    def id(self, ticket: int, /) -> int:
        """Id of a call."""
    def run_sync(
        self,
        work: Callable[..., Any],
        args: tuple[object, ...],
        weight: object,
        timeout: object,
        deadline: object,
        /,
    ) -> Any:
        """Calls `work` with permits, for which this thread may have to be blocked."""
    def fill(self, permit: object, weight: object, timeout: object, deadline: object, /) -> None:
        """A manual permit, put into an object that has none yet; this thread may have to be blocked
        until it is there."""
    def fill_from(self, permit: object, ticket: int, /) -> None:
        """As `fill`, with that of a call that `begin_manual` began."""
    def fill_at_once(self, permit: object, weight: int, /) -> bool:
        """As `fill`, if the permit can be had at once."""
    def release_part(self, id: int, permits: object, /) -> bool:
        """Gives some of what an id holds back; false if it holds nothing any more."""
    def split(self, id: int, permits: object, /) -> int:
        """The id of a permit of its own with some of what this one holds; 0 if that is nothing any
        more."""
    def adjust(self, id: int, weight: object, /) -> bool:
        """Whether an id holds so many permits now: more only if they are to be had at once."""
    def empty(self, permit: object, has_failed: bool, /) -> bool:
        """Takes a permit out of its object and gives it back; false if there is none."""
    def reclaim(self, permit: object, /) -> bool:
        """As `empty`, for a permit that was dropped; true if it is the first of this bulkhead."""
    def count_double_release(self) -> None:
        """A permit was released that had been before."""
    def resize(self, max_concurrent: object, /) -> None: ...
    def close(self, abort: object, /) -> None: ...
    def drain(self, timeout: object, /) -> None: ...
    def idle_moment(self) -> int:
        """The ticket of the next idle moment; 0 if that is now."""
    def wait_idle(self, number: int, /) -> asyncio.Future[None] | None:
        """A future that is done at such a moment; None if the one of this number has come."""
    def wait_capacity(self, asked: Asked, running: int, since: int, /) -> asyncio.Future[None] | None:
        """A future that is done when it is time to ask again; None if such an item would be
        answered at once, but not as full."""
    def forget(self, future: asyncio.Future[None], /) -> None:
        """The waiter of this future has gone."""
    @staticmethod
    def checked_weight(weight: object, /) -> int:
        """A weight in its range, as an int; raises what a call with it would raise."""
    @staticmethod
    def check_timeout(timeout: object, /) -> None:
        """Raises what a call with this time-out would raise."""
    def stats(self) -> dict[str, float]:
        """Every figure, by the names that the engine gives them."""
    def ask(self, weight: object, timeout: object, deadline: object, call_timeout: object, /) -> Asked:
        """What calls ask for, checked; raises what a call with these arguments would raise."""
    def detach(self, ticket: int, overrun: bool, /) -> int:
        """The permits of a call are held by its id from now on, whatever becomes of its caller:
        `end` keeps them, and `end_id` gives them back. With `overrun` its caller leaves before its
        work has ended."""
    def overrun(self, id: int, /) -> None:
        """The caller of this id leaves before its work has ended."""
    def end_id(self, id: int, has_failed: bool, /) -> None:
        """Gives back what an id holds, if it holds anything."""
    def ends_early(self, ticket: int, /) -> bool:
        """Whether the work of a call is to end early."""
    def set_stream(self, ticket: int, frame: object, /) -> None:
        """The work of a call is the async generator with this frame."""
    def waits_since(self) -> int:
        """From now on a map waits for capacity while none of its items runs; the core's time."""
    def figures(self) -> tuple[int, int, int, int]:
        """Limit, permits in use, waiters, places in the queue."""

@disjoint_base
class Gate:
    """What `Bulkhead` builds on."""

    def __new__(cls, *args: object, **options: object) -> Self: ...
    def _open(self, entry: Entry, /) -> None:
        """Once, before anything else."""
    async def __aenter__(self) -> None:
        """An anonymous permit of weight 1. It nests, and serves many tasks at once."""
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...
    def __enter__(self) -> None:
        """As `__aenter__`, but the thread is blocked until the permit is there. RuntimeError where
        an event loop runs."""
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

@disjoint_base
class Entry:
    """What entering returns: the permit is taken when it is awaited, by the task that awaits it."""

    def __new__(cls, calls: Calls, asked: Asked, /) -> Self: ...
    def get(self) -> Self: ...
    def __await__(self) -> Generator[Any, Any]: ...

@final
class Done(Coroutine[Any, Any, None]):
    """Awaited, it is done at once. `_awaitables` makes it a coroutine."""

    def __await__(self) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> None: ...
    def send(self, value: Any, /) -> Any: ...
    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any: ...
    def close(self) -> None: ...

@final
class Waiting:
    """What a call that has to wait awaits: an awaitable, its iterator, and a future in the sense of
    asyncio."""

    _asyncio_future_blocking: bool
    def __await__(self) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Self:
        """Itself, for the task to wait for; then, when it goes on, nothing. Raises the reason if it
        may not go on."""
    def send(self, value: object, /) -> Self: ...
    def throw(self, kind: object, value: object = None, traceback: TracebackType | None = None, /) -> None: ...
    def close(self) -> None: ...
    def get_loop(self) -> asyncio.AbstractEventLoop: ...
    def done(self) -> bool: ...
    def cancelled(self) -> bool: ...
    def result(self) -> None:
        """What it waited for is not said here."""
    def exception(self) -> None: ...
    def add_done_callback(self, function: Callable[[Self], object], *, context: Context | None = None) -> None: ...
    def cancel(self, msg: object = None) -> bool:
        """Whether it will be woken with a cancellation."""
