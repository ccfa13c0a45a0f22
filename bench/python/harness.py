"""Contenders of one race, measured in turns, so that whatever slows the machine down slows all of them down."""

from __future__ import annotations

import gc
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter_ns
from typing import Any

Figure = dict[str, Any]


@dataclass(frozen=True)
class Contender:
    name: str
    calls: str
    """What it calls, as its users write it."""
    run: Callable[[int], Awaitable[None]]
    """Does the work so many times. It has a loop of its own, so that nothing but its calls is measured."""
    note: str = ""


@dataclass(frozen=True)
class Race:
    """One row of the table."""

    id: str
    title: str
    unit: str
    work: str
    options: str
    calls: int
    rounds: int
    ours: Contender
    peers: list[Contender]
    bare: Contender | None = None
    """The same work without any limit; with it the figures are what a call costs beyond that."""
    target: float | None = None
    note: str = ""
    missing: list[dict[str, str]] = field(default_factory=list)


async def measure(race: Race) -> Figure:
    """The row as it stands in the results."""
    contenders = [*([race.bare] if race.bare else []), race.ours, *race.peers]
    for contender in contenders:
        await contender.run(max(1, race.calls // 5))
    times: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for _ in range(race.rounds):
        for contender in random.sample(contenders, len(contenders)):
            times[contender.name].append(await time_per_call(contender, race.calls))
    return row(race, times)


async def time_per_call(contender: Contender, calls: int) -> float:
    """Nanoseconds. The garbage of others is collected before; its own, while it runs, counts."""
    gc.collect()
    start = perf_counter_ns()
    await contender.run(calls)
    return (perf_counter_ns() - start) / calls


def row(race: Race, times: dict[str, list[float]]) -> Figure:
    bare = times[race.bare.name] if race.bare else [0.0] * race.rounds

    def beyond(contender: Contender) -> Figure:
        overhead = [time - least for time, least in zip(times[contender.name], bare)]
        return described(contender) | spread(overhead)

    ours, peers = beyond(race.ours), [beyond(peer) for peer in race.peers]
    best = min(peers, key=lambda peer: peer["median"], default=None)
    ratio = ours["median"] / best["median"] if best else None
    return {
        "id": race.id,
        "title": race.title,
        "engine": "python",
        "unit": race.unit,
        "work": race.work,
        "options": race.options,
        "rounds": race.rounds,
        "calls": race.calls,
        "bare": described(race.bare) | spread(bare) if race.bare else None,
        "ours": ours,
        "peers": peers,
        "best_peer": best["name"] if best else None,
        **verdict(ratio, race.target),
        "note": race.note,
        "missing": race.missing,
    }


def described(contender: Contender) -> Figure:
    note = {"note": contender.note} if contender.note else {}
    return {"name": contender.name, "calls": contender.calls, **note}


def spread(values: list[float]) -> Figure:
    return {"median": round(median(values), 1), "min": round(min(values), 1), "max": round(max(values), 1)}


def verdict(ratio: float | None, target: float | None) -> Figure:
    met = None if ratio is None or target is None else round(ratio, 3) <= target
    return {"ratio": None if ratio is None else round(ratio, 3), "target": target, "met": met}
