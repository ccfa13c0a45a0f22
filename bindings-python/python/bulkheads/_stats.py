"""What can be seen of a bulkhead: one consistent snapshot."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal

State = Literal["open", "draining", "closed"]

_STATES: Final[tuple[State, ...]] = ("open", "draining", "closed")
_KINDS: Final[dict[Any, type[int | float]]] = {"int": int, "float": float}


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
class SampledDurations(Durations):
    """As `Durations`, of a random sample."""

    sampled_every: int
    """How many come to one that is measured, on average; 1: all are."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Calls that never ran, by the bound that rejected them."""

    full: int
    queue_timeout: int
    cancelled: int
    closed: int
    too_heavy: int
    reentrant: int


@dataclass(frozen=True, slots=True)
class Stats:
    """The state of a bulkhead after its last step, and its counters since it was made.

    At all times `admitted == completed + failed + unclaimed + abandoned_runs + leaked +
    running`, and the calls with valid arguments are `admitted `, `queued ` or among `rejected `.
    """

    state: State
    limit: int
    active: int
    """Permits in use; above `limit` after it was lowered."""
    available: int
    running: int
    """Calls that hold permits, overrun ones included."""
    queued: int
    max_queue: int
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
    ran: SampledDurations
    """One value for each permit that came back, from its grant: with a call time-out of all of
    them, without one of the first and then of a few, chosen at random, since two looks at a clock
    cost as much as the rest of a short call."""


def snapshot(numbers: dict[str, float]) -> Stats:
    """From the engine's figures, which are all numbers and bear the same names."""
    return Stats(
        state=_STATES[int(numbers["state"])],
        rejected=Rejected(**_fields(Rejected, "rejected_", numbers)),
        waited=Durations(**_fields(Durations, "waited_", numbers)),
        ran=SampledDurations(**_fields(SampledDurations, "ran_", numbers)),
        **_fields(Stats, "", numbers),
    )


def _fields(cls: Any, prefix: str, numbers: dict[str, float]) -> dict[str, Any]:
    kinds = {field.name: _KINDS.get(field.type) for field in fields(cls)}
    return {name: kind(numbers[prefix + name]) for name, kind in kinds.items() if kind is not None}
