"""The code blocks of the READMEs and of the guides, and what each says that it prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("*/README.md")), ROOT / "docs/index.md", *sorted(ROOT.glob("docs/guides/*.md"))]
FOR_DEVELOPERS = [ROOT / "CONTRIBUTING.md", ROOT / "RELEASING.md", ROOT / "SECURITY.md"]
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"(?://|#) → (?P<lines>.*)$", re.MULTILINE)
RUNNABLE = {"js", "js browser", "python"}


@dataclass(frozen=True)
class Snippet:
    page: Path
    line: int
    info: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line} {self.info}"

    def prints(self) -> list[str]:
        """The lines that follow an arrow in its comments; one comment may announce several."""
        return [line.strip() for match in PRINTS.finditer(self.code) for line in match["lines"].split("→")]


def snippets(page: Path) -> list[Snippet]:
    text = page.read_text()
    return [Snippet(page, text.count("\n", 0, match.start()) + 1, match["info"], match["code"]) for match in BLOCK.finditer(text)]


ALL = [snippet for page in [*PAGES, *FOR_DEVELOPERS] for snippet in snippets(page)]
