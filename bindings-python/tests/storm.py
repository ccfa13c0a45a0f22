"""A storm of Ctrl-C on calls of every kind: the interpreter goes on, and every permit comes back.

python storm.py 30    for 30 seconds
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from types import FrameType

from bulkheads import Bulkhead, BulkheadError
from helpers import probe_full

LIMIT = 3
TASKS = 12


class Storm:
    """Sends SIGINT to this process at random moments while it is on."""

    def __init__(self) -> None:
        self.interrupts = 0
        self.is_on = False
        signal.signal(signal.SIGINT, self.interrupt)
        threading.Thread(target=self.blow, daemon=True).start()

    def interrupt(self, _number: int, _frame: FrameType | None) -> None:
        # What arrives after a round must not end the check of its permits.
        if self.is_on:
            self.interrupts += 1
            raise KeyboardInterrupt

    def blow(self) -> None:
        while True:
            time.sleep(random.uniform(0.0002, 0.01))
            # Several in a row: the later ones arrive while the loop is being closed.
            for _ in range(random.randrange(1, 6)):
                if self.is_on:
                    os.kill(os.getpid(), signal.SIGINT)
                time.sleep(random.uniform(0, 0.0003))

    @contextlib.contextmanager
    def over(self) -> Iterator[None]:
        try:
            self.is_on = True
            yield
        except KeyboardInterrupt:
            pass
        finally:
            self.is_on = False


async def pages(count: int) -> AsyncIterator[int]:
    for page in range(count):
        await asyncio.sleep(0)
        yield page


async def work() -> int:
    await asyncio.sleep(random.choice((0, 0, 0.001)))
    return 1


async def call(bulkhead: Bulkhead) -> None:
    """One call, of a random kind."""
    match random.randrange(5):
        case 0:
            await bulkhead.run(work)
        case 1:
            await bulkhead.run(work, call_timeout=0.001)
        case 2:
            async for _ in bulkhead.map(lambda item: work(), range(3)):
                pass
        case 3:
            async with bulkhead:
                await work()
        case 4:
            async for _ in bulkhead.wrap(pages)(2):
                pass


async def caller(bulkhead: Bulkhead) -> None:
    while True:
        with contextlib.suppress(BulkheadError):
            await call(bulkhead)
        await asyncio.sleep(0)


async def crowd(bulkhead: Bulkhead) -> None:
    await asyncio.gather(*(caller(bulkhead) for _ in range(TASKS)))


def run_again(loop: asyncio.AbstractEventLoop, bulkhead: Bulkhead) -> None:
    """A loop that goes on after each interrupt, with the tasks that it has."""
    loop.create_task(crowd(bulkhead))
    for _ in range(5):
        # An interrupt inside of `run_forever` itself may leave the loop marked as running.
        with contextlib.suppress(KeyboardInterrupt, RuntimeError):
            loop.run_forever()


def threads(bulkhead: Bulkhead) -> None:
    while True:
        with contextlib.suppress(BulkheadError):
            bulkhead.run_sync(time.sleep, 0)


def close(loop: asyncio.AbstractEventLoop) -> None:
    """Ends what an interrupt has left of `run_forever`, then the loop."""
    sys.set_asyncgen_hooks(None, None)
    asyncio._set_running_loop(None)
    asyncio.set_event_loop(None)
    loop._thread_id = None  # type: ignore[attr-defined]
    loop.close()


def main(seconds: str = "1") -> None:
    # Loops that are closed in the midst of it have much to say of that.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda _: None
    storm = Storm()
    ends = time.monotonic() + float(seconds)
    rounds = 0
    while time.monotonic() < ends:
        bulkhead = Bulkhead("storm", max_concurrent=LIMIT, max_queue=TASKS, timeout=0.005)
        loop = asyncio.new_event_loop()
        with storm.over():
            if rounds % 4:
                run_again(loop, bulkhead)
            else:
                threads(bulkhead)
        close(loop)
        gc.collect()
        probe_full(bulkhead, LIMIT)
        rounds += 1
    print(f"{storm.interrupts:,} interrupts in {rounds:,} rounds, no permit lost")


if __name__ == "__main__":
    main(*sys.argv[1:])
