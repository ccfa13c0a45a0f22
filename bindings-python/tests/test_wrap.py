"""`wrap`: the same function, guarded."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bulkheads import Bulkhead, BulkheadFullError
from helpers import probe_full, settle, spawn

shipping = Bulkhead("shipping", max_concurrent=3)


@shipping.wrap
async def quote(address: str, *, express: bool = False) -> str:
    """The price."""
    await asyncio.sleep(0)
    return f"{address} {express} {shipping.stats().active}"


@shipping.wrap(weight=2)
def blocking(address: str) -> str:
    return f"{address} {shipping.stats().active}"


class Client:
    def __init__(self, name: str) -> None:
        self.name = name

    @shipping.wrap
    async def get(self, path: str) -> str:
        return f"{self.name}{path}"

    @staticmethod
    @shipping.wrap
    async def static(path: str) -> str:
        return path

    @classmethod
    @shipping.wrap(weight=3)
    async def of(cls, name: str) -> Client:
        return cls(name)


async def test_with_and_without_options_on_functions_and_methods() -> None:
    assert await quote("here", express=True) == "here True 1"
    assert await asyncio.to_thread(blocking, "there") == "there 2"
    with pytest.raises(RuntimeError, match="would block the event loop of this thread; use"):
        blocking("there")
    client = await Client.of("host")
    assert await client.get("/path") == "host/path"
    assert await Client.get(client, "/other") == "host/other"
    assert await Client.static("/") == "/"
    assert await shipping.wrap(functools.partial(quote.__wrapped__, "x"))() == "x False 1"  # type: ignore[attr-defined]
    probe_full(shipping, 3)


async def test_it_looks_like_what_it_wraps() -> None:
    assert inspect.iscoroutinefunction(quote)
    assert not inspect.iscoroutinefunction(blocking)
    assert blocking.__name__ == "blocking"
    assert (quote.__name__, quote.__doc__) == ("quote", "The price.")
    assert list(inspect.signature(quote).parameters) == ["address", "express"]


async def test_many_wrapped_functions_share_one_limit() -> None:
    bulkhead, peak, running = Bulkhead("b", max_concurrent=3, max_queue=300, timeout=60), 0, 0

    async def work() -> None:
        nonlocal peak, running
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.001)
        running -= 1

    wrapped = [bulkhead.wrap(work) for _ in range(20)]
    await asyncio.gather(*(wrapped[number % 20]() for number in range(200)))
    assert peak == 3
    probe_full(bulkhead, 3)


async def test_its_options_count() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=2)
    unwilling = bulkhead.wrap(timeout=0)(asyncio.sleep)
    holding = spawn(bulkhead.wrap(weight=2)(asyncio.sleep)(1))
    await settle()
    with pytest.raises(BulkheadFullError):
        await unwilling(1)
    await holding


async def numbers() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize("fn", [3, "fn", staticmethod(numbers), classmethod(type)])
def test_what_cannot_be_wrapped_is_a_type_error_at_once(fn: Any) -> None:
    with pytest.raises(TypeError):
        shipping.wrap(fn)
    with pytest.raises(TypeError):
        shipping.wrap(weight=2)(fn)
