"""The numbers of the engine interface (`docs/engine.md`), by name."""

from typing import Final

FIRST_ID: Final = 1 << 32
"""Whatever the engine answers from here on is an id, below zero minus an id, between them a code."""

MAX_COUNT: Final = 2**31 - 1
"""The largest count or weight."""

RUN: Final = 1
"""Flag of acquire: work that the bulkhead runs, so that call time-out and deadline bound it."""

COMPLETED: Final = 0
FAILED: Final = 1
LEAKED: Final = 2

FULL: Final = 1
FULL_NO_QUEUE: Final = 2
FULL_NOT_WILLING: Final = 3
FULL_PAUSED: Final = 4
LATE: Final = 5
CLOSED: Final = 6
TOO_HEAVY: Final = 7
REENTRANT: Final = 9

EVENT_GRANTED: Final = 1
EVENT_QUEUE_TIMEOUT: Final = 2
EVENT_CLOSED: Final = 3
EVENT_TOO_HEAVY: Final = 4
EVENT_CALL_TIMEOUT: Final = 6
EVENT_CALL_CLOSED: Final = 7
EVENT_IDLE: Final = 8
EVENT_ROOM: Final = 9
