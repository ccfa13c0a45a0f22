"""What the Python runners share: reading scenarios strictly, keeping labels, checking a turn,
counting and reporting."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VERBS = {
    "acquire": "as",
    "adjust": "of",
    "call": "as",
    "cancel": "of",
    "close": None,
    "drain": None,
    "fail": "of",
    "finish": "of",
    "release": "of",
    "resize": None,
    "split": "as",
    "tick": None,
    "try_acquire": "as",
}
SAME_TURN_VERBS = {"adjust", "cancel", "close", "drain", "release", "resize", "split", "try_acquire"}
OPTIONS = {"max_concurrent", "max_queue", "timeout_ms", "call_timeout_ms", "abandon_after_ms"}
SCENARIO_KEYS = {"scenario", "contract", "bulkhead", "surfaces", "steps"}
CALL_KEYS = {"weight", "timeout_ms", "deadline_ms", "call_timeout_ms", "aborted", "ignores_signal"}
ALSO_TAKEN = {"try_acquire": {"weight"}, "adjust": {"weight"}, "drain": {"timeout_ms"}}
"""What of these verbs that make no call take."""
CHECKS = {"expect", "then", "stats", "state", "next_timer", "idle"}
STEP_KEYS = {"at", "late", "same_turn", "do", "as", "of", "to", "permits", "abort"} | CALL_KEYS | CHECKS
SURFACES = {"core", "wasm-engine", "node-engine", "python-engine", "node", "node-wasm", "browser", "python"}
OPEN = {"waiting", "running"}

ANSWERED = "cancels a call that was answered already; in asyncio its task, unless it has resumed, gets the cancellation instead"

Step = dict[str, Any]
Timer = Callable[[float], None]
"""Given when the engine's next deadline should fall, in seconds or infinite, raises Failure if it
does not."""


class Failure(Exception):
    """A scenario is not kept, or no scenario."""


class Skip(Exception):
    """A surface cannot express what a scenario asks for."""


@dataclass
class Labels:
    """The state of each label, and the changes that the present turn brought."""

    states: dict[str, str] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)
    acting: str | None = None
    """The label whose changes are the step's own, checked by `expect`."""

    def add(self, name: str) -> None:
        if name in self.states:
            raise Failure(f"label {name} stands twice")
        self.states[name] = "new"

    def change(self, name: str, state: str) -> None:
        self.states[name] = state
        if name != self.acting:
            self.changes.append(f"{name}:{state}")

    def state(self, name: str) -> str:
        if name not in self.states:
            raise Failure(f"no label {name}")
        return self.states[name]


@dataclass
class Turn:
    """Steps that act before the host gets a turn; only the last one checks."""

    steps: list[tuple[int, Step]]

    @property
    def at(self) -> float:
        return seconds(self.steps[0][1]["at"])

    @property
    def is_late(self) -> bool:
        return bool(self.steps[0][1].get("late"))


def turns(scenario: dict[str, Any]) -> list[Turn]:
    found: list[Turn] = []
    for number, step in enumerate(scenario["steps"], 1):
        if step.get("same_turn"):
            found[-1].steps.append((number, step))
        else:
            found.append(Turn([(number, step)]))
    return found


def seconds(millis: Any) -> float:
    """The host's clock is exact to the nanosecond."""
    return math.inf if millis == "infinity" else round(millis * 1e6) / 1e9


def options(scenario: dict[str, Any]) -> dict[str, Any]:
    """The bulkhead's options as Python writes them."""
    return {
        key.removesuffix("_ms"): seconds(value) if key.endswith("_ms") else value for key, value in scenario["bulkhead"].items()
    }


def skip_signals(scenario: dict[str, Any]) -> None:
    """Raises Skip for what Python cannot express: its callers have no abort signals. A close with
    abort cancels, which work may ignore."""
    verbs = {step["do"] for step in scenario["steps"]}
    for step in scenario["steps"]:
        for key in ("aborted", "ignores_signal"):
            if key in step and not (key == "ignores_signal" and "cancel" not in verbs):
                raise Skip(f"asyncio has no abort signal: {key}")
        if step["do"] == "cancel" and step.get("expect", "cancelled") != "cancelled":
            raise Skip(ANSWERED)


def skip_lacking(has: Callable[[str], bool], scenario: dict[str, Any]) -> None:
    """Raises Skip for what the permits of this build cannot do."""
    for step in scenario["steps"]:
        wanted = {"split": "split", "adjust": "adjust"}.get(step["do"], "split" if "permits" in step else None)
        if wanted is not None and not has(wanted):
            raise Skip(f"a permit has no {wanted}")


def label_of(step: Step) -> str | None:
    key = VERBS[step["do"]]
    return None if key is None else str(step[key])


