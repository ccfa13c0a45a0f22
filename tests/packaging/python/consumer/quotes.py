"""A program that uses bulkheads, and what a type checker should know about it."""

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Protocol, assert_type

from bulkheads import Bulkhead, BulkheadFullError, Permit

shipping = Bulkhead("shipping", max_concurrent=1)
audit = Bulkhead("audit", max_concurrent=2)


async def fetch(address: str) -> str:
    return f"quote for {address}"


@shipping.wrap(weight=1)
async def length(address: str, *, factor: int = 1) -> int:
    return len(address) * factor


class Source(Protocol):
    async def get(self, path: str) -> bytes: ...


class Client:
    @shipping.wrap
    async def get(self, path: str) -> bytes:
        return path.encode()


guard: AbstractAsyncContextManager[None] = shipping
source: Source = Client()


async def main() -> None:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(guard)
    assert_type(await source.get("/"), bytes)

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
