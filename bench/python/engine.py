"""Row 11 at the engine: what one call costs beside a thousand waiters, and beside a million."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable

from bulkheads._engine import Engine
from harness import Contender, Figure, Race, measure

FEW, MANY = 1_000, 1_000_000
LENGTHS = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
NEVER = float("inf")
STEP = 1e-6
RUN, COMPLETED, GRANTED, QUEUE_TIMEOUT, WITHDRAWN = 1, 0, 1, 2, 1


class Crowd:
    """An engine whose queue is kept at one length while calls come and go; all wait for as long as it takes to come round."""

    def __init__(self, length: int, is_patient: bool) -> None:
        self.engine = Engine(1, 10_000_000, NEVER if is_patient else length * STEP)
        self.now = 0.0
        self.holder = self.engine.acquire(0.0, 1, NEVER, NEVER, RUN)
        self.waiters = [self.join() for _ in range(length)]

    def join(self) -> int:
        self.now += STEP
        return -self.engine.acquire(self.now, 1, NEVER, NEVER, RUN)

    def pass_on(self, calls: int) -> None:
        """A call comes, the running one ends, the first waiter goes on."""
        engine = self.engine
        for _ in range(calls):
            self.join()
            engine.finish(self.now, self.holder, COMPLETED)
            while event := engine.next_event():
                kind, self.holder, _ = event
                assert kind == GRANTED
                engine.start(self.holder)

    def come_and_go(self, calls: int) -> None:
        for _ in range(calls):
            waiter = self.join()
            assert self.engine.cancel(self.now, waiter) == WITHDRAWN

    def cancel_any(self, calls: int) -> None:
        """A waiter gives up, somewhere in the queue, and another call comes."""
        for _ in range(calls):
            place = int(random.random() * len(self.waiters))
            assert self.engine.cancel(self.now, self.waiters[place]) == WITHDRAWN
            self.waiters[place] = self.join()

    def time_out(self, calls: int) -> None:
        """Somebody's time is up, and another call comes."""
        engine = self.engine
        for _ in range(calls):
            engine.handle_timeout(self.now + STEP)
            event = engine.next_event()
            assert event is not None and event[0] == QUEUE_TIMEOUT
            while engine.next_event():
                pass
            self.join()


Move = tuple[str, str, bool, Callable[[Crowd, int], None]]
MOVES: dict[str, Move] = {
    "acquire + release": ("release", "acquire; finish; next_event; start", True, Crowd.pass_on),
    "enqueue + cancel": ("cancel", "acquire; cancel", True, Crowd.come_and_go),
    "enqueue + time-out": ("timeout", "handle_timeout; next_event; acquire", False, Crowd.time_out),
    "cancel anywhere": ("anywhere", "cancel of a random waiter; acquire", True, Crowd.cancel_any),
}


async def races(calls: int, rounds: int, many: int = MANY) -> AsyncIterator[Race]:
    for title in MOVES:
        yield race(title, calls, rounds, many)


def race(title: str, calls: int, rounds: int, many: int) -> Race:
    move_id = MOVES[title][0]
    return Race(
        id=f"11-engine-{move_id}",
        title=f"{title} at the engine, {many:,} waiters against {FEW:,}",
        unit="ns per call",
        work="the queue keeps its length: one call comes, one goes",
        options="max_concurrent=1",
        calls=calls,
        rounds=rounds,
        ours=contender(title, many, "bulkheads"),
        peers=[contender(title, FEW, f"bulkheads, {FEW:,} waiters")],
    )


def contender(title: str, length: int, name: str) -> Contender:
    _, how, is_patient, move = MOVES[title]
    crowd = Crowd(length, is_patient)

    async def run(calls: int) -> None:
        move(crowd, calls)

    return Contender(name, how, run)


async def curve() -> Figure:
    """One call's cost against the length of the queue."""

    async def point(title: str, length: int) -> float:
        race = Race("", "", "", "", "", 20_000, 3, contender(title, length, "bulkheads"), [])
        return float((await measure(race))["ours"]["median"])

    return {
        "id": "python-engine",
        "title": "Python: the engine, one call against queue length",
        "unit": "ns per call",
        "x": LENGTHS,
        "series": [{"name": title, "y": [await point(title, length) for length in LENGTHS]} for title in MOVES],
    }
