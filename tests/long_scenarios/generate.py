#!/usr/bin/env python3
"""Writes the long scenarios: hundreds of steps from a seed, judged by the naive model.
`generate.py [FOLDER]`.

They are not committed: whatever plays scenarios has them written first, into target/scenarios
unless a folder is named.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

from model import NEVER, Call
from profiles import PROFILES, Profile
from timeline import Step, Timeline, millis

FOLDER = Path(__file__).resolve().parents[2] / "target/scenarios"


class Life:
    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.random = random.Random(profile.seed)
        self.timeline = Timeline(profile.options)
        self.model = self.timeline.model

    def live(self) -> list[Step]:
        profile = self.profile
        for number in range(profile.steps):
            if profile.ends and number == round(profile.ends * profile.steps):
                self.turn([({"do": "drain"}, None)])
            elif profile.ends and number == round((profile.ends + 0.05) * profile.steps):
                self.turn([({"do": "close"}, None)])
            else:
                self.turn(self.chain() if self.random.random() < 0.1 else [self.step()])
        self.wind_down()
        return self.timeline.steps

    def turn(self, chain: list[tuple[Step, Call | None]]) -> None:
        at = self.moment()
        late = len(chain) == 1 and at > self.timeline.now and self.random.random() < 0.25
        if any(step["do"] == "cancel" and self.overtaken(call, at, late) for step, call in chain):
            chain, late = [({"do": "tick"}, None)], False
        self.timeline.turn(chain, at, late)

    def overtaken(self, call: Call | None, at: float, late: bool) -> bool:
        """Whether the call to be cancelled may have ended by itself first. Who comes late may
        rightly see that either way."""
        assert call is not None  # a cancellation is of a call
        return min(call.wait_until, call.bound) <= at if late else self.model.next_timer() <= at

    def moment(self) -> float:
        """Now, a little later, or exactly at (or a tick beside) the next deadline."""
        now, timer, dice = self.timeline.now, self.model.next_timer(), self.random.random()
        if dice < 0.25:
            return now
        if dice < 0.5 and timer < NEVER:
            return max(now, timer + self.random.choice((-1, 0, 0, 1)))
        return now + self.random.randrange(2 * self.profile.pace)

    def step(self) -> tuple[Step, Call | None]:
        dice = self.random.random()
        if self.random.random() < (self.profile.arrivals if self.model.mode == "open" else 0.2):
            return self.arrival()
        if dice < 0.7 and (ending := self.ending()):
            return ending
        if dice < 0.85 and (cancelled := self.cancellation(same_turn=False)):
            return cancelled
        if dice < 0.94 and self.profile.resizes:
            return {"do": "resize", "to": self.random.choice(self.profile.resizes)}, None
        return {"do": "tick"}, None

    def arrival(self) -> tuple[Step, Call | None]:
        choice, weight = self.random.random, self.random.choice(self.profile.weights)
        by_hand = choice() < self.profile.by_hand
        step: Step = {"do": "acquire" if by_hand else "call"}
        if by_hand and choice() < 0.3:
            step["do"] = "try_acquire"
        if weight > 1:
            step["weight"] = weight
        call = self.timeline.newcomer(by_hand, weight)
        if step["do"] == "try_acquire":
            return step, call
        if choice() < 0.25:
            step["timeout"] = self.random.choice((0, self.random.randrange(1, 2 * round(self.profile.options.timeout))))
            step["timeout_ms"] = millis(step["timeout"])
        if choice() < 0.2:
            call.deadline = self.timeline.now + self.random.randrange(12 * self.profile.pace)
            step["deadline_ms"] = millis(call.deadline)
        if self.profile.signals and choice() < 0.06:
            step["aborted"] = True
        if self.profile.signals and not by_hand and choice() < 0.5:
            step["ignores_signal"] = call.ignores_signal = True
        return step, call

    def ending(self) -> tuple[Step, Call | None] | None:
        """Some work that settles or some permit that comes back, now and then a second time."""
        working = [call for call in self.model.calls if call.working]
        permits = [call for call in self.model.calls if call.by_hand and call.state == "running"]
        released = [call for call in self.model.calls if call.state == "released"]
        if released and self.random.random() < 0.04:
            return {"do": "release"}, self.random.choice(released)
        if not working + permits:
            return None
        call = self.random.choice(working + permits)
        if call.by_hand:
            return {"do": "release"}, call
        return {"do": self.random.choice(("finish", "finish", "fail"))}, call

    def cancellation(self, same_turn: bool) -> tuple[Step, Call | None] | None:
        candidates = [call for call in self.model.calls if call.phase == "waiting" and not (same_turn and call.by_hand)]
        if not same_turn:
            candidates += [
                call for call in self.model.calls if call.working and (self.profile.signals or call.phase == "running")
            ]
        return ({"do": "cancel"}, self.random.choice(candidates)) if candidates else None

    def chain(self) -> list[tuple[Step, Call | None]]:
        """Several steps before the host gets a turn; a cancellation can only be the last of
        them."""
        steps: list[tuple[Step, Call | None]] = []
        permits = [call for call in self.model.calls if call.by_hand and call.state == "running"]
        for call in self.random.sample(permits, min(len(permits), self.random.randrange(1, 3))):
            steps.append(({"do": "release"}, call))
        if self.profile.resizes and self.random.random() < 0.5:
            steps.append(({"do": "resize", "to": self.random.choice(self.profile.resizes)}, None))
        if self.random.random() < 0.5:
            steps.append(({"do": "try_acquire"}, self.timeline.newcomer(True, 1)))
        limits = [step["to"] for step, _ in steps if step.get("to")]
        # Not one that this turn's shrinking ends, which would be cancelled after its answer.
        waiters = [call for call in self.model.waiters() if not call.by_hand and call.weight <= min(limits, default=call.weight)]
        first = next(iter(waiters), None)
        if first and self.random.random() < 0.6:
            steps.append(({"do": "cancel"}, first))
        return steps or [({"do": "tick"}, None)]

    def wind_down(self) -> None:
        """Everything that is still open settles, so that the books can be closed."""
        while ending := self.closing_step():
            self.timeline.turn([ending], self.timeline.now + self.profile.pace, False)
        self.timeline.turn([({"do": "drain"}, None)], self.timeline.now + self.profile.pace, False)
        self.timeline.steps[-1]["stats"] = self.model.stats()

    def closing_step(self) -> tuple[Step, Call | None] | None:
        for call in self.model.calls:
            if call.working:
                return {"do": "finish"}, call
            if call.by_hand and call.state == "running":
                return {"do": "release"}, call
        return ({"do": "tick"}, None) if self.model.waiters() else None


def scenario_text(profile: Profile) -> str:
    options = profile.options
    bulkhead: Step = {
        "max_concurrent": options.max_concurrent,
        "max_queue": options.max_queue,
        "timeout_ms": millis(options.timeout),
    }
    if options.call_timeout < NEVER:
        bulkhead["call_timeout_ms"] = millis(options.call_timeout)
    if options.abandon_after < NEVER:
        bulkhead["abandon_after_ms"] = millis(options.abandon_after)
    head: Step = {"scenario": profile.sentence, "contract": profile.contract}
    lines = [f"    {json.dumps(key)}: {json.dumps(value)}," for key, value in (head | {"bulkhead": bulkhead}).items()]
    steps = ",\n".join(f"      {json.dumps(step)}" for step in Life(profile).live())
    return "\n".join(["[", "  {", *lines, '    "steps": [', steps, "    ]", "  }", "]", ""])


def files() -> dict[str, str]:
    return {f"long-{profile.name}.json": scenario_text(profile) for profile in PROFILES}


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    written = files()
    for name, text in written.items():
        # In one go: another run may be reading.
        new = folder / f"{name}.{os.getpid()}"
        new.write_text(text)
        new.replace(folder / name)
    for old in folder.glob("*.json"):
        if old.name not in written:
            old.unlink()
    print(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
