"""The experiment on one surface: time the bare call, choose the stretch, run each mode, repeat what
stalled."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from surface import Process

Plan = dict[str, Any]
Call = dict[str, Any]
Say = Callable[[str], None]

HEADROOM = 1.5
"""How much faster than the schedule the bare calls must be, for the bulkhead's own cost and for
noise."""
REPEATS = 2
STALL_MS = 12
"""A loop that stands still for longer issues enough calls late to change the shared pool's count by
itself."""


@dataclass
class Round:
    mode: str
    calls: list[Call]
    stalled_ms: float

    def of(self, kind: str) -> list[Call]:
        return [call for call in self.calls if call["kind"] == kind]


@dataclass
class Findings:
    surface: str
    runtime: str
    engine: str
    bare_ms: float
    per_second: float
    stretch: float
    rounds: list[Round]


def examine(name: str, surface: Process, server: Process, plan: Plan, say: Say) -> Findings:
    pool_of_fast = plan["modes"]["isolated"]["fast"][1]
    timed = surface.ask("time", together=pool_of_fast, calls=80 * pool_of_fast)
    stretch = choose_stretch(timed["per_second"], plan)
    say(
        f"{name}: a bare fast call takes {timed['bare_ms']:.1f} ms; "
        f"{timed['per_second']:.0f} a second with {pool_of_fast} under way; times stretched by {stretch:g}"
    )
    rounds = [run_unstalled(name, surface, server, mode, stretch, say) for mode in plan["modes"]]
    hello = surface.hello
    return Findings(name, hello["runtime"], hello["engine"], timed["bare_ms"], timed["per_second"], stretch, rounds)


def choose_stretch(per_second: float, plan: Plan) -> float:
    """1 where the machine keeps up with the schedule, else as much as it needs, rounded up to
    tenths."""
    wanted: float = 1000 / plan["fast"]["every_ms"] * HEADROOM
    return max(1, math.ceil(wanted / per_second * 10) / 10)


def run_unstalled(name: str, surface: Process, server: Process, mode: str, stretch: float, say: Say) -> Round:
    """A round without a stall; if the repeats stall as well, the one that stalled least."""
    tried = []
    for repeat in range(REPEATS + 1):
        server.ask("stall")
        answer = surface.ask("round", mode=mode, stretch=stretch)
        stalled_ms = max(answer["stalled_ms"], server.ask("stall")["stalled_ms"])
        tried.append(Round(mode, answer["calls"], stalled_ms))
        if stalled_ms <= STALL_MS * stretch:
            return tried[-1]
        what_next = "repeated" if repeat < REPEATS else "the calmest of the three counts"
        say(f"{name}, {mode}: an event loop stood still for {stalled_ms:.0f} ms; {what_next}")
    return min(tried, key=lambda round: round.stalled_ms)
