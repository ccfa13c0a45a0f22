"""Plays steps on the model as a runner would, and writes down what a runner has to see."""

from __future__ import annotations

from typing import Any

from model import NEVER, TICK, Call, Model, Options

Step = dict[str, Any]


def millis(time: float) -> float | int:
    value = time * TICK
    return int(value) if value == int(value) else value


class Timeline:
    def __init__(self, options: Options) -> None:
        self.model = Model(options)
        self.now = 0.0
        self.steps: list[Step] = []
        self.seen = {"limit": self.model.limit}
        self.arrivals = 0

    def newcomer(self, by_hand: bool, weight: int, deadline: float = NEVER, ignores_signal: bool = False) -> Call:
        self.arrivals += 1
        prefix = "p" if by_hand else "c"
        return Call(f"{prefix}{self.arrivals}", by_hand, weight, self.arrivals, deadline=deadline, ignores_signal=ignores_signal)

    def pass_time(self, to: float) -> None:
        """Timers fire one by one, each at its own time."""
        while (timer := self.model.next_timer()) <= to:
            self.model.due(timer)
        self.now = to

    def turn(self, chain: list[tuple[Step, Call | None]], at: float, late: bool) -> None:
        """One turn of the host: usually one step, now and then several that act at once."""
        model = self.model
        model.events.clear()
        for old in model.calls:
            old.this_turn = False
        if not late:
            self.pass_time(at)
        self.now = at
        before, own = list(model.events), []
        model.events.clear()
        for number, (step, call) in enumerate(chain):
            self.act(step, call)
            last = number == len(chain) - 1
            if not last and call is not None:
                own.append((call, call.state))
            elif last and call is not None:
                step["expect"] = call.state
            self.steps.append({"at": millis(at)} | ({"same_turn": True} if number else {"late": True} if late else {}) | step)
        after = list(model.events)
        model.events.clear()
        self.pass_time(at)
        self.write_checks([*before, *own, *after, *model.events], chain[-1][1])

    def act(self, step: Step, call: Call | None) -> None:
        model, now, verb = self.model, self.now, step["do"]
        if call is None:
            if verb == "resize":
                model.resize(now, step["to"])
            elif verb == "tick":
                model.due(now)
            else:
                getattr(model, verb)(now)
        elif verb in ("call", "acquire", "try_acquire"):
            timeout = 0 if verb == "try_acquire" else step.pop("timeout", NEVER)
            model.arrive(now, call, timeout, step.get("aborted", False))
            if verb == "try_acquire" and call.state != "running":
                call.state = "rejected"
            step["as"] = call.label
        else:
            step["of"] = call.label
            if verb in ("finish", "fail"):
                model.settle(now, call, "completed" if verb == "finish" else "failed")
            else:
                getattr(model, verb)(now, call)

    def write_checks(self, changes: list[tuple[Call, str]], own: Call | None) -> None:
        self.model.check()
        step = self.steps[-1]
        if own is not None:
            step["expect"] = step.pop("expect")  # after the step's own keys
        if changes:
            step["then"] = [f"{call.label}:{state}" for call, state in changes]
        timer = self.model.next_timer()
        step["next_timer"] = None if timer == NEVER else millis(timer)
        if self.model.mode != "open":
            step["idle"] = self.model.idle()
        stats = self.model.stats()
        step["stats"] = {key: value for key, value in stats.items() if self.seen.get(key, 0) != value}
        if not step["stats"]:
            step["stats"] = {"active": stats["active"], "queued": stats["queued"]}
        self.seen = stats
