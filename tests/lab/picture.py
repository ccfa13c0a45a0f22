"""The comparison as a picture: every fast call of every round, when it came and how long it took to
get its answer."""

from __future__ import annotations

import io
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from experiment import Call, Findings, Plan, Round
from surface import ROOT

GREEN, RED, GREY, DIM, INK = "#1a9850", "#d73027", "#eef0f2", "#868e96", "#212529"
TITLES = {"shared": "one shared bulkhead of {0}", "isolated": "a bulkhead of {0} for each dependency"}
HELD = {"shared": "the slow calls hold all {0} permits", "isolated": "the slow calls hold their own {0} permits"}
STYLE = ROOT / "bench/pictures.mplstyle"
DIAMETER = 3.0
DECIMALS = re.compile(r"(\d\.\d\d)\d+")
DOT = re.compile(r"M (?P<place>\S+ \S+) ?\nL (?P=place) ?\n")


def draw(findings: list[Findings], plan: Plan, folder: Path, has_png: bool) -> list[Path]:
    with plt.style.context(STYLE):
        figure, axes = plt.subplots(
            len(findings),
            len(plan["modes"]),
            figsize=(10, 1.2 + 1.75 * len(findings)),
            sharex="row",
            sharey="row",
            squeeze=False,
        )
        for row, found in zip(axes, findings, strict=True):
            for panel, round in zip(row, found.rounds, strict=True):
                draw_round(panel, round, found, plan)
            label_row(row[0], found)
        for panel, mode in zip(axes[0], plan["modes"], strict=True):
            panel.set_title(TITLES[mode].format(plan["modes"][mode]["fast"][1]), fontweight="bold", pad=22)
        for panel in axes[-1]:
            panel.set_xlabel("ms since the slow calls arrived")
        slow, fast = plan["slow"]["calls"], plan["fast"]["calls"]
        figure.suptitle(f"{slow} calls to a dependency that hangs, then {fast} calls to a healthy one", fontsize=13)
        figure.tight_layout(h_pad=1.2, w_pad=2)
        return save(figure, folder, has_png)


def draw_round(panel: Axes, round: Round, found: Findings, plan: Plan) -> None:
    fast = round.of("fast")
    answered = [call for call in fast if call["outcome"] == "ok"]
    dots(panel, [call for call in fast if call["outcome"] != "ok"], RED)
    dots(panel, answered, GREEN)

    held, patience = plan["slow"]["ms"] * found.stretch, plan["wait_ms"] * found.stretch
    panel.axvspan(0, held, color=GREY, zorder=0, linewidth=0)
    panel.axhline(patience, color=DIM, linewidth=0.8, linestyle=":", zorder=1)
    panel.set_xlim(0, held * 1.04)
    panel.set_ylim(0, patience * 1.4)
    note = HELD[round.mode].format(plan["modes"][round.mode]["slow"][1])
    panel.text(held / 2, patience * 0.45, note, color=DIM, fontsize=8, ha="center", va="center")

    mean = sum(call["took"] for call in answered) / len(answered) if answered else 0
    verdict = f"{len(answered)} of {len(fast)} answered" + (f", after {mean:.1f} ms on average" if answered else "")
    colour = GREEN if len(answered) == len(fast) else RED
    panel.text(0, 1.04, verdict, transform=panel.transAxes, color=colour, fontweight="bold")


def dots(panel: Axes, calls: list[Call], colour: str) -> None:
    """All of a colour as one path of lines without length: their round ends are the dots, in a
    fifth of the bytes of markers."""
    corners = [(call["at"], call["took"]) for call in calls for _ in range(2)]
    if corners:
        path = Outline(corners, [Outline.MOVETO, Outline.LINETO] * len(calls))
        path.should_simplify = False  # which leaves out lines without length
        panel.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=DIAMETER, capstyle="round", zorder=2))


def label_row(panel: Axes, found: Findings) -> None:
    times = "ms to the answer" if found.stretch == 1 else f"ms (all times x {found.stretch:g})"
    for distance, text, size, weight in [(-0.18, found.runtime, 10, "bold"), (-0.13, times, 8, "normal")]:
        panel.text(
            distance,
            0.5,
            text,
            transform=panel.transAxes,
            rotation=90,
            va="center",
            ha="center",
            fontsize=size,
            fontweight=weight,
        )


def save(figure: Figure, folder: Path, has_png: bool) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    (folder / "lab.svg").write_text(shorter(drawn.getvalue()))
    if has_png:
        figure.savefig(folder / "lab.png", dpi=160)
    plt.close(figure)
    return [folder / "lab.svg", *([folder / "lab.png"] if has_png else [])]


def shorter(svg: str) -> str:
    """Two decimals are more than a screen shows, and a dot is named once, not as the two ends of a
    line."""
    return DOT.sub(r"M\g<place>h0", DECIMALS.sub(r"\1", svg))
