"""Where in the caller's code something happens."""

from __future__ import annotations

import sys
from pathlib import Path
from traceback import StackSummary
from types import FrameType
from typing import Final

_PACKAGE: Final = str(Path(__file__).parent)
_LIMIT: Final = 10


def places() -> StackSummary:
    """The innermost places of the stack outside of this package, outermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    found: list[tuple[FrameType, int]] = []
    while frame is not None and len(found) < _LIMIT:
        found.append((frame, frame.f_lineno))
        frame = frame.f_back
    return StackSummary.extract(reversed(found), lookup_lines=False)
