"""The words for a full bulkhead."""

from __future__ import annotations

from typing import Final

from ._numbers import FULL_NO_QUEUE, FULL_NOT_WILLING, FULL_PAUSED

FIGURES: Final = ("limit", "active", "queued", "max_queue")
"""What an error says of the bulkhead at that moment, in the order of the arguments of `full_text`."""

_TEXTS: Final = {
    FULL_NO_QUEUE: "no permit free (max_concurrent {limit}) and no queue configured (max_queue 0); shed load or raise one",
    FULL_NOT_WILLING: "no permit free (max_concurrent {limit}) and the call is not willing to wait (timeout 0)",
    FULL_PAUSED: "paused (max_concurrent 0) and no place in the queue (max_queue {max_queue}); resize it to go on",
}
_QUEUE_FULL: Final = "queue full (max_queue {max_queue}); shed load or raise it"


def full_text(code: int, *figures: int) -> str:
    """Which of the four cases it was."""
    return _TEXTS.get(code, _QUEUE_FULL).format(**dict(zip(FIGURES, figures)))
