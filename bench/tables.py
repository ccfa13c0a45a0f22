"""The results as Markdown: first what the targets say, then every figure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stored import RUNTIMES

Results = dict[str, Any]
Row = dict[str, Any]
Figure = dict[str, Any]

TEXTS = {"", "#", "what", "where", "unit", "who", "calls", "remarks"}
"""Columns of words; all others hold numbers."""
TARGETS: dict[str, dict[str, float]] = json.loads((Path(__file__).parent / "targets.json").read_text())
"""What each row was to reach when it was measured stands in the results; here they only say what
was not measured."""


def document(found: list[Results]) -> str:
    rows = [(results, row) for results in found for row in results["rows"]]
    aimed = [pair for pair in rows if pair[1]["target"] is not None]
    reported = [pair for pair in rows if pair[1]["target"] is None]
    parts = [
        "# bulkheads beside its peers",
        "Made by `make bench`; [README.md](../README.md) says how it is measured. `make docs` draws the curves.",
        *map(provenance, found),
        "![Our figure by the best peer's, for every row with a target and a peer](summary.svg)",
        "## Targets",
        summary(aimed, has_target=True),
        *unmeasured(found),
        "## Reported",
        summary(reported, has_target=False),
        *(curve(each) for results in found for each in results["curves"]),
        *(part for results in found for part in every_figure(results)),
    ]
    return "\n\n".join(parts) + "\n"


def verdicts(found: list[Results]) -> list[str]:
    """The targets as lines for a terminal."""
    lines = []
    for results in found:
        for row in results["rows"]:
            if row["target"] is not None:
                name = f"{row['id']} {where(results, row)}"
                lines.append(f"{name:40} {ratio(row):>8} of at most {row['target']:<6} {met(row)}")
    return lines + unmeasured(found)


def unmeasured(found: list[Results]) -> list[str]:
    """The targets that no row speaks of: a row was renamed, or one surface has not been measured at
    all."""
    measured = {(results["surface"], row["id"]) for results in found for row in results["rows"]}
    missing = [f"{RUNTIMES[surface]} {id}" for surface, ids in TARGETS.items() for id in ids if (surface, id) not in measured]
    return [f"Targets without a figure: {', '.join(missing)}."] if missing else []


def provenance(results: Results) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in results["peers"].items())
    machine = results["machine"]
    runtimes = " and, where a row says so, ".join([machine["runtime"], *machine.get("others", [])])
    return f"**{RUNTIMES[results['surface']]}**, {results['date']}: {machine['kind']}, {runtimes}; {versions}."


def summary(rows: list[tuple[Results, Row]], has_target: bool) -> str:
    head = ["#", "what", "where", "unit", "bulkheads", "best peer", "ratio", *(["target", "met"] if has_target else [])]
    lines = []
    for results, row in sorted(rows, key=lambda pair: natural(pair[1]["id"])):
        best = best_peer(row)
        beside = f"{amount(best['median'])} ({best['name']})" if best else ""
        cells = [row["id"], row["title"], where(results, row), unit(row), amount(row["ours"]["median"]), beside, ratio(row)]
        lines.append([*cells, *([f"≤ {row['target']}", met(row)] if has_target else [])])
    return table(head, lines)


def every_figure(results: Results) -> Iterator[str]:
    yield f"## {RUNTIMES[results['surface']]}: every figure"
    for row in results["rows"]:
        yield f"### {row['id']}, {where(results, row)}: {row['title']}"
        yield "; ".join(filter(None, [unit(row), row.get("work"), options(row), effort(row)])) + "."
        if row.get("note"):
            yield sentence(row["note"])
        yield figures(row)
        if row.get("missing"):
            yield "Not measured: " + "; ".join(f"{each['name']} ({each['why']})" for each in row["missing"]) + "."


def options(row: Row) -> str:
    return f"options {row['options']}" if row.get("options") else ""


def effort(row: Row) -> str:
    each = f" of {row['calls']:,}" if row.get("calls", 1) > 1 else ""
    return f"{row['rounds']} round{'s' if row['rounds'] > 1 else ''}{each}" if row.get("rounds") else ""


def figures(row: Row) -> str:
    bare = {"name": "bare", "calls": ""} | row["bare"] if row.get("bare") else None
    contenders: list[Figure] = [
        *([bare] if bare else []),
        row["ours"] | {"name": f"**{row['ours'].get('name', 'bulkheads')}**"},
        *row["peers"],
    ]
    lines = []
    for each in contenders:
        remarks = [each.get("note", ""), f"× {each['growth']}" if "growth" in each else ""]
        if "collecting" in each:
            remarks.append(f"of it collecting garbage: {amount(each['collecting']['median'])}")
        calls = f"`{each['calls']}`" if each.get("calls") else ""
        span = f"{amount(each['min'])} – {amount(each['max'])}"
        lines.append([each["name"], calls, amount(each["median"]), span, "; ".join(filter(None, remarks))])
    return table(["who", "calls", "median", "min – max", "remarks"], lines)


def curve(each: dict[str, Any]) -> str:
    lines = [[series["name"], *("" if cost is None else amount(cost) for cost in series["y"])] for series in each["series"]]
    return f"## {each['title']} ({each['unit']})\n\n" + table(["", *(f"{x:,}" for x in each["x"])], lines)


def table(head: list[str], lines: Iterable[list[str]]) -> str:
    rule = ["---" if name in TEXTS else "--:" for name in head]
    return "\n".join(
        "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in line) + " |" for line in [head, rule, *lines]
    )


def where(results: Results, row: Row) -> str:
    runtime = version(row) or RUNTIMES[results["surface"]]
    extra = [row["engine"]] if results["surface"] in ("node", "browser") else []
    return ", ".join([runtime, *extra, *([row["loop"]] if "loop" in row else [])])


def version(row: Row) -> str:
    """As `Node 24`, where rows were measured on several."""
    return str(row.get("runtime", "")).partition(".")[0].replace(" v", " ")


def unit(row: Row) -> str:
    return f"{row['unit']} beyond the bare call" if row.get("measure") == "overhead" else str(row["unit"])


def best_peer(row: Row) -> Figure | None:
    return next((peer for peer in row["peers"] if peer["name"] == row["best_peer"]), None)


def ratio(row: Row) -> str:
    return "" if row["ratio"] is None else f"{row['ratio']:.3g}"


def met(row: Row) -> str:
    return {True: "yes", False: "**no**", None: ""}[row["met"]]


def amount(value: float) -> str:
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def sentence(text: str) -> str:
    return text[0].upper() + text[1:].rstrip(".") + "."


def natural(id: str) -> list[tuple[int, str]]:
    """10 after 9, and the letters behind the numbers."""
    return [(int(number or 0), rest) for number, rest in re.findall(r"(\d*)(\D*)", id) if number or rest]
