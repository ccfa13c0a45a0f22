"""The rows, what a quick run makes of them, and how they are printed."""

from __future__ import annotations

import asyncio
import gc
import json
import platform
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import uvloop

import crowd
import machine
import peers
import rejected
import uncontended
from harness import Figure, Race, measure

Maker = Callable[[int, int], Race | Awaitable[Race]]


@dataclass(frozen=True)
class Entry:
    id: str
    make: Maker
    calls: int
    rounds: int
    quick: tuple[int, int]
    loops: tuple[str, ...] = ("asyncio",)


BOTH = ("asyncio", "uvloop")
ENTRIES = [
    Entry("6", rejected.function, 5_000, 25, (2_000, 5)),
    Entry("6, async with", rejected.block, 5_000, 25, (2_000, 5)),
    Entry("7", uncontended.block, 5_000, 25, (2_000, 7), BOTH),
    Entry("8a", uncontended.function, 5_000, 25, (2_000, 7), BOTH),
    Entry("8b", uncontended.bounded_function, 5_000, 25, (2_000, 7), BOTH),
    Entry("9", crowd.block, 50_000, 5, (5_000, 3), BOTH),
    Entry("9, run", crowd.function, 50_000, 5, (5_000, 3)),
]


def run(is_quick: bool, rows: list[str], loop: str | None) -> Figure:
    figures = []
    for entry in ENTRIES:
        if rows and entry.id not in rows and entry.id.split(",")[0] not in rows:
            continue
        for name in [loop] if loop else entry.loops[: 1 if is_quick else None]:
            figures.append(take(entry, is_quick, name))
            show(figures[-1])
    return {
        "surface": "python",
        "date": date.today().isoformat(),
        "machine": {"kind": machine.kind(), "runtime": f"{platform.python_implementation()} {platform.python_version()}"},
        "peers": peers.versions(),
        "rows": figures,
        "curves": [],
    }


def take(entry: Entry, is_quick: bool, loop: str) -> Figure:
    calls, rounds = entry.quick if is_quick else (entry.calls, entry.rounds)

    async def session() -> Figure:
        made = entry.make(calls, rounds)
        race = made if isinstance(made, Race) else await made
        # What was loaded so far is no garbage; looking through it again and again would only be noise.
        gc.collect()
        gc.freeze()
        return await measure(race)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop if loop == "uvloop" else None) as runner:
        figure = runner.run(session())
    return figure if loop == "asyncio" else figure | {"loop": loop}


def show(figure: Figure) -> None:
    loop = f", {figure['loop']}" if "loop" in figure else ""
    print(f"{figure['id']}  {figure['title']} ({figure['unit']}{loop})")
    for contender in [*([figure["bare"]] if figure["bare"] else []), figure["ours"], *figure["peers"]]:
        low, high = contender["min"], contender["max"]
        print(f"    {contender['name']:24}{contender['median']:12,.0f}   {low:,.0f} – {high:,.0f}   {contender['calls']}")
    if figure["ratio"] is not None:
        met = {True: "met", False: "missed", None: "reported"}[figure["met"]]
        target = f"target {figure['target']}" if figure["target"] else "no target"
        print(f"    ratio {figure['ratio']:.3f} of {figure['best_peer']}, {target}: {met}")
    sys.stdout.flush()


def write(figures: Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
