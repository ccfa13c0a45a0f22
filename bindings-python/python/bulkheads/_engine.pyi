"""The compiled engine; `docs/engine.md` says what each method means. Times are seconds."""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextvars import Context
from types import TracebackType
from typing import Any, Self, final

from typing_extensions import disjoint_base

from ._calls import Calls
from ._permit import Permit

__all__ = ["Done", "Engine", "Entry", "Gate", "Runs", "Waiting"]

@final
class Engine:
    def __new__(
        cls,
        max_concurrent: float,
        max_queue: float | None = None,
        timeout: float | None = None,
        call_timeout: float | None = None,
        abandon_after: float | None = None,
    ) -> Engine: ...
    def attach(self) -> Engine: ...
    def owner(self) -> int: ...
    def acquire(self, now: float, weight: float, timeout: float, deadline: float, flags: int, holding: float = 0.0) -> int: ...
    def admit_now(self, weight: int, flags: int) -> int:
        """As `acquire` for an ordinary call, without a clock: the id, or 0 if this one needs `acquire`."""
    def try_acquire(self, now: float, weight: float) -> int: ...
    def start(self, id: float) -> None: ...
    def finish(self, now: float, id: float, outcome: int) -> bool: ...
    def finish_now(self, id: float, outcome: int) -> bool:
        """As `finish`, without a clock; False if this one needs `finish`."""
    def release(self, now: float, id: float) -> bool: ...
    def cancel(self, now: float, id: float) -> int: ...
    def abort(self, now: float, ids: Sequence[float]) -> None: ...
    def resize(self, now: float, limit: float) -> None: ...
    def close(self, now: float, abort: bool) -> None: ...
    def drain(self, now: float) -> None: ...
    def evict(self, now: float) -> None: ...
    def restart(self) -> None:
        """In a forked child: empty books, and no owner but the first."""
    def watch_idle(self, now: float) -> bool: ...
    def watch_room(self, now: float, weight: float, holding: float) -> bool: ...
    def handle_timeout(self, now: float) -> None: ...
    def next_event(self) -> tuple[int, int, float] | None:
        """Kind, id and time at once: between two calls another thread could take the next event."""
    def next_timer(self) -> float: ...
    def now(self) -> float:
        """The latest time that it has seen."""
    def keeps_alive(self) -> bool: ...
    def take_wakes(self) -> list[int]: ...
    def stats(self) -> list[float]: ...
    def permits(self, id: float) -> int: ...
    def limit(self) -> int: ...
    def active(self) -> int: ...
    def queued(self) -> int: ...
    def max_queue(self) -> int: ...

