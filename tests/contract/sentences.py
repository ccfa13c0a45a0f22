"""Reads docs/contract.md and the scenarios: which sentences there are, and which of them a scenario
cites."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "tests/scenarios"
SECTION = re.compile(r"^## (?P<name>.+)$")
SENTENCE = re.compile(r"^- \*\*(?P<number>[0-9.]+)\*\* (?P<text>.+)$")
# Sections whose text promises nothing.
UNNUMBERED = {"Beyond this page"}


def sentences() -> dict[str, str]:
    """By citation ("Time 3.1"), in the order of the page."""
    found: dict[str, str] = {}
    section = ""
    for line in (ROOT / "docs/contract.md").read_text().splitlines():
        if match := SECTION.match(line):
            section = match["name"]
        elif match := SENTENCE.match(line):
            key = f"{section} {match['number']}"
            assert key not in found, f"{key} stands twice"
            found[key] = match["text"]
        elif line.startswith("- "):
            assert section in UNNUMBERED, f"a sentence without a number in {section}: {line}"
    return found


def citations(contract: str) -> list[str]:
    """The sentences that "Time 3.1, 3.2; Running 4.4" cites."""
    found = []
    for part in contract.split("; "):
        section, numbers = re.match(r"(.+?) ([0-9].*)", part).groups()  # type: ignore[union-attr] # the schema's pattern
        found += [f"{section} {number}" for number in numbers.split(", ")]
    return found


@cache
def scenario_files() -> list[Path]:
    """Those that people wrote, and the long ones, written anew from their seeds."""
    return [*sorted(SCENARIOS.glob("*.json")), *sorted(write_long_scenarios(ROOT / "target/scenarios").glob("*.json"))]


def write_long_scenarios(folder: Path) -> Path:
    subprocess.run([sys.executable, ROOT / "tests/long_scenarios/generate.py", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def scenarios() -> list[tuple[Path, dict[str, Any]]]:
    return [(file, scenario) for file in scenario_files() for scenario in json.loads(file.read_text())]


def pinned() -> dict[str, dict[str, str]]:
    """Sentences that no scenario can express: each with the test, by its file, that pins it."""
    table: dict[str, dict[str, str]] = json.loads((ROOT / "tests/contract/pinned.json").read_text())
    return table


def has_test(file: str, name: str) -> bool:
    """Whether the file defines a test of that name, in its language."""
    path = ROOT / file
    if not path.is_file():
        return False
    word = re.escape(name)
    patterns = {
        ".py": rf"^\s*(?:async )?def {word}\(",
        ".rs": rf"^\s*(?:async )?fn {word}\(",
    }
    quoted = rf"(?:test|it)\(\s*(['\"`]){word}\1"
    text = path.read_text().replace(r"\'", "'")
    return re.search(patterns.get(path.suffix, quoted), text, re.MULTILINE) is not None
