"""The figures of the lab: what results.json holds, and what a run must show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from experiment import Findings, Plan, Round

Record = dict[str, Any]

SUNK = 20
"""At most so many of the 200 fast calls may come through a shared pool; the published run had
11."""


def records(findings: list[Findings]) -> list[Record]:
    return [summarise(found, round, kind) for found in findings for round in found.rounds for kind in ("fast", "slow")]


def summarise(found: Findings, round: Round, kind: str) -> Record:
    """Times are those of the calls that succeeded, from the call to its answer, the wait for the
    permit included."""
    calls = round.of(kind)
    outcomes = Counter(call["outcome"] for call in calls)
    times = sorted(call["took"] for call in calls if call["outcome"] == "ok")
    return {
        "surface": found.surface,
        "mode": round.mode,
        "kind": kind,
        "sent": len(calls),
        "ok": outcomes["ok"],
        "rejected": outcomes["rejected"],
        "failed": outcomes["failed"],
        "mean_ms": round_to(sum(times) / len(times)) if times else None,
        "p99_ms": round_to(times[math.ceil(len(times) * 0.99) - 1]) if times else None,
        "stretch": found.stretch,
    }


def round_to(ms: float) -> float:
    return float(f"{ms:.2f}")


def checks(found: list[Record], plan: Plan) -> Iterator[tuple[str, bool]]:
    """Each sentence that a run must bear out, and whether it does."""
    for record in found:
        mode, kind, ok, sent = record["mode"], record["kind"], record["ok"], record["sent"]
        limit = plan["modes"][mode][kind][1]
        if kind == "slow":
            wanted, holds = f"exactly {limit} come through", ok == limit
        elif mode == "shared":
            wanted, holds = f"at most {SUNK} come through", ok <= SUNK
        else:
            wanted, holds = "all come through", ok == sent
        complete = sent == plan[kind]["calls"] and record["failed"] == 0
        yield f"{record['surface']}, {mode}: of {sent} {kind} calls {wanted}, none fails ({ok} ok)", holds and complete
