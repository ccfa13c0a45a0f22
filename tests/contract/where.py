#!/usr/bin/env python3
"""From a sentence of the contract to its code and its tests: `where.py "Admission 1.1"`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from comments import cited, sources
from sentences import ROOT, citations, pinned, scenarios, sentences


def main(sentence: str) -> int:
    known = sentences()
    if sentence not in known:
        sys.exit(f"docs/contract.md has no sentence {sentence!r}")
    print(f"{sentence}: {known[sentence]}")
    for line in places(sentence):
        print(f"  {line}")
    return 0


def places(sentence: str) -> Iterator[str]:
    section = sentence.rsplit(" ", 1)[0]
    for path in sources():
        lines = [each.line for each in cited(path, [section]) if each.sentence == sentence]
        yield from (f"{path.relative_to(ROOT)}:{line}" for line in lines)
    for file, scenario in scenarios():
        if sentence in citations(scenario["contract"]):
            yield f"{file.relative_to(ROOT)}: {scenario['scenario']}"
    for file_name, test in pinned().get(sentence, {}).items():
        yield f"{file_name}: {test}"


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
