"""One picture of all rows that have a target and a peer: our figure by the best peer's, on every
runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from plots import DIM, GREY, STYLE
from tables import best_peer, natural, where

COLOURS = ["#1a9850", "#2c7fb8", "#756bb1", "#f46d43", "#b35806", "#525252", "#41ab9a", "#c51b7d", "#8c6d31", "#878787"]
Dot = tuple[str, float]
"""A runtime and its ratio."""


def draw(measured: list[dict[str, Any]], folder: Path) -> Path:
    rows = ratios(measured)
    runtimes = sorted({runtime for dots in rows.values() for runtime, _ in dots})
    colours = dict(zip(runtimes, COLOURS, strict=False))
    with plt.style.context(STYLE):
        figure, axes = plt.subplots(figsize=(9, 1.2 + 0.32 * len(rows)))
        for place, dots in enumerate(rows.values()):
            for runtime, ratio in dots:
                axes.plot(ratio, place, marker="o", markersize=6, color=colours[runtime], linestyle="", label=runtime)
        dress(axes, list(rows), runtimes)
        figure.tight_layout()
        path = folder / "summary.svg"
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
    return path


def ratios(measured: list[dict[str, Any]]) -> dict[str, list[Dot]]:
    """By the row's number and title, in the order of the table."""
    found: dict[str, list[Dot]] = {}
    pairs = [(results, row) for results in measured for row in results["rows"] if row["target"] is not None]
    for results, row in sorted(pairs, key=lambda pair: natural(pair[1]["id"])):
        best = best_peer(row)
        # A row that asks how a cost grows stands beside our own figure at a smaller size.
        if best and not best["name"].startswith("bulkheads"):
            label = f"{row['title']}  {row['id']}"
            found.setdefault(label, []).append((where(results, row), row["ours"]["median"] / best["median"]))
    return found


def dress(axes: Axes, labels: list[str], runtimes: list[str]) -> None:
    axes.set_xscale("log")
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.axvline(1, color=DIM, linewidth=1.2, zorder=1)
    axes.grid(True, which="major", color=GREY, linewidth=0.6)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("bulkheads by the best peer; left of 1 bulkheads costs less")
    handles, names = axes.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))
    axes.legend(
        [once[name] for name in runtimes], runtimes, frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1)
    )
