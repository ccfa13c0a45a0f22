"""Every scenario keeps to the format, and the long ones follow from their seeds."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sentences import ROOT, SCENARIOS, scenario_files, scenarios, write_long_scenarios

SCHEMA = json.loads((ROOT / "tests/scenario.schema.json").read_text())
ACTS_AT_ONCE = {"release", "split", "adjust", "resize", "close", "drain", "try_acquire", "cancel"}


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
            assert not before.keys() & {"expect", "then", "stats", "state", "next_timer", "idle"}, before
    new = [step["as"] for step in steps if "as" in step]
    assert len(new) == len(set(new)), "a label stands twice"
    assert {step["of"] for step in steps if "of" in step} <= set(new), "a label that is not there"


def test_no_two_scenarios_pin_the_same_sentence() -> None:
    names = Counter(scenario["scenario"] for _, scenario in scenarios())
    assert not [name for name, times in names.items() if times > 1]


def test_the_long_scenarios_follow_from_their_seeds(tmp_path: Path) -> None:
    """Each run of the generator writes the same, whatever the hashes of its process: a failure can
    be played again."""
    files = [file for file in scenario_files() if file.parent != SCENARIOS]
    assert len(files) == 6
    again = write_long_scenarios(tmp_path)
    assert {file.name: file.read_text() for file in files} == {file.name: file.read_text() for file in again.iterdir()}
