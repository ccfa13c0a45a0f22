"""Whatever of ours is dropped while an exception is on its way: the exception arrives, the
interpreter lives, no permit is lost."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import asyncio, faulthandler, gc, warnings
from bulkheads import Bulkhead

faulthandler.enable()
warnings.simplefilter("ignore")

def fail():
    raise ZeroDivisionError

async def busy(bulkhead):
    await asyncio.sleep(9)

async def started(generator):
    await anext(generator)
    return generator

def send(awaitable):
    iterator = awaitable.__await__()
    try:
        iterator.send(None)
    except StopIteration:
        pass
    return iterator

MAKERS = {MAKERS}

async def main():
    for limit in (1, 2):
        for name, make in MAKERS.items():
            bulkhead = Bulkhead("b", max_concurrent=limit, max_queue=9, timeout=9)
            async with bulkhead:
                try:
                    # The object is on the stack when the exception comes, and goes while it is on
                    # its way.
                    print(make(bulkhead), fail())
                except ZeroDivisionError:
                    pass
                else:
                    raise AssertionError(name)
                gc.collect()
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            stats = bulkhead.stats()
            assert (stats.active, stats.queued) == (0, 0), (name, limit, stats)
    print("alive")

asyncio.run(main())
"""

MAKERS = {
    "entering": "lambda b: b.__aenter__()",
    # With a permit free it is entered by then, and to be left.
    "an awaited entering": "lambda b: b.__aenter__().__await__() if b.stats().available == 0 else None",
    "a begun entering": "lambda b: send(b.__aenter__()) if b.stats().available == 0 else None",
    "leaving": "lambda b: b.__aexit__",
    "an acquisition": "lambda b: b.acquire()",
    "an awaited acquisition": "lambda b: b.acquire().__await__()",
    "a begun acquisition": "lambda b: send(b.acquire())",
    "a permit": "lambda b: b.try_acquire()",
    "a run": "lambda b: b.run(busy, b)",
    "a begun run": "lambda b: send(b.run(busy, b)) if b.stats().available == 0 else None",
    "a wrapped call": "lambda b: b.wrap(busy)(b)",
    "a map": "lambda b: b.map(busy, [b])",
    "an idle moment": "lambda b: b.idle()",
    "a begun idle moment": "lambda b: send(b.idle())",
    "a bulkhead": "lambda b: Bulkhead('other', max_concurrent=1)",
    "a bulkhead with a permit taken": "lambda b: (lambda other: (other, other.try_acquire()))(Bulkhead('other', max_concurrent=1))",
}


@pytest.mark.parametrize("collected", [False, True], ids=["by its last reference", "by the collector"])
def test_an_object_that_is_dropped_while_an_exception_is_on_its_way(collected: bool) -> None:
    makers = "{" + ", ".join(f"{name!r}: {make}" for name, make in MAKERS.items()) + "}"
    script = SCRIPT.replace("{MAKERS}", makers)
    if collected:
        # Within a cycle: then it goes at a collection, which the allocations of the exception bring
        # about.
        script = script.replace(
            "print(make(bulkhead), fail())",
            "cycle = [make(bulkhead)]; cycle.append(cycle); del cycle; print(gc.collect(), fail())",
        )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["alive"]), done.stderr
    assert "Fatal" not in done.stderr
