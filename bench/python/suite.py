"""The rows, and what a quick run makes of them."""

from __future__ import annotations

import asyncio
import gc
import platform
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, TypeVar

import uvloop

import cancelled
import crowd
import engine
import machine
import mapping
import peers
import rejected
import uncontended
import waiting
from harness import Figure, Race, measure
from output import show

Result = TypeVar("Result")
Races = Callable[..., AsyncIterator[Race]]
"""Of so many calls in so many rounds."""


@dataclass(frozen=True)
class Section:
    """Rows that are set up together; calls and rounds of a full and of a quick run."""

    id: str
    races: Races
    full: tuple[int, int]
    quick: tuple[int, int]
    loops: tuple[str, ...] = ("asyncio",)


def each(*makers: Callable[[int, int], Race | Awaitable[Race]]) -> Races:
    async def races(calls: int, rounds: int) -> AsyncIterator[Race]:
        for make in makers:
            race = make(calls, rounds)
            yield race if isinstance(race, Race) else await race

    return races


BOTH = ("asyncio", "uvloop")
SECTIONS = [
    Section("4", each(cancelled.storms), (10_000, 3), (2_000, 2)),
    Section("6", each(rejected.function, rejected.block), (5_000, 15), (2_000, 7)),
    Section("7", each(uncontended.block), (5_000, 15), (2_000, 7), BOTH),
    Section("8a", each(uncontended.function), (5_000, 15), (2_000, 7), BOTH),
    Section("8b", each(uncontended.bounded_function), (5_000, 15), (2_000, 7), BOTH),
    Section("9", each(crowd.block, crowd.function), (50_000, 3), (5_000, 3)),
    Section("11", engine.races, (50_000, 15), (20_000, 3)),
    Section("11", waiting.races, (5_000, 7), (1_000, 3)),
    Section("map", each(mapping.mapping), (10_000, 9), (2_000, 3)),
]
QUICK_CROWD = 20_000
"""How many wait in the rows 11 of a quick run."""


def run(is_quick: bool, rows: list[str], loop: str | None) -> Figure:
    figures = [figure for section in SECTIONS if is_wanted(section, rows) for figure in take(section, is_quick, loop)]
    return {
        "surface": "python",
        "date": date.today().isoformat(),
        "machine": {"kind": machine.kind(), "runtime": f"{platform.python_implementation()} {platform.python_version()}"},
        "peers": peers.versions(),
        "rows": figures,
        "curves": [] if rows or is_quick else curves(),
    }


def is_wanted(section: Section, rows: list[str]) -> bool:
    return not rows or any(section.id.startswith(row) for row in rows)


def take(section: Section, is_quick: bool, loop: str | None) -> Iterator[Figure]:
    calls, rounds = section.quick if is_quick else section.full
    races = section.races
    if is_quick and section.id == "11":
        races = partial(races, many=QUICK_CROWD)
    for name in [loop] if loop else section.loops[: 1 if is_quick else None]:
        yield from in_loop(name, measured(races(calls, rounds), name))


async def measured(races: AsyncIterator[Race], loop: str) -> list[Figure]:
    # What was loaded so far is no garbage; looking through it again and again would only be noise.
    gc.collect()
    gc.freeze()
    figures = []
    async for race in races:
        figure = await measure(race)
        figures.append(figure if loop == "asyncio" else figure | {"loop": loop})
        show(figures[-1])
    return figures


def curves() -> list[Figure]:
    return [in_loop("asyncio", make()) for make in (cancelled.curve, engine.curve)]


def in_loop(name: str, session: Coroutine[Any, Any, Result]) -> Result:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop if name == "uvloop" else None) as runner:
        return runner.run(session)
