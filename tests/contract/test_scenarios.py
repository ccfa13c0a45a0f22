"""Every scenario keeps to the format, and the long ones are those that the naive model writes."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sentences import ROOT, SCENARIOS, scenario_files, scenarios

SCHEMA = json.loads((ROOT / "tests/scenario.schema.json").read_text())
ACTS_AT_ONCE = {"release", "resize", "close", "drain", "try_acquire", "cancel"}


@pytest.mark.parametrize("file", scenario_files(), ids=lambda file: file.name)
def test_a_file_keeps_to_the_schema(file: Path) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(file.read_text()))


@pytest.mark.parametrize("scenario", [scenario for _, scenario in scenarios()], ids=lambda scenario: scenario["scenario"])
def test_the_steps_make_sense(scenario: dict[str, Any]) -> None:
    steps = scenario["steps"]
    for before, step in zip([steps[0], *steps], steps):
        assert before["at"] <= step["at"], step
        if step.get("same_turn"):
            assert before["at"] == step["at"] and before["do"] in ACTS_AT_ONCE - {"cancel"}, step
            assert not before.keys() & {"expect", "then", "stats", "next_timer", "idle"}, before
    new = [step["as"] for step in steps if "as" in step]
    assert len(new) == len(set(new)), "a label stands twice"
    assert {step["of"] for step in steps if "of" in step} <= set(new), "a label that is not there"


def test_no_two_scenarios_pin_the_same_sentence() -> None:
    names = Counter(scenario["scenario"] for _, scenario in scenarios())
    assert not [name for name, times in names.items() if times > 1]


def test_the_long_scenarios_are_what_the_model_says(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tests/long_scenarios/generate.py", tmp_path], check=True)
    written = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert written == {file.name: file.read_text() for file in SCENARIOS.glob("long-*.json")}
