"""From the numbers of the engine to errors with words."""

from __future__ import annotations

from ._engine import Engine
from ._errors import (
    BulkheadCallTimeoutError,
    BulkheadClosedError,
    BulkheadError,
    BulkheadReentrantError,
    BulkheadTimeoutError,
    BulkheadWeightError,
)
from ._numbers import (
    CLOSED,
    EVENT_CALL_TIMEOUT,
    EVENT_CLOSED,
    EVENT_QUEUE_TIMEOUT,
    EVENT_TOO_HEAVY,
    LATE,
    REENTRANT,
    TOO_HEAVY,
)


def rejection(name: str, engine: Engine, code: int, weight: int, holding: int) -> BulkheadError:
    """The error of a call that was rejected as it arrived, but for a full bulkhead: see `BulkheadFullError`.

    `holding`: the permits that its caller's own context holds.
    """
    if code == CLOSED:
        return _closed(name)
    if code == TOO_HEAVY:
        return _too_heavy(name, engine, weight)
    if code == REENTRANT:
        return _reentrant(name, engine, weight, holding)
    assert code == LATE, code
    return _queue_timeout(name, engine, 0.0, "the deadline had passed when the call arrived")


def removal(name: str, engine: Engine, event: int, waited: float, weight: int) -> BulkheadError:
    """The error of a call that left the queue without a permit."""
    if event == EVENT_TOO_HEAVY:
        return _too_heavy(name, engine, weight)
    if event == EVENT_CLOSED:
        return _closed(name)
    assert event == EVENT_QUEUE_TIMEOUT, event
    return _queue_timeout(name, engine, waited, f"no permit within {waited:.3f} s of waiting; shed load or raise max_concurrent")


def early_answer(name: str, event: int, ran: float) -> BulkheadError:
    """The error of a call that was answered before its work had ended."""
    if event == EVENT_CALL_TIMEOUT:
        return BulkheadCallTimeoutError(f"{name}: the work was cancelled after {ran:.3f} s", bulkhead=name, ran=ran)
    return BulkheadClosedError(f"{name}: closed with abort while the work ran", bulkhead=name, is_rejection=False)


def _queue_timeout(name: str, engine: Engine, waited: float, text: str) -> BulkheadError:
    return BulkheadTimeoutError(f"{name}: {text}", bulkhead=name, waited=waited, **_figures(engine))


def _too_heavy(name: str, engine: Engine, weight: int) -> BulkheadError:
    limit = engine.limit()
    text = f"{name}: weight {weight} is above the limit (max_concurrent {limit})"
    return BulkheadWeightError(text, bulkhead=name, weight=weight, limit=limit)


def _reentrant(name: str, engine: Engine, weight: int, holding: int) -> BulkheadError:
    limit = engine.limit()
    text = (
        f"{name}: its caller holds {holding} already and {weight} more is above the limit (max_concurrent {limit}), "
        "so that it would wait for itself"
    )
    return BulkheadReentrantError(text, bulkhead=name, weight=weight, limit=limit, holding=holding)


def _closed(name: str) -> BulkheadError:
    return BulkheadClosedError(f"{name}: closed; it takes no more calls", bulkhead=name)


def _figures(engine: Engine) -> dict[str, int]:
    return {
        "limit": engine.limit(),
        "active": engine.active(),
        "queued": engine.queued(),
        "max_queue": engine.max_queue(),
    }
