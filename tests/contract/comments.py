"""Which sentences of the contract the comments of the sources cite, and where: `// Admission 1.1`,
or `// Time 2.1: why`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sentences import ROOT

HERE = Path(__file__).resolve().parent
FOLDERS = ["core", "engine", "driver", "bindings-node", "bindings-python", "bindings-wasm", "js", "tests", "bench"]
ENDINGS = {".rs", ".ts", ".mjs", ".py"}
NOT_OURS = {"node_modules", "target", "dist", "dist.new", "native"}
SLASHED = re.compile(r"//(?P<line>.*)|^\s*/?\*+(?P<block>.*)")
"""A comment of Rust or JavaScript: to the end of its line, or a line of a block."""


@dataclass(frozen=True)
class Citation:
    sentence: str
    file: Path
    line: int
    heads_file: bool
    """In the comment of a whole Rust file (`//!`), beside no line that decides anything."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.sentence}"


def sources(root: Path = ROOT, folders: Iterable[str] = FOLDERS) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            # The files beside this one have examples of citations, some of them wrong on purpose.
            if path.suffix in ENDINGS and path.parent != HERE and NOT_OURS.isdisjoint(path.relative_to(root).parts):
                yield path


def cited(path: Path, sections: Iterable[str]) -> list[Citation]:
    """The citations in a file's comments; in Python also in its docstrings."""
    number = r"\d+(?:\.\d+)*"
    # A number that follows without its section is kept with its comma, so that it is no sentence's
    # name.
    pattern = re.compile(rf"\b(?P<section>{'|'.join(map(re.escape, sections))}) (?P<number>{number}(?:, {number}\b)*)")
    lines = python_comments(path) if path.suffix == ".py" else slashed_comments(path)
    return [
        Citation(f"{match['section']} {match['number']}", path, line, text.startswith("!"))
        for line, text in lines
        for match in pattern.finditer(text)
    ]


def slashed_comments(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := SLASHED.search(line):
            yield number, match["line"] or match["block"] or ""


def python_comments(path: Path) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
            for offset, text in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, text


def decided(text: str) -> list[str]:
    """The lines of tests/contract/decided.txt; what begins with # is a comment."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def faults(citations: Iterable[Citation], sentences: Iterable[str], required: Iterable[str], core: Path) -> list[str]:
    """What is wrong: citations of no sentence, and sentences that no line in the folder `core`
    cites."""
    citations, known = list(citations), set(sentences)
    unknown = [f"{each}: {why(each.sentence)}" for each in citations if each.sentence not in known]
    at_lines = {each.sentence for each in citations if each.file.is_relative_to(core) and not each.heads_file}
    missing = [f"{sentence}: no comment in {core} cites it" for sentence in required if sentence not in at_lines]
    return unknown + missing


def why(sentence: str) -> str:
    return (
        "name the section before each number, or a search misses it" if "," in sentence else "the contract has no such sentence"
    )
