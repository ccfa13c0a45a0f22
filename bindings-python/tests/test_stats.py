"""What can be seen: a value, consistent, worth reading."""

from __future__ import annotations

import asyncio
import dataclasses
import pickle
import random

import pytest

from bulkheads import Bulkhead, Stats
from helpers import Work, check_books, loop, probe_full, settle, spawn


async def test_a_snapshot_is_a_value_that_later_calls_do_not_change() -> None:
    bulkhead = Bulkhead("b", max_concurrent=2, max_queue=1)
    before = bulkhead.stats()
    twin = dataclasses.asdict(before)
    async with bulkhead:
        assert dataclasses.asdict(before) == twin
        assert bulkhead.stats() != before
    with pytest.raises(dataclasses.FrozenInstanceError):
        before.limit = 3  # type: ignore[misc]
    assert not hasattr(before, "__dict__")
    assert isinstance(before, Stats)
    assert pickle.loads(pickle.dumps(before)) == before


async def test_waits_and_runs_are_measured_in_seconds() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1, max_queue=2, timeout=60, call_timeout=60)
    await asyncio.gather(bulkhead.run(asyncio.sleep, 2), bulkhead.run(asyncio.sleep, 3))
    stats = bulkhead.stats()
    assert (stats.waited.count, stats.ran.count, stats.ran.sampled_every) == (1, 2, 1)
    assert stats.waited.sum == pytest.approx(2)
    assert stats.ran.sum == pytest.approx(5)
    assert stats.ran.max == pytest.approx(3)
    assert stats.ran.p50 == pytest.approx(2, rel=0.05)
    assert (stats.peak_active, stats.peak_queued) == (1, 1)


async def test_runs_without_a_bound_are_sampled_the_first_among_them() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    await bulkhead.run(asyncio.sleep, 3)
    ran = bulkhead.stats().ran
    assert (ran.count, ran.sum) == (1, 3.0)
    assert ran.sampled_every > 1
    for _ in range(2000):
        await bulkhead.run(asyncio.sleep, 1)
        async with bulkhead:
            await asyncio.sleep(1)
    ran = bulkhead.stats().ran
    assert 0.7 < ran.count * ran.sampled_every / 4001 < 1.4
    assert ran.sum == pytest.approx(ran.count + 2)
    assert bulkhead.stats().completed == 4001


async def test_it_reads_well() -> None:
    bulkhead = Bulkhead("shipping", max_concurrent=10, max_queue=20)
    assert repr(bulkhead) == "<Bulkhead shipping 0/10 active, 0/20 queued>"
    permit = await bulkhead.acquire(weight=7)
    waiters = [spawn(bulkhead.run(int, weight=9)) for _ in range(3)]
    await settle()
    assert repr(bulkhead) == "<Bulkhead shipping 7/10 active, 3/20 queued>"
    assert repr(permit) == "<Permit of shipping, weight 7, held>"
    bulkhead.drain()
    assert repr(bulkhead) == "<Bulkhead shipping 7/10 active, 3/20 queued, draining>"
    permit.release()
    assert repr(permit) == "<Permit of shipping, weight 7, released>"
    await asyncio.gather(*waiters)
    bulkhead.close()
    assert repr(bulkhead) == "<Bulkhead shipping 0/10 active, 0/20 queued, closed>"
    acquisition = bulkhead.acquire()
    assert repr(acquisition) == "<acquire of shipping>"
    acquisition.close()
    assert bulkhead.name == "shipping"


def test_a_bulkhead_is_not_pickled() -> None:
    bulkhead = Bulkhead("shipping", max_concurrent=10)
    with pytest.raises(TypeError, match="make one in each process"):
        pickle.dumps(bulkhead)


async def test_the_books_balance_after_every_step_of_a_random_history() -> None:
    generator = random.Random(11)
    bulkhead = Bulkhead("b", max_concurrent=5, max_queue=4, timeout=0.5, call_timeout=1, abandon_after=0.5)
    work, tasks, permits, submitted = Work(), [], [], 0
    for number in range(3000):
        action = generator.randrange(9)
        if action < 3:
            submitted += 1
            deadline = loop().time() + generator.random() if action == 0 else None
            tasks.append(spawn(bulkhead.run(work, number, weight=generator.randint(1, 3), deadline=deadline)))
        elif action == 3:
            submitted += 1
            permits.append(bulkhead.try_acquire(generator.randint(1, 3)))
        elif action == 4 and work.gates:
            gate = work.gates.pop(generator.choice(list(work.gates)))
            if not gate.done():
                gate.set_result(None)
        elif action == 5 and tasks:
            generator.choice(tasks[-20:]).cancel()
        elif action == 6 and permits:
            permit = permits.pop(generator.randrange(len(permits)))
            if permit is not None:
                permit.release()
        elif action == 7:
            bulkhead.resize(generator.choice([0, 2, 3, 5, 5, 5]))
        else:
            loop().jump(loop().time() + generator.random() / 10)
        await settle()
        stats = bulkhead.stats()
        check_books(bulkhead)
        rejected = sum(dataclasses.asdict(stats.rejected).values())
        assert submitted == stats.admitted + rejected + stats.queued
        assert stats.queued <= 4
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for permit in permits:
        if permit is not None:
            permit.release()
    bulkhead.resize(5)
    probe_full(bulkhead, 5)


def test_they_are_all_that_the_engine_has() -> None:
    bulkhead = Bulkhead("b", max_concurrent=1)
    shown = dataclasses.asdict(bulkhead.stats())
    names = {f"{name}_{inner}" if isinstance(value, dict) else name for name, value in shown.items() for inner in inner_of(value)}
    assert names == set(bulkhead._calls.stats())


def inner_of(value: object) -> list[str]:
    return list(value) if isinstance(value, dict) else [""]
