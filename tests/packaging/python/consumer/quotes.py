"""A program that uses bulkheads, and what a type checker should know about it."""

import asyncio
from typing import assert_type

from bulkheads import Bulkhead, BulkheadFullError, Permit

shipping = Bulkhead("shipping", max_concurrent=1)
audit = Bulkhead("audit", max_concurrent=2)


async def fetch(address: str) -> str:
    return f"quote for {address}"


@shipping.wrap(weight=1)
async def length(address: str, *, factor: int = 1) -> int:
    return len(address) * factor


async def main() -> None:
    quote = await shipping.run(fetch, "Quay 7")
    assert_type(quote, str)
    print(quote)

    async with shipping.acquire() as permit:
        assert_type(permit, Permit)
        try:
            await length("Quay 7", factor=2)
        except BulkheadFullError as error:
            print(error.code)

    async for quote in shipping.map(fetch, ["Bow", "Stern"]):
        assert_type(quote, str)
        print(quote)
    async for measured in audit.map(length, ["Bow"]):
        assert_type(measured, int)
    assert_type(shipping.try_acquire(), Permit | None)
    print(shipping.stats().completed)


asyncio.run(main())
