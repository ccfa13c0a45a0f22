"""Clocks that tests freeze and let travel: what waits after it still times out, each time after its
own length."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import freezegun
import time_machine

from bulkheads import Bulkhead, BulkheadTimeoutError

TRAVELS: list[Callable[[], AbstractContextManager[Any]]] = [
    lambda: freezegun.freeze_time("2031-01-01"),
    lambda: freezegun.freeze_time("1999-01-01"),
    lambda: time_machine.travel("2031-01-01"),
]


async def wait_in_vain(api: Bulkhead) -> None:
    began = time.perf_counter()
    async with asyncio.timeout(5):
        try:
            await api.run(int)
        except BulkheadTimeoutError:
            assert 0.04 < time.perf_counter() - began < 4
        else:
            raise AssertionError("it ran")


async def main() -> None:
    api = Bulkhead("api", max_concurrent=1, max_queue=5, timeout=0.05)
    for travel in TRAVELS:
        async with api:
            await wait_in_vain(api)
            with travel():
                api.stats()
                gone = asyncio.ensure_future(api.run(int))
                await asyncio.sleep(0)
                gone.cancel()
                await asyncio.wait([gone])
            await wait_in_vain(api)
            await wait_in_vain(api)
    assert api.stats().active == 0


asyncio.run(main())
print("ok")
