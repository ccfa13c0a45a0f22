"""What a step costs does not grow with the number of waiters, or hardly: a thousand times as many must not cost ten times as much."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import pytest

from bulkheads._engine import Engine

FEW, MANY = 200, 200_000
RUN = 1


def full(waiters: int, timeout: float = math.inf) -> tuple[Engine, int, list[int]]:
    """An engine whose one permit is taken, the permit, and those who wait for it."""
    engine = Engine(1, waiters + 1, math.inf)
    held = engine.acquire(0.0, 1, math.inf, math.inf, 0)
    return engine, held, [-engine.acquire(0.0, 1, timeout, math.inf, RUN) for _ in range(waiters)]


def cancel_from_the_middle(engine: Engine, held: int, waiting: list[int]) -> None:
    for waiter in waiting[len(waiting) // 2 :][: FEW // 2]:
        assert engine.cancel(1.0, waiter) == 1


def arrive_and_leave(engine: Engine, held: int, waiting: list[int]) -> None:
    for _ in range(FEW // 2):
        assert engine.cancel(1.0, -engine.acquire(1.0, 1, 5.0, math.inf, RUN)) == 1


def grant(engine: Engine, held: int, waiting: list[int]) -> None:
    for waiter in waiting[: FEW // 2]:
        engine.finish(1.0, held, 0)
        held = waiter


def time_out(engine: Engine, held: int, waiting: list[int]) -> None:
    for waiter in waiting[: FEW // 2]:
        engine.cancel(1.0, waiter)
        engine.acquire(1.0, 1, 0.001, math.inf, RUN)
        engine.handle_timeout(1.001)


def best_of(times: int, steps: Callable[[Engine, int, list[int]], None], waiters: int) -> float:
    """The least of several runs: what disturbs a measurement only ever adds."""
    seconds = []
    for _ in range(times):
        engine, held, waiting = full(waiters, 1000.0)
        started = time.perf_counter()
        steps(engine, held, waiting)
        seconds.append(time.perf_counter() - started)
    return min(seconds)


@pytest.mark.parametrize("steps", [cancel_from_the_middle, arrive_and_leave, grant, time_out])
def test_a_step_costs_hardly_more_among_many_waiters(steps: Callable[[Engine, int, list[int]], None]) -> None:
    assert best_of(3, steps, MANY) < 10 * best_of(9, steps, FEW) + 1e-3


def test_many_that_time_out_together_cost_hardly_more_each() -> None:
    def all_at_once(waiters: int) -> float:
        engine, _, _ = full(waiters, 1.0)
        started = time.perf_counter()
        engine.handle_timeout(1.0)
        assert engine.queued() == 0
        return (time.perf_counter() - started) / waiters

    assert min(all_at_once(MANY) for _ in range(3)) < 10 * min(all_at_once(FEW) for _ in range(9)) + 1e-6
