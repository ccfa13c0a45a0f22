"""Every snippet of every README and guide runs and prints what it says; every command and every
link is there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from snippets import ALL, FOR_DEVELOPERS, PAGES, ROOT, RUNNABLE, Snippet

MAKE = re.compile(r"^make (?P<target>[a-z-]+)", re.MULTILINE)
LINK = re.compile(r"\]\((?P<target>[^)#:]+)(?:#[^)]*)?\)")
OTHER_COMMANDS = {"cargo", "git", "make", "npm", "pip", "python3"}
CRATES = [ROOT / "core/README.md", ROOT / "driver/README.md", ROOT / "engine/README.md"]
"""Their examples are doc tests of the crates."""
BUNDLERS = ROOT / "docs/guides/bundlers.md"
"""Its steps are followed with the tools themselves, by tests/packaging/npm/hosts."""


@pytest.mark.parametrize("snippet", [one for one in ALL if one.info in RUNNABLE and one.page != BUNDLERS], ids=str)
def test_a_snippet_prints_what_it_says(snippet: Snippet, tmp_path: Path) -> None:
    command = python_program(snippet, tmp_path) if snippet.info == "python" else node_program(snippet, tmp_path)
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert snippet.prints(), "a snippet that shows nothing"
    assert ran.stdout.splitlines() == snippet.prints()


def python_program(snippet: Snippet, folder: Path) -> list[str]:
    file = folder / "snippet.py"
    file.write_text(snippet.code)
    return [sys.executable, "-W", "error", str(file)]


def node_program(snippet: Snippet, folder: Path) -> list[str]:
    """The package as its users get it, found by its name; in Chromium where the snippet is for a
    page."""
    file = folder / "snippet.mjs"
    file.write_text(snippet.code)
    if snippet.info == "js browser":
        return ["node", str(ROOT / "tests/readme/page.mjs"), str(file)]
    (folder / "node_modules").mkdir()
    (folder / "node_modules/bulkheads").symlink_to(ROOT / "js", target_is_directory=True)
    return ["node", str(file)]


@pytest.mark.parametrize("snippet", [one for one in ALL if one.info not in RUNNABLE and one.page != BUNDLERS], ids=str)
def test_every_other_block_is_of_commands_that_exist(snippet: Snippet) -> None:
    if snippet.info == "rust" and snippet.page in CRATES:
        return
    assert snippet.info == "sh", "a language that this test does not know"
    commands = {line.split()[0] for line in snippet.code.splitlines() if line.strip()}
    assert commands <= OTHER_COMMANDS
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {match["target"] for match in MAKE.finditer(snippet.code)} <= targets


@pytest.mark.parametrize("page", [*PAGES, *FOR_DEVELOPERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = {match["target"] for match in LINK.finditer(page.read_text())}
    assert not [target for target in targets if not (page.parent / target).exists()]


def test_there_is_a_quick_start_for_each_surface() -> None:
    assert {snippet.info for snippet in ALL if snippet.page == ROOT / "README.md"} >= RUNNABLE
