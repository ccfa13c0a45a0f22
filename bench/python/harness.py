"""Contenders of one race, measured in turns, so that whatever slows the machine down slows all of
them down."""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import process_time_ns
from typing import Any

from collector import Collector

Figure = dict[str, Any]

TARGETS: dict[str, float] = json.loads((Path(__file__).parents[1] / "targets.json").read_text())["python"]
"""The most that the ratio of a row may be. bench/targets.json has those of every language."""


@dataclass(frozen=True)
class Contender:
    name: str
    calls: str
    """What it calls, as its users write it."""
    run: Callable[[int], Awaitable[None]]
    """Does the work so many times. It has a loop of its own, so that nothing but its calls is
    measured."""
    note: str = ""
    smaller: str = ""
    """Who does the same on a smaller scale; how much more it takes than that is its growth."""


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
    """Those that the target speaks of; ours is compared to the best of them."""
    others: list[Contender] = field(default_factory=list)
    """Those that only stand beside."""
    bare: Contender | None = None
    """The same work without any limit; with it the figures are what a call costs beyond that."""
    note: str = ""
    missing: list[dict[str, str]] = field(default_factory=list)
    nanos_per_unit: float = 1
    engine: str = "python"
    shows_collections: bool = False
    """Whether the time that Python spent on collecting garbage stands beside each figure."""


@dataclass(frozen=True)
class Time:
    whole: float
    collecting: float


async def measure(race: Race) -> Figure:
    """The row as it stands in the results."""
    contenders = [*([race.bare] if race.bare else []), race.ours, *race.peers, *race.others]
    for contender in contenders:
        if race.calls >= 5:
            await contender.run(race.calls // 5)
    times: dict[str, list[Time]] = {contender.name: [] for contender in contenders}
    with Collector(race.shows_collections) as collector:
        for _ in range(race.rounds):
            for contender in random.sample(contenders, len(contenders)):
                times[contender.name].append(await take(race, contender, collector))
    return row(race, times)


async def take(race: Race, contender: Contender, collector: Collector) -> Time:
    """One call's share of the processor's time: nothing here waits for anything else, and what
    other programs do meanwhile is left out. The garbage of others is collected before; its own,
    while it runs, counts.
    """
    gc.collect()
    collector.nanos = 0
    start = process_time_ns()
    await contender.run(race.calls)
    whole = process_time_ns() - start
    share = 1 / (race.calls * race.nanos_per_unit)
    return Time(whole * share, collector.nanos * share)


def row(race: Race, times: dict[str, list[Time]]) -> Figure:
    bare = [time.whole for time in times[race.bare.name]] if race.bare else [0.0] * race.rounds

    def figure(contender: Contender) -> Figure:
        taken = times[contender.name]
        collecting = {"collecting": spread([time.collecting for time in taken])} if race.shows_collections else {}
        return (
            described(contender)
            | spread([time.whole - least for time, least in zip(taken, bare)])
            | collecting
            | growth(contender)
        )

    def growth(contender: Contender) -> Figure:
        if not contender.smaller:
            return {}
        large, small = (median(time.whole for time in times[name]) for name in (contender.name, contender.smaller))
        return {"growth": round(large / small, 2)}

    ours, peers = figure(race.ours), [figure(peer) for peer in race.peers]
    best = min(peers, key=lambda peer: float(peer["median"]), default=None)
    ratio = ours["median"] / best["median"] if best else None
    return {
        "id": race.id,
        "title": race.title,
        "engine": race.engine,
        "unit": race.unit,
        "measure": "overhead" if race.bare else "whole time",
        "work": race.work,
        "options": race.options,
        "rounds": race.rounds,
        "calls": race.calls,
        "bare": described(race.bare) | spread(bare) if race.bare else None,
        "ours": ours,
        "peers": [*peers, *map(figure, race.others)],
        "best_peer": best["name"] if best else None,
        **verdict(ratio, TARGETS.get(race.id)),
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
