"""Forked children: empty books of their own, whatever the parent held, and whichever thread held
the lock."""

from __future__ import annotations

import asyncio
import os
import threading
import traceback
from collections.abc import Callable

import pytest

from bulkheads import Bulkhead, BulkheadError, BulkheadTimeoutError
from helpers import SOON, in_thread, probe_full, until

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning"),
]


def fork(child: Callable[[], None]) -> None:
    """Runs `child` in a forked process; it must end well."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            child()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def check_empty(bulkhead: Bulkhead) -> None:
    stats = bulkhead.stats()
    assert (stats.active, stats.running, stats.queued, stats.admitted, stats.peak_queued) == (0, 0, 0, 0, 0)
    assert (stats.waited.count, stats.ran.count) == (0, 0)


def test_a_child_goes_on_by_itself_without_what_the_parents_loop_held() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=2, timeout=0.01)

    def use() -> None:
        check_empty(bulkhead)
        # In a thread of its own: this one still believes to be in its parent's loop.
        in_thread(asyncio.run, bulkhead.run(int)).result()
        in_thread(bulkhead.run_sync, int).result()
        probe_full(bulkhead, 1)

    async def main() -> None:
        async with bulkhead:
            fork(use)

    asyncio.run(main())
    probe_full(bulkhead, 1)


def test_nothing_of_the_parents_counts_in_the_child_or_frees_what_is_the_childs() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=9, timeout=0.01)
    held = bulkhead.acquire_sync()

    def use() -> None:
        check_empty(bulkhead)
        mine = [bulkhead.acquire_sync(), bulkhead.acquire_sync()]
        held.release()
        bulkhead.__exit__(None, None, None)
        assert (bulkhead.stats().active, bulkhead.stats().completed) == (2, 0)
        with pytest.raises(BulkheadTimeoutError):
            bulkhead.run_sync(int)
        for permit in mine:
            permit.release()
        probe_full(bulkhead, 2)

    with bulkhead:
        fork(use)
        assert bulkhead.stats().active == 2
    held.release()
    probe_full(bulkhead, 2)


def test_the_limit_and_the_state_are_as_they_were() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2)
    bulkhead.resize(5)
    idle = bulkhead.idle()
    closed = Bulkhead("c", max_concurrent=1)
    held = closed.acquire_sync()
    end = closed.close()

    def use() -> None:
        assert (bulkhead.stats().limit, closed.stats().state) == (5, "closed")

        async def main() -> None:
            await asyncio.gather(idle, end)

        asyncio.run(main())

    fork(use)
    held.release()


def test_a_child_of_a_process_whose_threads_are_in_the_midst_of_everything() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=9, timeout=SOON)
    is_over = False

    def hammer() -> None:
        while not is_over:
            try:
                with bulkhead:
                    repr(bulkhead)
                bulkhead.run_sync(int)
            except BulkheadError:
                pass

    async def loop() -> None:
        while not is_over:
            await bulkhead.run(int)
            await asyncio.sleep(0)

    def use() -> None:
        check_empty(bulkhead)
        asyncio.run(bulkhead.run(int))
        probe_full(bulkhead, 2)

    others = [in_thread(hammer) for _ in range(4)] + [in_thread(lambda: asyncio.run(loop())) for _ in range(2)]
    try:
        for _ in range(20):
            with bulkhead:
                fork(use)
    finally:
        is_over = True
        for other in others:
            other.result()
    probe_full(bulkhead, 2)


def test_a_thread_that_is_blocked_in_the_parent_is_not_in_the_child() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=SOON)
    with bulkhead:
        waiter = in_thread(bulkhead.run_sync, int)
        until(lambda: bulkhead.stats().queued == 1)

        def use() -> None:
            check_empty(bulkhead)
            assert threading.active_count() == 1
            with bulkhead:
                other = in_thread(bulkhead.run_sync, int)
                until(lambda: bulkhead.stats().queued == 1)
            other.result()
            probe_full(bulkhead, 1)

        fork(use)
    waiter.result()
    probe_full(bulkhead, 1)
