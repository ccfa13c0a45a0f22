"""The libraries beside which bulkheads is measured, and what they do differently."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

import aiologic
import anyio
from bulklink import AsyncBulkhead
from hyx.bulkhead import bulkhead as hyx_bulkhead

LIMIT = 10
ROOM = 1_000_000

NO_BOUND = "its queue and its wait have no bound"
NO_WAIT_BOUND = "its wait has no bound"
ANY_LOOP = "its queue and its wait have no bound; checks for cancellation, and yields to the loop, at each acquire"


def versions() -> dict[str, str]:
    names = ["aiologic", "aiometer", "anyio", "bulklink", "hyx", "uvloop"]
    return {name: version(name) for name in names}


def semaphore(limit: int = LIMIT) -> asyncio.Semaphore:
    return asyncio.Semaphore(limit)


def anyio_limiter(limit: int = LIMIT) -> Any:
    return anyio.CapacityLimiter(limit)


def hyx(limit: int = LIMIT, room: int = ROOM) -> Any:
    return hyx_bulkhead(max_concurrency=limit, max_capacity=limit + room)


def bulklink(limit: int = LIMIT, room: int = 0, wait: float | None = None) -> Any:
    return AsyncBulkhead(label="bench", parallelism=limit, waiting_room=room, wait_limit=wait)


def aiologic_semaphore(limit: int = LIMIT) -> Any:
    return aiologic.Semaphore(limit)
