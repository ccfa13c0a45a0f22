"""trio is not served: every way says so at once, and what to do works."""

import trio

from bulkheads import Bulkhead

api = Bulkhead("api", max_concurrent=1, max_queue=5)


async def number() -> int:
    return 3


async def main() -> None:
    async def enter() -> None:
        async with api:
            raise AssertionError("it entered")

    async def run() -> None:
        await api.run(number)

    async def acquire() -> None:
        await api.acquire()

    async def block() -> None:
        api.run_sync(int)

    for way in (enter, run, acquire, block):
        try:
            await way()
        except RuntimeError as error:
            assert "not trio" in str(error), error
            assert "trio.to_thread.run_sync" in str(error), error
        else:
            raise AssertionError(way)
    assert api.stats().active == 0
    assert await trio.to_thread.run_sync(api.run_sync, int, "7") == 7


trio.run(main)
print("ok")
