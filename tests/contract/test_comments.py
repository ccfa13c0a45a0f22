"""Comments cite sentences that exist, and the lines that decide a sentence cite it."""

from __future__ import annotations

from pathlib import Path

import pytest

from comments import Citation, cited, decided, faults, sources
from sentences import ROOT, sentences

SENTENCES = sentences()
SECTIONS = {key.rsplit(" ", 1)[0] for key in SENTENCES}
DECIDED = decided((ROOT / "tests/contract/decided.txt").read_text())
CORE = ROOT / "core/src"


def test_the_comments_cite_the_contract() -> None:
    citations = [each for path in sources() for each in cited(path, SECTIONS)]
    assert len(citations) > 10
    assert faults(citations, SENTENCES, DECIDED, CORE) == []


def test_the_list_is_of_sentences_each_once() -> None:
    assert not set(DECIDED) - SENTENCES.keys()
    assert len(DECIDED) == len(set(DECIDED))


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.rs", "// Time 2.1\nfn due() {}", ["Time 2.1"]),
        (
            "a.rs",
            "    fits(weight) // Admission 1.1, Nested calls 1.3: both ask the ledger",
            ["Admission 1.1", "Nested calls 1.3"],
        ),
        ("a.rs", "/// In the order of arrival (Admission 4.1).", ["Admission 4.1"]),
        ("a.rs", 'let text = "Time 2.1";', []),
        ("a.ts", "/**\n * Running 4.2: once.\n */", ["Running 4.2"]),
        ("a.ts", "/* Ending 1 */", ["Ending 1"]),
        ("a.py", "x = 1  # Errors 3", ["Errors 3"]),
        ("a.py", 'def f():\n    """First.\n\n    Threads and loops in Python 5.\n    """', ["Threads and loops in Python 5"]),
        ("a.py", 'text = "Time 2.1"', []),
        ("a.py", "# Python 3.11 has no such thing, and a SomeTime 2.1 is no section.", []),
        ("a.rs", "// Time 2.1, 2.2: the second cannot be searched for.", ["Time 2.1, 2.2"]),
    ],
)
def test_citations_are_found_in_comments_only(tmp_path: Path, name: str, text: str, found: list[str]) -> None:
    (tmp_path / name).write_text(text + "\n")
    assert [each.sentence for each in cited(tmp_path / name, SECTIONS)] == found


def test_a_citation_knows_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.rs"
    file.write_text("//! Time 1.1\n\nfn due() {\n    // Time 2.1\n}\n")
    assert cited(file, ["Time"]) == [Citation("Time 1.1", file, 1, True), Citation("Time 2.1", file, 4, False)]


def test_sources_are_ours(tmp_path: Path) -> None:
    for name in ["core/src/a.rs", "core/src/a.md", "core/node_modules/a.ts", "elsewhere/a.rs", "js/src/a.ts"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [str(path.relative_to(tmp_path)) for path in sources(tmp_path, ["core", "js"])] == ["core/src/a.rs", "js/src/a.ts"]


CITED = Citation("Time 2.1", Path("core/src/due.rs"), 7, False)


@pytest.mark.parametrize(
    ("citations", "required", "says"),
    [
        ([CITED], ["Time 2.1"], []),
        ([CITED], [], []),
        ([], ["Time 2.1"], ["Time 2.1: no comment in core/src cites it"]),
        ([Citation("Time 2.1", Path("js/src/due.ts"), 7, False)], ["Time 2.1"], ["Time 2.1: no comment in core/src cites it"]),
        ([Citation("Time 2.1", Path("core/src/due.rs"), 1, True)], ["Time 2.1"], ["Time 2.1: no comment in core/src cites it"]),
        ([Citation("Time 9.9", Path("a.py"), 3, False)], [], ["a.py:3: Time 9.9: the contract has no such sentence"]),
        (
            [Citation("Time 2.1, 2.2", Path("a.rs"), 3, False)],
            [],
            ["a.rs:3: Time 2.1, 2.2: name the section before each number, or a search misses it"],
        ),
    ],
)
def test_faults_are_named(citations: list[Citation], required: list[str], says: list[str]) -> None:
    assert faults(citations, ["Time 2.1", "Time 2.2"], required, Path("core/src")) == says


def test_the_list_may_have_comments() -> None:
    assert decided("# why\n\nTime 2.1\n") == ["Time 2.1"]
