"""Cost against queue length, one picture for each curve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

OURS = ["#1a9850", "#2c7fb8", "#41ab9a", "#756bb1", "#7fbc41"]
PEERS = ["#d73027", "#f46d43", "#878787", "#b35806", "#c51b7d", "#bababa", "#8c6d31", "#525252"]
GREY, INK = "#dee2e6", "#212529"
STYLE: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": "#adb5bd",
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.hashsalt": "bulkheads",  # the same figures give the same file
}


def draw(found: list[dict[str, Any]], folder: Path) -> list[Path]:
    with plt.rc_context(STYLE):
        return [picture(curve, caption(results), folder) for results in found for curve in results["curves"]]


def caption(results: dict[str, Any]) -> str:
    return f"{results['machine']['runtime']}, {results['machine']['kind']}, {results['date']}"


def picture(curve: dict[str, Any], caption: str, folder: Path) -> Path:
    figure, axes = plt.subplots(figsize=(8, 4.5))
    peers, ours = iter(PEERS * 3), iter(OURS * 3)
    is_alone = not any(is_ours(series["name"]) for series in curve["series"])
    for series in curve["series"]:
        mine = is_alone or is_ours(series["name"])
        plot(axes, curve["x"], series, next(ours if mine else peers), 2.2 if mine else 1.3)
    dress(axes, curve)
    figure.text(0.99, 0.01, caption, ha="right", va="bottom", fontsize=7, color="#868e96")
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    path = folder / f"{curve['id']}.svg"
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure)
    return path


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
    axes.set_axisbelow(True)
    axes.set_xlabel("calls in the queue")
    axes.set_ylabel(curve["unit"])
    axes.set_title(curve["title"], fontsize=12, loc="left", pad=10)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
