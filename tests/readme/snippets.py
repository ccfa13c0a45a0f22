"""The code blocks of the READMEs, and what each says that it prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READMES = [ROOT / "README.md", *sorted(ROOT.glob("*/README.md"))]
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"(?://|#) → (?P<lines>.*)$", re.MULTILINE)
RUNNABLE = {"js", "js browser", "python"}


@dataclass(frozen=True)
class Snippet:
    readme: Path
    line: int
    info: str
    code: str

    def __str__(self) -> str:
        return f"{self.readme.relative_to(ROOT)}:{self.line} {self.info}"

    def prints(self) -> list[str]:
        """The lines that follow an arrow in its comments; one comment may announce several."""
        return [line.strip() for match in PRINTS.finditer(self.code) for line in match["lines"].split("→")]


def snippets(readme: Path) -> list[Snippet]:
    text = readme.read_text()
    return [
        Snippet(readme, text.count("\n", 0, match.start()) + 1, match["info"], match["code"]) for match in BLOCK.finditer(text)
    ]


ALL = [snippet for readme in READMES for snippet in snippets(readme)]
