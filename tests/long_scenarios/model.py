"""A bulkhead as naive as can be: lists that are searched from end to end, one rule of
docs/contract.md after another.

It shares nothing with the core, so that the long scenarios check one reading of the contract
against another. Times are whole numbers of `TICK`s, so that every sum is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TICK = 0.125  # ms
NEVER = float("inf")


@dataclass
class Options:
    max_concurrent: int
    max_queue: int
    timeout: float
    call_timeout: float = NEVER
    abandon_after: float = NEVER


@dataclass
class Call:
    """waiting → (granted) running → answered → gone; `working` as long as its work has not settled,
    whatever the rest says."""

    label: str
    by_hand: bool
    weight: int
    order: int
    wait_until: float = NEVER
    deadline: float = NEVER
    ignores_signal: bool = False
    phase: str = "waiting"
    state: str = "waiting"
    admitted: int = 0
    bound: float = NEVER
    abandon_at: float = NEVER
    working: bool = False
    this_turn: bool = False


@dataclass
class Model:
    options: Options
    limit: int = 0
    mode: str = "open"
    calls: list[Call] = field(default_factory=list)
    events: list[tuple[Call, str]] = field(default_factory=list)
    books: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.limit = self.options.max_concurrent
        counters = "admitted completed failed unclaimed abandoned_runs double_releases"
        ends = "full queue_timeout cancelled closed too_heavy call_timeout"
        self.books = dict.fromkeys(f"{counters} {ends} peak_active peak_queued arrived".split(), 0)

    # What can be seen.

    def waiters(self) -> list[Call]:
        return [call for call in self.calls if call.phase == "waiting"]

    def holders(self) -> list[Call]:
        return [call for call in self.calls if call.phase in ("running", "answered")]

    def used(self) -> int:
        return sum(call.weight for call in self.holders())

    def next_timer(self) -> float:
        waits = [call.wait_until for call in self.waiters()]
        bounds = [call.bound for call in self.calls if call.phase == "running"]
        graces = [call.abandon_at for call in self.calls if call.phase == "answered"]
        return min(waits + bounds + graces, default=NEVER)

    def idle(self) -> bool:
        return self.mode != "open" and not self.waiters() and not self.holders()

    def stats(self) -> dict[str, int]:
        figures = {key: value for key, value in self.books.items() if key != "arrived"}
        used, running = self.used(), len(self.holders())
        overrun = sum(call.phase == "answered" for call in self.calls)
        figures |= {"limit": self.limit, "active": used, "available": max(0, self.limit - used), "running": running}
        return figures | {"queued": len(self.waiters()), "overrun": overrun, "leaked": 0}

    def check(self) -> None:
        books = self.books
        rejected = sum(books[code] for code in "full queue_timeout cancelled closed too_heavy".split())
        assert books["arrived"] == books["admitted"] + rejected + len(self.waiters())
        ended = sum(books[way] for way in "completed failed unclaimed abandoned_runs".split())
        assert books["admitted"] == ended + len(self.holders())

    # What time does by itself.

    def due(self, now: float, in_hand: Call | None = None) -> None:
        late = [call for call in self.waiters() if call.wait_until <= now]
        for call in sorted(late, key=lambda call: (call.wait_until, call.order)):
            self.end(call, "queue_timeout")
        over = [call for call in self.calls if call.phase == "running" and call.bound <= now and call is not in_hand]
        for call in sorted(over, key=lambda call: (call.bound, call.admitted)):
            self.books["call_timeout"] += 1
            self.tell(call, "call_timeout")
            self.answer(call, call.bound)
        gone = [call for call in self.calls if call.phase == "answered" and call.abandon_at <= now]
        for call in sorted(gone, key=lambda call: (call.abandon_at, call.admitted)):
            call.phase = "gone"
            self.books["abandoned_runs"] += 1
        self.grant(now)

    def grant(self, now: float) -> None:
        for call in self.waiters():
            if self.used() + call.weight > self.limit:
                return
            self.run(call, now)
            call.this_turn = True
            self.tell(call, "running")

    # Inputs.

    def arrive(self, now: float, call: Call, timeout: float, aborted: bool) -> None:
        self.due(now)
        self.books["arrived"] += 1
        call.wait_until = min(now + min(timeout, self.options.timeout), call.deadline)
        fits = not self.waiters() and self.used() + call.weight <= self.limit
        if aborted:
            self.reject(call, "cancelled")
        elif self.mode != "open":
            self.reject(call, "closed")
        elif call.deadline <= now:
            self.reject(call, "queue_timeout")
        elif call.weight > self.limit > 0:
            self.reject(call, "too_heavy")
        elif fits:
            self.calls.append(call)
            self.run(call, now)
        elif timeout == 0 or len(self.waiters()) >= self.options.max_queue:
            self.reject(call, "full")
        else:
            self.calls.append(call)
            self.books["peak_queued"] = max(self.books["peak_queued"], len(self.waiters()))

    def settle(self, now: float, call: Call, outcome: str) -> None:
        """Work ends. Nobody counts it when it was abandoned; an answer that was given stays."""
        self.due(now, in_hand=call)
        call.working = False
        answered = call.phase == "answered"
        if call.phase == "running":
            call.state = outcome
        if call.phase != "gone":
            self.books["failed" if answered else outcome] += 1
            self.give_back(call, now)

    def release(self, now: float, call: Call) -> None:
        self.due(now)
        if call.phase == "gone":
            self.books["double_releases"] += 1
            return
        self.books["completed"] += 1
        call.state = "released"
        self.give_back(call, now)

    def cancel(self, now: float, call: Call) -> None:
        self.due(now)
        if call.phase == "waiting":
            self.reject(call, "cancelled")
            self.grant(now)
        elif call.phase == "running" and call.this_turn:
            self.events = [event for event in self.events if event[0] is not call]
            self.books["unclaimed"] += 1
            call.working, call.state = False, "cancelled"
            self.give_back(call, now)
        elif call.phase == "running":
            call.state = "cancelled"
            self.answer(call, now)
            if not call.ignores_signal:
                self.settle(now, call, "failed")

    def resize(self, now: float, limit: int) -> None:
        self.due(now)
        self.limit = limit
        if limit > 0:
            for call in [call for call in self.waiters() if call.weight > limit]:
                self.end(call, "too_heavy")
        self.grant(now)

    def close(self, now: float) -> None:
        self.due(now)
        self.mode = "closed"
        for call in self.waiters():
            self.end(call, "closed")

    def drain(self, now: float) -> None:
        self.due(now)
        if self.mode == "open":
            self.mode = "draining"

    # Steps that several inputs share.

    def run(self, call: Call, now: float) -> None:
        self.books["admitted"] += 1
        call.admitted = self.books["admitted"]
        call.phase = call.state = "running"
        if not call.by_hand:
            call.bound = min(now + self.options.call_timeout, call.deadline)
            call.working = True
        self.books["peak_active"] = max(self.books["peak_active"], self.used())

    def answer(self, call: Call, at: float) -> None:
        call.phase, call.abandon_at = "answered", at + self.options.abandon_after

    def give_back(self, call: Call, now: float) -> None:
        call.phase = "gone"
        self.grant(now)

    def reject(self, call: Call, code: str) -> None:
        call.phase, call.state = "gone", code
        self.books[code] += 1

    def end(self, call: Call, code: str) -> None:
        self.reject(call, code)
        self.tell(call, code)

    def tell(self, call: Call, state: str) -> None:
        call.state = state
        self.events.append((call, state))
