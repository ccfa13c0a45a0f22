"""What a person reads in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiment import Call, Findings, Plan, Round
from results import Record, summarise

PERMITS = {"shared": "{0} shared", "isolated": "{0} + {1}"}
BARS = "▁▂▃▄▅▆▇█"
WIDE = 110


def show(console: Console, findings: list[Findings], plan: Plan) -> None:
    console.print()
    console.print(table(findings, plan, calls_a_bar=5 if console.width >= WIDE else 10))
    console.print(moral(findings, plan))


def table(findings: list[Findings], plan: Plan, calls_a_bar: int) -> Table:
    slow, fast = plan["slow"]["calls"], plan["fast"]["calls"]
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title=f"{slow} calls to a dependency that hangs, then {fast} calls to a healthy one",
        title_style="bold",
        title_justify="left",
        caption=f"Each bar is {calls_a_bar} fast calls in order of arrival, as high as the share that was answered.\n"
        "Times are ms, of the calls that succeeded, their wait for a permit included.",
        caption_justify="left",
    )
    for heading in ["", "permits", "fast calls answered"]:
        table.add_column(heading, no_wrap=True)
    for heading, style in [(f"of {fast}", ""), ("mean", ""), ("p99", ""), ("slow", "dim"), ("mean", "dim")]:
        table.add_column(heading, justify="right", style=style, no_wrap=True)
    for found in findings:
        for round in found.rounds:
            last = round is found.rounds[-1]
            name = f"[dim]{found.engine}{stretched(found)}[/]" if last else f"[bold]{found.runtime}[/]"
            table.add_row(name, *row(found, round, plan, calls_a_bar), end_section=last)
    return table


def row(found: Findings, round: Round, plan: Plan, calls_a_bar: int) -> list[str | Text]:
    fast, slow = (summarise(found, round, kind) for kind in ("fast", "slow"))
    limits = plan["modes"][round.mode]
    return [
        PERMITS[round.mode].format(limits["fast"][1], limits["slow"][1]),
        bars(round.of("fast"), calls_a_bar),
        Text(str(fast["ok"]), style="bold " + colour(fast["ok"] / fast["sent"])),
        figure(fast["mean_ms"]),
        figure(fast["p99_ms"]),
        str(slow["ok"]),
        figure(slow["mean_ms"], digits=0),
    ]


def stretched(found: Findings) -> str:
    return "" if found.stretch == 1 else f" · x {found.stretch:g}"


def bars(calls: list[Call], calls_a_bar: int) -> Text:
    text = Text()
    for first in range(0, len(calls), calls_a_bar):
        chunk = calls[first : first + calls_a_bar]
        share = sum(call["outcome"] == "ok" for call in chunk) / len(chunk)
        text.append(BARS[round(share * 7)] if share else "·", style=colour(share))
    return text


def colour(share: float) -> str:
    return "green" if share == 1 else "yellow" if share > 0.5 else "red"


def figure(ms: float | None, digits: int = 1) -> str:
    return "-" if ms is None else f"{ms:.{digits}f}"


def moral(findings: list[Findings], plan: Plan) -> Text:
    """Said of what was measured, so that it also says when a run did not show it."""
    shared, isolated = ([summarise(found, found.rounds[mode], "fast") for found in findings] for mode in (0, 1))
    return Text.assemble(
        "Sharing a pool, the fast calls waited for permits that the slow ones held: ",
        (f"{span(shared)} of {plan['fast']['calls']}", "bold red"),
        " were answered.\nWith a bulkhead for each: ",
        (f"{span(isolated)} of {plan['fast']['calls']}", "bold green"),
        ". The hanging dependency is not healed by that, but it takes nobody with it.\n",
    )


def span(found: list[Record]) -> str:
    counts = sorted(record["ok"] for record in found)
    return str(counts[0]) if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
