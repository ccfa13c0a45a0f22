"""What the tests share: work that ends when a test says so, and a look at a bulkhead's books."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, cast

from bulkheads import Bulkhead
from bulkheads.testing import VirtualLoop

SOON = 30
"""Seconds that nothing takes, unless it hangs."""


def loop() -> VirtualLoop:
    return cast(VirtualLoop, asyncio.get_running_loop())


async def settle() -> None:
    await loop().settle()


def spawn(coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    return asyncio.create_task(coroutine)


def until(is_so: Callable[[], bool]) -> None:
    """Other threads get their turn until they have brought this about."""
    give_up = time.monotonic() + SOON
    while not is_so():
        assert time.monotonic() < give_up
        time.sleep(0)


def in_thread(function: Callable[..., Any], *args: Any) -> Started:
    return Started(function, args)


class Started:
    """A thread, and what its function returned or raised."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self._outcome: Any = None
        self._error: BaseException | None = None
        self._call = (function, args)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        function, args = self._call
        try:
            self._outcome = function(*args)
        except BaseException as error:
            self._error = error

    def result(self) -> Any:
        self._thread.join(SOON)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error
        return self._outcome


class Work:
    """Stays unsettled until a test ends it; counts how many of its bodies run at once."""

    def __init__(self) -> None:
        self.gates: dict[object, asyncio.Future[Any]] = {}
        self.order: list[object] = []
        self.running = 0
        self.peak = 0

    async def __call__(self, name: object = "work") -> object:
        self.order.append(name)
        self.running += 1
        self.peak = max(self.peak, self.running)
        gate = self.gates[name] = asyncio.get_running_loop().create_future()
        try:
            return await gate
        finally:
            self.running -= 1

    def end(self, name: object = "work", result: object = None) -> None:
        self.gates.pop(name).set_result(result)

    def fail(self, name: object, error: BaseException) -> None:
        self.gates.pop(name).set_exception(error)


def check_books(bulkhead: Bulkhead) -> None:
    stats = bulkhead.stats()
    ended = stats.completed + stats.failed + stats.unclaimed + stats.abandoned_runs + stats.leaked
    assert stats.admitted == ended + stats.running
    assert stats.available == max(0, stats.limit - stats.active)


def probe_full(bulkhead: Bulkhead, limit: int) -> None:
    """Exactly `limit` permits can be had, and nothing is left over."""
    permits = [bulkhead.try_acquire() for _ in range(limit)]
    assert all(permits)
    assert bulkhead.try_acquire() is None
    for permit in permits:
        assert permit is not None
        permit.release()
    stats = bulkhead.stats()
    assert (stats.active, stats.running, stats.queued, stats.available) == (0, 0, 0, limit)
    check_books(bulkhead)
