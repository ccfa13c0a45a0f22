"""What can be seen of a bulkhead: one consistent snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

State = Literal["open", "draining", "closed"]

_STATES: Final[tuple[State, ...]] = ("open", "draining", "closed")


@dataclass(frozen=True, slots=True)
class Durations:
    """How long something took, in seconds; quantiles are at most 3.2 % off, the rest is exact."""

    count: int
    sum: float
    p50: float
    p90: float
    p99: float
    max: float


@dataclass(frozen=True, slots=True)
class Rejected:
    """Calls that never ran, by the bound that rejected them."""

    full: int
    queue_timeout: int
    cancelled: int
    closed: int
    too_heavy: int


@dataclass(frozen=True, slots=True)
class Stats:
    """The state of a bulkhead after its last step, and its counters since it was made.

    At all times `admitted == completed + failed + unclaimed + abandoned_runs + leaked + running`, and the calls with valid
    arguments are `admitted`, `queued` or among `rejected`.
    """

    state: State
    limit: int
    active: int
    """Permits in use; above `limit` after it was lowered."""
    available: int
    running: int
    """Calls that hold permits, overrun ones included."""
    queued: int
    overrun: int
    """Calls past their bound whose work has not ended yet."""
    peak_active: int
    peak_queued: int
    admitted: int
    completed: int
    failed: int
    call_timeouts: int
    unclaimed: int
    """Grants whose caller was cancelled before it could start."""
    abandoned_runs: int
    leaked: int
    double_releases: int
    rejected: Rejected
    waited: Durations
    """One value for each call that left the queue, however it left."""
    ran: Durations
    """One value for each permit that came back, from its grant."""


def snapshot(numbers: list[float]) -> Stats:
    """From the engine's numbers, in the order that `docs/engine.md` gives."""
    state, *counts = (int(number) for number in numbers[:22])
    durations = _durations(numbers[22:28]), _durations(numbers[28:34])
    figures: list[Any] = [_STATES[state], *counts[:16], Rejected(*counts[16:]), *durations]
    return Stats(*figures)


def _durations(numbers: list[float]) -> Durations:
    return Durations(int(numbers[0]), *numbers[1:])
