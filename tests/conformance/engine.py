"""Plays scenarios against the compiled Python engine: `engine.py FOLDER|FILE…`. Labels instead of futures, numbers for time."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from bulkheads._engine import Engine
from scenario import OPEN, Failure, Labels, Step, check, compare, label_of, main, options, seconds, turns

REJECTIONS = {1: "full", 2: "full", 3: "full", 4: "full", 5: "queue_timeout", 6: "closed", 7: "too_heavy", 8: "cancelled"}
EVENTS = {
    1: "running",
    2: "queue_timeout",
    3: "closed",
    4: "too_heavy",
    5: "cancelled",
    6: "call_timeout",
    7: "closed",
}
IDLE = 8
FIRST_ID = 1 << 32
RUN, ABORTED = 1, 2
STATS = (
    *("state", "limit", "active", "available", "running", "queued", "overrun", "peak_active", "peak_queued", "admitted"),
    *("completed", "failed", "call_timeout", "unclaimed", "abandoned_runs", "leaked", "double_releases"),
    *("full", "queue_timeout", "cancelled", "closed", "too_heavy"),
)


@dataclass
class Call:
    id: int
    by_hand: bool
    ignores_signal: bool
    is_working: bool = False
    """Its work has not settled."""


@dataclass
class Timeline:
    engine: Engine
    labels: Labels = field(default_factory=Labels)
    calls: dict[str, Call] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    has_ended: bool = False
    is_idle: bool = False

    def pass_time(self, now: float) -> None:
        while (timer := self.engine.next_timer()) <= now:
            self.engine.handle_timeout(timer)
            self.drain()

    def drain(self) -> None:
        """Takes the events of a turn, then lets the granted go on."""
        while granted := list(filter(None, map(self.take, iter(self.engine.next_event, None)))):
            for id in granted:
                self.engine.start(id)

    def take(self, event: tuple[int, int, float]) -> int:
        """Books an event under its label; answers the id of a grant that somebody still wants."""
        kind, id, _ = event
        if kind == IDLE:
            self.is_idle = True
            return 0
        name = self.names[id]
        if self.labels.state(name) not in OPEN:
            return 0
        self.labels.change(name, EVENTS[kind])
        if kind != 1:
            return 0
        self.calls[name].is_working = True
        return id

    def act(self, now: float, step: Step) -> None:
        verb = step["do"]
        if verb in ("call", "acquire", "try_acquire"):
            self.arrive(now, step, step["as"])
        elif verb in ("finish", "fail"):
            self.settle(now, step["of"], verb == "fail")
        elif verb == "cancel":
            self.cancel(now, step["of"])
        elif verb == "release":
            self.release(now, step["of"])
        elif verb == "resize":
            self.engine.resize(now, step["to"])
        elif verb in ("close", "drain"):
            self.engine.close(now, False) if verb == "close" else self.engine.drain(now)
            self.has_ended = True
            self.is_idle = self.engine.watch_idle(now) or self.is_idle
        else:
            self.engine.handle_timeout(now)

    def arrive(self, now: float, step: Step, name: str) -> None:
        self.labels.add(name)
        weight = step.get("weight", 1)
        if step["do"] == "try_acquire":
            answer = self.engine.try_acquire(now, weight)
        else:
            flags = RUN * (step["do"] == "call") | ABORTED * bool(step.get("aborted"))
            timeout = seconds(step.get("timeout_ms", "infinity"))
            deadline = seconds(step.get("deadline_ms", "infinity"))
            answer = self.engine.acquire(now, weight, timeout, deadline, flags)
        rejection = "rejected" if step["do"] == "try_acquire" else REJECTIONS.get(answer, "")
        state = "running" if answer >= FIRST_ID else "waiting" if answer < 0 else rejection
        self.calls[name] = Call(abs(answer), step["do"] != "call", bool(step.get("ignores_signal")), state == "running")
        self.names[abs(answer)] = name
        self.labels.change(name, state)

    def settle(self, now: float, name: str, fails: bool) -> None:
        state, call = self.labels.state(name), self.calls[name]
        if call.by_hand or not call.is_working:
            raise Failure(f"{name} has no work that could settle ({state})")
        call.is_working = False
        self.engine.finish(now, call.id, int(fails))
        self.labels.change(name, state if state != "running" else "failed" if fails else "completed")

    def cancel(self, now: float, name: str) -> None:
        state, call = self.labels.state(name), self.calls[name]
        if call.by_hand and state != "waiting":
            raise Failure(f"{name} is no acquire that waits ({state})")
        answer = self.engine.cancel(now, call.id)
        if answer:
            self.labels.change(name, "cancelled")
        if answer == 2 and not call.ignores_signal:
            call.is_working = False
            self.engine.finish(now, call.id, 1)

    def release(self, now: float, name: str) -> None:
        state, call = self.labels.state(name), self.calls[name]
        if not call.by_hand or state not in ("running", "released"):
            raise Failure(f"{name} is no permit ({state})")
        self.engine.release(now, call.id)
        self.labels.change(name, "released")

    def figures(self) -> dict[str, int]:
        return dict(zip(STATS, map(int, self.engine.stats()), strict=False))

    def check_timer(self, want: float) -> None:
        compare("next_timer", want, self.engine.next_timer())


def play(scenario: dict[str, Any]) -> None:
    timeline = Timeline(Engine(**options(scenario)))
    labels = timeline.labels
    for turn in turns(scenario):
        labels.changes.clear()
        if not turn.is_late:
            labels.acting = None
            timeline.pass_time(turn.at)
        for number, step in turn.steps:
            is_last = step is turn.steps[-1][1]
            # What a step does to its own label is its own answer; what events do to it later in the turn is a change.
            labels.acting = label_of(step) if is_last else None
            try:
                timeline.act(turn.at, step)
                labels.acting = None
                if is_last:
                    timeline.drain()
                    timeline.pass_time(turn.at)
                    check(step, labels, timeline.figures, timeline.check_timer, timeline.has_ended and timeline.is_idle)
            except Failure as error:
                raise Failure(f"step {number}: {error}") from error


if __name__ == "__main__":
    sys.exit(main("python-engine", play))
