"""Row 11 as a user of the package sees it: what one call costs while many others wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from bulkheads import Bulkhead, BulkheadClosedError, BulkheadTimeoutError, Permit
from harness import Contender, Race

FEW, MANY = 1_000, 100_000
BATCH = 500
NOTE = "each waiter is a task with its frames and its future; those of 1,000,000 take over two gigabytes, so that this stops at"


class Crowd:
    """A bulkhead whose queue is kept at one length while calls come and go."""

    def __init__(self, length: int) -> None:
        self.length = length
        self._bulkhead = Bulkhead("bench", max_concurrent=1, max_queue=10_000_000, timeout=3600.0)
        self._permits: list[Permit] = []

    async def gather(self) -> None:
        self._permits.append(await self._bulkhead.acquire())
        await self._come(self.length)

    async def disperse(self) -> None:
        """All waiters are told to go, so that none is left to the end of the loop."""
        closed = self._bulkhead.close()
        self._permits.pop().release()
        await closed
        while self._bulkhead.stats().queued:
            await asyncio.sleep(0)

    async def pass_on(self, calls: int) -> None:
        """A call comes, the permit is given back, the first waiter gets it."""
        for _ in range(calls):
            asyncio.create_task(self._wait())  # noqa: RUF006 (the bulkhead's future holds it)
            self._permits.pop().release()
            while not self._permits:
                await asyncio.sleep(0)

    async def come_and_go(self, calls: int) -> None:
        for _ in range(calls // BATCH):
            tasks = await self._come(BATCH)
            for task in tasks:
                task.cancel()
            await self._shrunk()

    async def time_out(self, calls: int) -> None:
        for _ in range(calls // BATCH):
            for _ in range(BATCH):
                asyncio.create_task(self._wait_briefly())  # noqa: RUF006
            await asyncio.sleep(0)
            await self._shrunk()

    async def _come(self, calls: int) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(self._wait()) for _ in range(calls)]
        await asyncio.sleep(0)
        return tasks

    async def _shrunk(self) -> None:
        while self._bulkhead.stats().queued > self.length:
            await asyncio.sleep(0)

    async def _wait(self) -> None:
        with suppress(BulkheadClosedError):
            self._permits.append(await self._bulkhead.acquire())

    async def _wait_briefly(self) -> None:
        try:
            await self._bulkhead.acquire(timeout=1e-6)
        except BulkheadTimeoutError:
            return
        raise AssertionError("there was no permit")


MOVES: dict[str, tuple[str, str, Callable[[Crowd, int], Awaitable[None]]]] = {
    "acquire + release": ("release", "await bulkhead.acquire(); permit.release()", Crowd.pass_on),
    "enqueue + cancel": ("cancel", "await bulkhead.acquire(); task.cancel()", Crowd.come_and_go),
    "enqueue + time-out": ("timeout", "await bulkhead.acquire(timeout=1e-6)", Crowd.time_out),
}


async def races(calls: int, rounds: int, many: int = MANY) -> AsyncIterator[Race]:
    """All with the same two crowds: to gather one takes longer than to measure it."""
    few_wait, many_wait = Crowd(FEW), Crowd(many)
    for crowd in (few_wait, many_wait):
        await crowd.gather()
    for title in MOVES:
        yield race(title, calls, rounds, many_wait, few_wait)
    for crowd in (few_wait, many_wait):
        await crowd.disperse()


def race(title: str, calls: int, rounds: int, many_wait: Crowd, few_wait: Crowd) -> Race:
    move_id, how, move = MOVES[title]

    def contender(name: str, crowd: Crowd) -> Contender:
        return Contender(name, how, lambda calls: move(crowd, calls))

    return Race(
        id=f"11-package-{move_id}",
        title=f"{title} with {many_wait.length:,} waiters against {FEW:,}, tasks and all",
        unit="ns per call",
        work="tasks that come, wait and go; the queue keeps its length",
        options="max_concurrent=1",
        calls=calls,
        rounds=rounds,
        ours=contender("bulkheads", many_wait),
        peers=[contender(f"bulkheads, {FEW:,} waiters", few_wait)],
        shows_collections=True,
        note=f"{NOTE} {many_wait.length:,}",
    )
