"""Row 11 at the engine: what one call costs beside a thousand waiters, and beside a million."""

from __future__ import annotations

import random
from asyncio import events
from collections.abc import AsyncIterator, Callable
from typing import Any

from bulkheads import BulkheadTimeoutError
from bulkheads._engine import Calls, Waiting
from harness import Contender, Figure, Race, measure

FEW, MANY = 1_000, 1_000_000
LENGTHS = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
NEVER = float("inf")
STEP = 1e-6


class Host:
    """Stands in for a loop, on virtual time: it keeps the callback of the timer, and drops those
    that wake tasks."""

    def __init__(self) -> None:
        self.now = 0.0
        self.fire: Callable[[], object] = self.is_closed

    def time(self) -> float:
        return self.now

    def is_closed(self) -> bool:
        return False

    def call_soon(self, callback: Callable[[], object], **options: object) -> None:
        """The crowd takes each step of its waiters itself."""

    call_soon_threadsafe = call_soon

    def call_at(self, when: float, callback: Callable[[], object], **options: object) -> Host:
        self.fire = callback
        return self

    def cancel(self) -> None:
        """A timer that was replaced."""


class Crowd:
    """A bulkhead whose queue is kept at one length while calls come and go; all wait for as long as
    it takes to come round."""

    def __init__(self, length: int, is_patient: bool) -> None:
        self.host = Host()
        self.calls = Calls("bench", 1, 10_000_000, NEVER if is_patient else length * STEP, None, None, False)
        self.waiters: list[tuple[int, Waiting]] = []
        self.first = 0
        with self:
            self.holder = self.calls.begin_bounded(None, 1, NEVER, None, None)
            self.waiters = [self.join() for _ in range(length)]

    def __enter__(self) -> None:
        host: Any = self.host
        self.outer = events._get_running_loop()
        events._set_running_loop(host)

    def __exit__(self, *error: object) -> None:
        events._set_running_loop(self.outer)

    def join(self) -> tuple[int, Waiting]:
        self.host.now += STEP
        ticket = ~self.calls.begin_bounded(None, 1, NEVER, None, None)
        return ticket, self.calls.wait(ticket)

    def next(self) -> tuple[int, Waiting]:
        """Who waits longest. Taking it out of a list of a million would cost more than the call."""
        place = self.first % len(self.waiters)
        self.first += 1
        waiter = self.waiters[place]
        self.waiters[place] = self.join()
        return waiter

    def pass_on(self, calls: int) -> None:
        """A call comes, the running one ends, the first waiter goes on."""
        with self:
            for _ in range(calls):
                ticket, waiting = self.next()
                del self.calls[self.holder]
                assert next(waiting, None) is None
                self.holder = ticket

    def come_and_go(self, calls: int) -> None:
        with self:
            for _ in range(calls):
                self.join()[1].close()

    def cancel_any(self, calls: int) -> None:
        """A waiter gives up, somewhere in the queue, and another call comes."""
        with self:
            for _ in range(calls):
                place = int(random.random() * len(self.waiters))
                self.waiters[place][1].close()
                self.waiters[place] = self.join()

    def time_out(self, calls: int) -> None:
        """Somebody's time is up, and another call comes."""
        with self:
            for _ in range(calls):
                self.host.now += STEP
                self.host.fire()
                place = self.first % len(self.waiters)
                self.first += 1
                try:
                    next(self.waiters[place][1], None)
                except BulkheadTimeoutError:
                    self.waiters[place] = self.join()
                else:
                    raise AssertionError("its time was not up")


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
