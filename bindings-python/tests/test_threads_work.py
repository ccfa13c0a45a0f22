"""What a blocked thread may run: nothing that would go on without its permit."""

from __future__ import annotations

import inspect
import types
from collections.abc import AsyncIterator, Iterator
from unittest.mock import MagicMock

import pytest

from bulkheads import Bulkhead
from helpers import probe_full


async def later() -> int:
    return 1


async def many() -> AsyncIterator[int]:
    yield 1


def test_work_that_would_go_on_without_a_permit_is_a_type_error() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    for work in (later, many):
        with pytest.raises(TypeError, match="without a permit"):
            bulkhead.run_sync(work)
    assert bulkhead.stats().admitted == 0
    with pytest.raises(TypeError, match="must be a function, got 3"):
        bulkhead.run_sync(3)  # type: ignore[arg-type]
    made = later()
    for hidden in (lambda: made, many().__aiter__):
        with pytest.raises(TypeError, match="go on without a permit"):
            bulkhead.run_sync(hidden)
    assert inspect.getcoroutinestate(made) == inspect.CORO_CLOSED
    assert bulkhead.stats().failed == 2
    probe_full(bulkhead, 1)


@types.coroutine
def by_generator() -> Iterator[None]:
    yield


class Stream:
    """No work: the code that iterates over it does that later, in a loop."""

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> int:
        raise StopAsyncIteration


def test_what_only_looks_as_if_it_went_on_is_a_result() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    for make in (Stream, MagicMock, lambda: iter([1])):
        assert bulkhead.run_sync(make) is not None
    with pytest.raises(TypeError, match="go on without a permit"):
        bulkhead.run_sync(by_generator)
    probe_full(bulkhead, 1)
