"""The Python surface of the lab: an asyncio client on aiohttp, which keeps its connections alive.

usage: client.py PORT, then lines of JSON (lines.mjs)
"""

from __future__ import annotations

import asyncio
import json
import platform
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bulkheads import Bulkhead, BulkheadError

PLAN = json.loads(Path(__file__).with_name("experiment.json").read_text())
BEAT = 0.005


async def main(port: str) -> None:
    say({"runtime": f"Python {platform.python_version()}", "engine": "native"})
    # No limit of the client's own: the bulkheads are what is measured.
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", connector=aiohttp.TCPConnector(limit=0)) as session:
        lab = Lab(session)
        handlers: dict[str, Callable[..., Awaitable[dict[str, Any]]]] = {"time": lab.time_bare_calls, "round": lab.run_round}
        while line := await asyncio.to_thread(sys.stdin.readline):
            options = json.loads(line)
            say(await handlers[options.pop("do")](**options))


def say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


@dataclass
class Call:
    kind: str
    at: float
    took: float
    outcome: str
    reason: str | None = None


class Lab:
    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def get(self, path: str, ms: float) -> None:
        async with self.session.get(path, params={"ms": ms}, raise_for_status=True) as response:
            await response.read()

    async def run_round(self, mode: str, stretch: float) -> dict[str, Any]:
        """The slow calls at once, then the fast ones by schedule; returns when all of them have
        been answered."""
        pools = make_pools(mode, stretch)
        slow, fast = PLAN["slow"], PLAN["fast"]
        start = time.perf_counter()

        async def call(kind: str, ms: float) -> Call:
            at = time.perf_counter()
            outcome = "ok"
            reason: str | None = None
            try:
                await pools[kind].run(self.get, PLAN[kind]["path"], ms)
            except BulkheadError as error:
                outcome, reason = "rejected" if error.is_rejection else "failed", error.code
            except Exception as error:
                outcome, reason = "failed", repr(error)
            return Call(kind, (at - start) * 1000, (time.perf_counter() - at) * 1000, outcome, reason)

        heartbeat = asyncio.create_task(watch_for_stalls())
        calls = [asyncio.create_task(call("slow", slow["ms"] * stretch)) for _ in range(slow["calls"])]
        await pace(
            fast["calls"],
            fast["every_ms"] * stretch / 1000,
            lambda: calls.append(asyncio.create_task(call("fast", fast["ms"]))),
        )
        settled = await asyncio.gather(*calls)
        heartbeat.cancel()
        return {"calls": [asdict(call) for call in settled], "stalled_ms": await heartbeat * 1000}

    async def time_bare_calls(self, together: int, calls: int) -> dict[str, float]:
        """What one fast call costs with no bulkhead in its way, and how many a second pass with
        `together` under way."""
        fast = PLAN["fast"]

        async def in_turn(count: int) -> float:
            start = time.perf_counter()
            for _ in range(count):
                await self.get(fast["path"], fast["ms"])
            return time.perf_counter() - start

        async def at_once() -> float:
            return max(await asyncio.gather(*(in_turn(calls // together) for _ in range(together))))

        await at_once()  # opens the connections
        alone = await in_turn(calls // together)
        return {"bare_ms": alone / (calls // together) * 1000, "per_second": calls / await at_once()}


def make_pools(mode: str, stretch: float) -> dict[str, Bulkhead]:
    made: dict[str, Bulkhead] = {}
    pools = {}
    for kind, (name, limit) in PLAN["modes"][mode].items():
        if name not in made:
            timeout = PLAN["wait_ms"] * stretch / 1000
            made[name] = Bulkhead(name, max_concurrent=limit, max_queue=PLAN["max_queue"], timeout=timeout)
        pools[kind] = made[name]
    return pools


async def pace(count: int, every: float, issue: Callable[[], None]) -> None:
    """Issues number i at `start + (i + 1) * every`: a late timer delays its own call, never the
    schedule."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    for i in range(count):
        loop.call_at(start + (i + 1) * every, issue)
    done = asyncio.Event()
    loop.call_at(start + count * every, done.set)
    await done.wait()


async def watch_for_stalls() -> float:
    """Beats until it is cancelled; returns the longest delay of a beat, in seconds."""
    worst, last = 0.0, time.perf_counter()
    try:
        while True:
            await asyncio.sleep(BEAT)
            now = time.perf_counter()
            worst, last = max(worst, now - last - BEAT), now
    except asyncio.CancelledError:
        return worst


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
