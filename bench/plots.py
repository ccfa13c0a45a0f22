#!/usr/bin/env python3
"""Cost against queue length, one picture for each curve of bench/results, and a page that shows
them: `plots.py FOLDER`.

They are drawn when the documentation is made and not committed: the figures themselves are in
bench/results.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

import stored

STYLE = Path(__file__).resolve().parent / "pictures.mplstyle"
OURS = ["#1a9850", "#2c7fb8", "#41ab9a", "#756bb1", "#7fbc41"]
PEERS = ["#d73027", "#f46d43", "#878787", "#b35806", "#c51b7d", "#bababa", "#8c6d31", "#525252"]
GREY, DIM = "#dee2e6", "#868e96"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        "# Cost against queue length",
        "The figures are in [the table](table.md); [README.md](../README.md) says how they are measured.",
    ]
    with plt.style.context(STYLE):
        for results in stored.read():
            for curve in results["curves"]:
                picture(curve, stored.caption(results), folder / f"{curve['id']}.svg")
                parts += [f"## {curve['title']}", f"![{curve['title']} ({curve['unit']})]({curve['id']}.svg)"]
    (folder / "curves.md").write_text("\n\n".join(parts) + "\n")


def picture(curve: dict[str, Any], caption: str, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(8, 4.5))
    peers, ours = iter(PEERS * 3), iter(OURS * 3)
    is_alone = not any(is_ours(series["name"]) for series in curve["series"])
    for series in curve["series"]:
        mine = is_alone or is_ours(series["name"])
        plot(axes, curve["x"], series, next(ours if mine else peers), 2.2 if mine else 1.3)
    dress(axes, curve)
    figure.text(0.99, 0.01, caption, ha="right", va="bottom", fontsize=7, color=DIM)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def is_ours(name: str) -> bool:
    return name.startswith("bulkheads")


def plot(axes: Axes, lengths: list[int], series: dict[str, Any], colour: str, width: float) -> None:
    points = [(x, y) for x, y in zip(lengths, series["y"], strict=True) if y is not None]
    axes.plot(*zip(*points), marker="o", markersize=3.5, color=colour, linewidth=width, label=series["name"])


def dress(axes: Axes, curve: dict[str, Any]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(curve["x"][0], curve["x"][-1] * 1.05)
    # A flat line should look flat: at least two decades, wherever they lie.
    low, high = axes.get_ylim()
    if high / low < 100:
        middle = (low * high) ** 0.5
        axes.set_ylim(middle / 10, middle * 10)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, which="major", color=GREY, linewidth=0.6)
    axes.set_xlabel("calls in the queue")
    axes.set_ylabel(curve["unit"])
    axes.set_title(curve["title"], fontsize=12, loc="left", pad=10)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