def check(step: Step, labels: Labels, figures: Callable[[], dict[str, Any]], check_timer: Timer, is_idle: bool) -> None:
    """The last step of a turn."""
    label = label_of(step)
    if "expect" in step:
        compare("expect", step["expect"], labels.state(label) if label else None)
    compare("then", step.get("then", []), labels.changes)
    if "stats" in step:
        have = figures()
        compare("stats", step["stats"], {key: have[key] for key in step["stats"]})
    if "state" in step:
        compare("state", step["state"], figures()["state"])
    if "next_timer" in step:
        check_timer(seconds("infinity" if step["next_timer"] is None else step["next_timer"]))
    if "idle" in step:
        compare("idle", step["idle"], is_idle)


def compare(what: str, want: object, came: object) -> None:
    if want != came:
        raise Failure(f"{what}: wanted {want!r}, came {came!r}")


# --- reading ---


def read(path: Path) -> list[dict[str, Any]]:
    try:
        scenarios = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(str(error)) from error
    if not isinstance(scenarios, list) or not scenarios:
        raise Failure("no scenario found")
    return scenarios


def validate(scenario: dict[str, Any]) -> None:
    known("scenario", scenario, SCENARIO_KEYS, {"scenario", "bulkhead", "steps"})
    known("bulkhead", scenario["bulkhead"], OPTIONS, {"max_concurrent"})
    unknown = set(scenario.get("surfaces", ())) - SURFACES
    if unknown:
        raise Failure(f"unknown surfaces {sorted(unknown)}")
    if not scenario["steps"]:
        raise Failure("no step")
    before: Step = {"at": 0, "do": None}
    for number, step in enumerate(scenario["steps"], 1):
        try:
            validate_step(step, before)
        except Failure as error:
            raise Failure(f"step {number}: {error}") from error
        before = step


def validate_step(step: Step, before: Step) -> None:
    known("step", step, STEP_KEYS, {"at", "do"})
    verb = step["do"]
    if verb not in VERBS:
        raise Failure(f"unknown verb {verb}")
    for key in ("as", "of"):
        if (key in step) != (VERBS[verb] == key or (verb, key) == ("split", "of")):
            raise Failure(f"{verb} and the key {key!r} do not go together")
    if ("to" in step) != (verb == "resize"):
        raise Failure(f"{verb} and the key 'to' do not go together")
    if "abort" in step and verb != "close":
        raise Failure(f"{verb} does not take 'abort'")
    if "permits" in step and verb not in ("release", "split"):
        raise Failure(f"{verb} does not take 'permits'")
    for key, needed_by in (("permits", "split"), ("weight", "adjust")):
        if verb == needed_by and key not in step:
            raise Failure(f"{verb} needs {key!r}")
    misplaced = set() if verb in ("call", "acquire") else CALL_KEYS & set(step) - ALSO_TAKEN.get(verb, set())
    if misplaced:
        raise Failure(f"{verb} does not take {sorted(misplaced)}")
    if step["at"] < before["at"]:
        raise Failure("time goes backwards")
    if step.get("same_turn"):
        validate_same_turn(step, before)


def validate_same_turn(step: Step, before: Step) -> None:
    if not {step["do"], before["do"]} <= SAME_TURN_VERBS:
        raise Failure(f"{before['do']} and {step['do']} cannot act in one turn")
    if step["at"] != before["at"] or step.get("late"):
        raise Failure("the steps of a turn act at one time")
    if CHECKS & set(before):
        raise Failure("only the last step of a turn carries checks")


def known(what: str, mapping: dict[str, Any], keys: set[str], required: set[str]) -> None:
    unknown, missing = set(mapping) - keys, required - set(mapping)
    if unknown:
        raise Failure(f"unknown keys {sorted(unknown)} of {what}")
    if missing:
        raise Failure(f"{what} lacks {sorted(missing)}")


# --- running ---


def main(surface: str, play: Callable[[dict[str, Any]], None]) -> int:
    """Plays every scenario of the files and folders of the command line; `play` raises Failure or
    Skip."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for argument in sys.argv[1:]:
        path = Path(argument)
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not files:
            print(f"{path}: no scenario found")
            counts["failed"] += 1
        for file in files:
            run_file(surface, file, play, counts)
    if not any(counts.values()):
        print("no scenario found")
        counts["failed"] = 1
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if counts["failed"] else 0


def run_file(surface: str, file: Path, play: Callable[[dict[str, Any]], None], counts: dict[str, int]) -> None:
    try:
        scenarios = read(file)
    except Failure as error:
        print(f"{file}: {error}")
        counts["failed"] += 1
        return
    for scenario in scenarios:
        name = scenario.get("scenario", "a scenario without a sentence")
        try:
            validate(scenario)
            if surface not in scenario.get("surfaces", SURFACES):
                raise Skip(f"not for {surface}")
            play(scenario)
        except Failure as error:
            print(f"{file}: {name}: {error}")
            counts["failed"] += 1
        except Skip as reason:
            print(f"skipped: {file}: {name}: {reason}")
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