@final
class Runs:
    """Calls from admission to release, as far as they go without waiting. `begin…` answers a ticket, or, of a call that has to
    wait, minus one minus its ticket; it raises the reason if the call is refused."""

    def __new__(cls, calls: Calls, name: str, engine: Engine, ready: Coroutine[Any, Any, None], detects: bool) -> Self: ...
    def begin(self, work: object, weight: object, timeout: object, deadline: object, /) -> int:
        """A call of `run`."""
    def begin_block(self, weight: object, timeout: object, deadline: object, /) -> int:
        """A block of code."""
    def begin_later(self, weight: int, /) -> int:
        """Work of a task that does not run yet; it is not willing to wait. It is to be handed over."""
    def begin_hand(self, weight: object, timeout: object, deadline: object, /) -> int:
        """A permit by hand. It is to be taken out."""
    def enter(self) -> Waiting | None:
        """A bare `async with`: None, or what it has to await."""
    def leave(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> Coroutine[Any, Any, None]:
        """The end of a bare `async with`."""
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
    def fill(self, permit: Permit, weight: object, timeout: object, deadline: object, /) -> None:
        """A permit by hand, put into an object that has none yet; this thread may have to be blocked until it is there."""
    def fill_at_once(self, permit: Permit, weight: int, /) -> bool:
        """As `fill`, if the permit can be had at once."""
    def empty(self, permit: Permit, outcome: int, /) -> bool:
        """Takes a permit out of its object and gives it back; false if there is none. 0 completed, 1 failed, 2 leaked."""
    def wait(self, ticket: int, /) -> Waiting:
        """What a call that has to wait awaits. Raises the reason if it may not go on."""
    def tell(self, owner: int, kind: int, id: int, time: float, /) -> bool:
        """A waiter has its end, which its driver tells. True if the loop has to be asked to `wake`."""
    def note_timer(self, owner: int, armed: float, is_tidied: bool, /) -> None:
        """What the loop will do without being asked again: the compiled calls leave a timer alone that serves as it is."""
    def note_settling(self, owner: int, is_settling: bool, /) -> None:
        """Whether a driver is telling: what comes of the compiled calls is left to that then."""
    def seal(self, owner: int, /) -> None:
        """Something else was told, which comes before whoever is told from now on."""
    def wake(self, owner: int, /) -> None:
        """Wakes those who were told: the callback that was asked for."""
    def end(self, ticket: int, error: BaseException | None, /) -> None:
        """Gives the permit of a run back; `error` is that of its work, None if it returned. Raises its early answer, if it has one."""
    def __delitem__(self, ticket: int, /) -> None:
        """The work of a run returned, as `end`: Python calls this faster than any method."""
    def release(self, ticket: int, error: BaseException | None, /) -> None:
        """Gives the permit of a run back, which goes on without."""
    def hand_over(self, ticket: int, /) -> None:
        """The run goes on in the current task, which did not begin it."""
    def id(self, ticket: int, /) -> int:
        """Id of a call."""
    def forget(self, ticket: int, /) -> None:
        """A call that never ran, whose permit was taken out, or was released."""
    def answer(self, id: int, /) -> tuple[asyncio.Task[Any] | None, int] | None:
        """The run of this id is answered early: its task, and how often that had been cancelled when it came."""

@disjoint_base
class Gate:
    """What `Bulkhead` builds on."""

    def __new__(cls, *args: object, **options: object) -> Self: ...
    def _open(self, entry: Entry, /) -> None:
        """Once, before anything else."""
    def __aenter__(self) -> Coroutine[Any, Any, None]:
        """An anonymous permit of weight 1. It nests, and serves many tasks at once."""
    def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> Coroutine[Any, Any, None]: ...
    def __enter__(self) -> None:
        """As `__aenter__`, but the thread is blocked until the permit is there. RuntimeError where an event loop runs."""
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

@disjoint_base
class Entry:
    """What entering returns: the permit is taken when it is awaited, and by whoever awaits it."""

    def __new__(cls, runs: Runs) -> Self: ...
    def get(self) -> Self: ...
    def __await__(self) -> Generator[Any, Any]: ...

@final
class Done(Coroutine[Any, Any, None]):
    """Awaited, it is done at once. `_ready` makes it a coroutine."""

    def __await__(self) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> None: ...
    def send(self, value: Any, /) -> Any: ...
    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any: ...
    def close(self) -> None: ...

@final
class Waiting:
    """What a call that has to wait awaits: an awaitable, its iterator, and a future in the sense of asyncio."""

    _asyncio_future_blocking: bool
    def __await__(self) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Self:
        """Itself, for the task to wait for; then, when it goes on, nothing. Raises the reason if it may not go on."""
    def send(self, value: object, /) -> Self: ...
    def throw(self, kind: object, value: object = None, traceback: TracebackType | None = None, /) -> None: ...
    def close(self) -> None: ...
    def get_loop(self) -> asyncio.AbstractEventLoop: ...
    def done(self) -> bool: ...
    def cancelled(self) -> bool: ...
    def result(self) -> None:
        """What it waits for is not told here."""
    def exception(self) -> None: ...
    def add_done_callback(self, function: Callable[[Self], object], *, context: Context | None = None) -> None: ...
    def cancel(self, msg: object = None) -> bool:
        """Whether it will be woken with a cancellation."""
