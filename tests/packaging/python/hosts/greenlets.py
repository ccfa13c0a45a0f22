"""Greenlets of one thread share a bulkhead: who waits lets the others run. The host is named by the
argument."""

import math
import sys
from collections.abc import Callable
from typing import Any

HOST = sys.argv[1]
if HOST == "gevent":
    from gevent import monkey

    monkey.patch_all()
    import gevent

    spawn: Callable[..., Any] = gevent.spawn
    join: Callable[..., Any] = gevent.joinall
else:
    import eventlet

    eventlet.monkey_patch()
    spawn = eventlet.spawn

    def join(greenlets: list[Any]) -> None:
        for greenlet in greenlets:
            greenlet.wait()


import threading  # noqa: E402
import time  # noqa: E402

from bulkheads import Bulkhead, BulkheadTimeoutError  # noqa: E402


def wait_in_turn() -> None:
    """Three ways to wait for the one permit, 0.05 s each, while another greenlet goes on."""
    api = Bulkhead("api", max_concurrent=1, max_queue=10, timeout=math.inf)
    order: list[str] = []
    ticks = 0
    done = False

    def tick() -> None:
        nonlocal ticks
        while not done:
            ticks += 1
            time.sleep(0.005)

    def by_with() -> None:
        with api:
            time.sleep(0.05)
            order.append("with")

    def by_run_sync() -> None:
        api.run_sync(time.sleep, 0.05)
        order.append("run_sync")

    def by_acquire() -> None:
        with api.acquire_sync():
            time.sleep(0.05)
            order.append("acquire")

    clock = spawn(tick)
    join([spawn(way) for way in (by_with, by_run_sync, by_acquire)])
    done = True
    join([clock])
    assert order == ["with", "run_sync", "acquire"], order
    assert ticks > 10, ticks
    assert api.stats().active == 0


def time_out() -> None:
    api = Bulkhead("api", max_concurrent=1, max_queue=10, timeout=0.05)
    refused: list[float] = []

    def wait() -> None:
        try:
            with api:
                raise AssertionError("it has the permit")
        except BulkheadTimeoutError as error:
            refused.append(error.waited)

    with api:
        join([spawn(wait), spawn(wait)])
    assert len(refused) == 2, refused
    assert all(0.05 <= waited < 5 for waited in refused), refused


def be_woken_by_many_threads() -> None:
    """`threading.Thread` is a greenlet too where it was patched."""
    api = Bulkhead("api", max_concurrent=2, max_queue=100, timeout=math.inf)
    inside, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal inside, most
        with api:
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.001)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, api.stats().completed, api.stats().active) == (2, 50, 0)


wait_in_turn()
time_out()
be_woken_by_many_threads()
print("ok")
