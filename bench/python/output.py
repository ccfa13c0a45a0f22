"""The figures as lines to read and as a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from harness import Figure


def show(figure: Figure) -> None:
    loop = f", on {figure['loop']}" if "loop" in figure else ""
    print(f"{figure['id']}  {figure['title']}{loop} ({figure['unit']})")
    for contender in [*([figure["bare"]] if figure["bare"] else []), figure["ours"], *figure["peers"]]:
        span = f"{contender['min']:,.0f} – {contender['max']:,.0f}"
        collecting = f"   collecting {contender['collecting']['median']:,.0f}" if "collecting" in contender else ""
        collecting += f"   grown × {contender['growth']}" if "growth" in contender else ""
        print(f"    {contender['name']:32}{contender['median']:12,.0f}   {span:24} {contender['calls']}{collecting}")
    if figure["ratio"] is not None:
        met = {True: "met", False: "missed", None: "reported"}[figure["met"]]
        target = f"target {figure['target']}" if figure["target"] else "no target"
        print(f"    ratio {figure['ratio']:.3f} of {figure['best_peer']}, {target}: {met}")
    sys.stdout.flush()


def write(figures: Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
