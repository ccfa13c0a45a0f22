"""A test of a time-out that nobody has to wait for."""

import asyncio

from bulkheads import Bulkhead, BulkheadTimeoutError
from bulkheads.testing import VirtualLoop


async def main() -> None:
    shipping = Bulkhead("shipping", max_concurrent=1, max_queue=1, timeout=0.3)
    async with shipping:
        try:
            await shipping.run(asyncio.sleep, 1)
        except BulkheadTimeoutError as error:
            print(f"timed out after {error.waited} seconds")


with asyncio.Runner(loop_factory=VirtualLoop) as runner:
    runner.run(main())
