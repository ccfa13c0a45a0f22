"""A permit in hand, and the object that gets one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Coroutine, Generator
from pathlib import Path
from traceback import StackSummary
from types import FrameType, TracebackType
from typing import Any, Final, NoReturn, Self

from ._engine import Calls

_PACKAGE: Final = str(Path(__file__).parent)
_PLACES: Final = 10
"""How many places in the caller's code a tracked permit knows."""


class Permit:
    """The right to use `weight` permits, until it is released; release it once, best by `with` or
    `async with`.

    One that is dropped without release is reclaimed when its last reference goes, counted in
    `leaked`, and warned about.
    """

    __slots__ = ("__weakref__", "_calls", "_id", "_ticket", "_weight")

    def __init__(self, calls: Calls, weight: int, id: int = 0, ticket: int | None = None) -> None:
        """Without an id it holds nothing yet. `ticket` is that of a run, which `async with` is; its
        end is not here."""
        self._calls = calls
        self._id = id
        self._ticket = ticket
        self._weight = weight

    @property
    def weight(self) -> int:
        """How many permits of the bulkhead it holds."""
        return self._weight

    def release(self, permits: int | None = None) -> None:
        """Gives it back, or only some of its permits. A second release changes nothing but the
        counter `double_releases`.

        ValueError for more than it holds.
        """
        if permits is not None and self._id and permits != self._weight:
            self._calls.release_part(self._id, permits)
            self._weight -= permits
        elif not self._give_back(None):
            self._calls.count_double_release()

    def split(self, permits: int) -> Permit:
        """Some of its permits as a permit of its own, which counts as a call that was admitted now.

        ValueError for as many as it holds, or more; RuntimeError for one that was released, or is
        that of an `async with`.
        """
        if self._ticket is not None or not self._id:
            raise RuntimeError(f"only a permit by hand that is held can be split: {self!r}")
        part = type(self)(self._calls, permits)
        part._id = self._calls.split(self._id, permits)
        self._weight -= permits
        return part

    def adjust(self, weight: int) -> bool:
        """Whether it holds so many permits now. Fewer always; more only if they are free at once
        and no call waits for them."""
        is_adjusted = bool(self._id) and self._calls.adjust(self._id, weight)
        if is_adjusted:
            self._weight = weight
        return is_adjusted

    def _give_back(self, error: BaseException | None) -> bool:
        """As `release`, but failed if there was an error; false if it was given back before."""
        if self._ticket is None:
            return self._calls.empty(self, error is not None)
        id, self._id = self._id, 0
        if id:
            self._calls.release(self._ticket, error)
        return bool(id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._give_back(error)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._give_back(error)

    def __repr__(self) -> str:
        state = "held" if self._id else "released"
        return f"<Permit of {self._calls.name}, weight {self._weight}, {state}>"

    def __reduce__(self) -> NoReturn:
        # A copy that is dropped would be reclaimed while the permit is still held.
        raise TypeError("a permit is not copied or pickled: it is given back once; hand on the permit itself")

    def __del__(self) -> None:
        # A signal handler may have raised before it was whole.
        if getattr(self, "_id", 0) and self._calls.reclaim(self):
            text = (
                f"a permit of bulkhead {self._calls.name} was dropped without release; use `async with` (said once per bulkhead)"
            )
            warnings.warn(text + self._taken_at(), ResourceWarning, stacklevel=2, source=self)

    def _taken_at(self) -> str:
        """Where it was taken, after a line of its own; empty without `track_permits`."""
        return ""


class TrackedPermit(Permit):
    """With `track_permits`: knows where it was taken."""

    __slots__ = ("_places",)

    def __init__(self, calls: Calls, weight: int, id: int = 0, ticket: int | None = None) -> None:
        # Options 1.8
        self._places = _places()
        super().__init__(calls, weight, id, ticket)

    def _taken_at(self) -> str:
        # Running 3.3
        return "\nit was taken here (most recent call last):\n" + "".join(self._places.format()).rstrip()

    def __repr__(self) -> str:
        last = self._places[-1]
        return f"{super().__repr__()[:-1]}, taken at {last.filename}:{last.lineno} in {last.name}>"


class Acquisition(Coroutine[Any, Any, Permit]):
    """What `acquire` returns: `await` it for a permit by hand, or hold one with `async with`. It
    serves once.

    A permit by hand knows no call time-out. `async with` does: it bounds its body as `run` bounds
    its work.
    """

    __slots__ = ("__weakref__", "_arguments", "_calls", "_class", "_coroutine", "_permit")

    def __init__(self, calls: Calls, permit: type[Permit], weight: int, timeout: float, deadline: float | None) -> None:
        self._calls = calls
        self._class = permit
        self._arguments: tuple[int, float, float | None] | None = (weight, timeout, deadline)
        self._coroutine: Coroutine[Any, Any, Permit] | None = None
        self._permit: Permit | None = None

    def __await__(self) -> Generator[Any, Any, Permit]:
        return self._begin().__await__()

    def send(self, value: Any, /) -> Any:
        return (self._coroutine or self._begin()).send(value)

    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None, /) -> Any:
        coroutine = self._coroutine or self._begin()
        if value is None and traceback is None:
            return coroutine.throw(kind)
        error = value if isinstance(value, BaseException) else kind() if value is None else kind(value)
        return coroutine.throw(error.with_traceback(traceback))

    def close(self) -> None:
        self._arguments = None
        if self._coroutine is not None:
            self._coroutine.close()

    async def __aenter__(self) -> Permit:
        calls = self._calls
        weight, timeout, deadline = self._take_arguments()
        ticket = calls.begin_bounded(None, weight, timeout, deadline, None)
        if ticket < 0:
            ticket = ~ticket
            await calls.wait(ticket)
        self._permit = self._class(calls, weight, calls.id(ticket), ticket)
        return self._permit

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        permit, self._permit = self._permit, None
        if permit is not None and permit._ticket is not None:
            permit._id = 0
            self._calls.end(permit._ticket, error)

    def _begin(self) -> Coroutine[Any, Any, Permit]:
        weight, timeout, deadline = self._take_arguments()
        self._coroutine = self._take(weight, timeout, deadline)
        return self._coroutine

    async def _take(self, weight: int, timeout: float, deadline: float | None) -> Permit:
        calls = self._calls
        ticket = calls.begin_manual(weight, timeout, deadline)
        if ticket < 0:
            ticket = ~ticket
            await calls.wait(ticket)
        permit = self._class(calls, weight)
        calls.fill_from(permit, ticket)
        return permit

    def _take_arguments(self) -> tuple[int, float, float | None]:
        arguments, self._arguments = self._arguments, None
        if arguments is None:
            raise RuntimeError("cannot reuse an acquire() that was already awaited; call acquire() again")
        weight, timeout, deadline = arguments
        return Calls.checked_weight(weight), timeout, deadline

    def __reduce__(self) -> NoReturn:
        raise TypeError("an acquire() is not copied or pickled: it serves once; call acquire() again")

    def __repr__(self) -> str:
        return f"<acquire of {self._calls.name}>"

    def __del__(self) -> None:
        if self._arguments is not None:
            text = f"acquire() of bulkhead {self._calls.name} was never awaited"
            warnings.warn(text, RuntimeWarning, stacklevel=2, source=self)


def _places() -> StackSummary:
    """The innermost places of the stack outside of this package, outermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    found: list[tuple[FrameType, int]] = []
    while frame is not None and len(found) < _PLACES:
        found.append((frame, frame.f_lineno))
        frame = frame.f_back
    return StackSummary.extract(reversed(found), lookup_lines=False)
