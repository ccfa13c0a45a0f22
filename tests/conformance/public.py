"""Plays scenarios against the public Python API on virtual time: `public.py FOLDER|FILE…`.

In Python a call time-out cancels the work, and answers the caller when the work has ended. So the
moment of the cancellation counts as `call_timeout`, the work lives on until `finish` or `fail`, and
then the caller's error is checked.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
import sys
from functools import partial
from typing import Any

from bulkheads import Bulkhead, BulkheadCallTimeoutError, BulkheadError, Permit
from bulkheads.testing import VirtualLoop
from scenario import (
    ANSWERED,
    Failure,
    Labels,
    Skip,
    Step,
    check,
    label_of,
    main,
    options,
    seconds,
    skip_lacking,
    skip_signals,
    turns,
)


class WorkFailed(Exception):
    """What the work of a call that is to `fail` raises."""


class Call:
    """A call under its label: its task, and its work, which stays unsettled until a step ends
    it."""

    def __init__(self, timeline: Timeline, name: str, ignores_signal: bool = False) -> None:
        self.timeline = timeline
        self.name = name
        self.ignores_signal = ignores_signal
        self.is_aborted = False
        """The bulkhead was closed with abort, and its work was not cancelled yet."""
        self.gate: asyncio.Future[None] | None = None
        self.is_cancelled = False
        self.task: asyncio.Task[None] | None = None

    async def work(self) -> None:
        self.timeline.labels.change(self.name, "running")
        while True:
            self.gate = asyncio.get_running_loop().create_future()
            try:
                await self.gate
            except asyncio.CancelledError:
                is_aborted, self.is_aborted = self.is_aborted, False
                if self.is_cancelled or (is_aborted and not self.ignores_signal):
                    self.gate = None
                    raise
                if is_aborted:
                    continue
                self.timeline.labels.change(self.name, "call_timeout")
            else:
                self.gate = None
                return

    async def call(self, **arguments: Any) -> None:
        labels = self.timeline.labels
        try:
            if "call_timeout" in arguments:
                # Its own bound is an option of a view.
                await self.timeline.bulkhead.with_options(**arguments).run(self.work)
            else:
                await self.timeline.bulkhead.run(self.work, **arguments)
            end = "completed"
        except WorkFailed:
            end = "failed"
        except asyncio.CancelledError:
            end = "cancelled"
        except BulkheadError as error:
            end = error.code
            if isinstance(error, BulkheadCallTimeoutError) and labels.state(self.name) != "call_timeout":
                self.timeline.troubles.append(f"{self.name} was answered without being told")
        if labels.state(self.name) == "call_timeout":
            if end != "call_timeout" and not self.timeline.is_over:
                self.timeline.troubles.append(f"{self.name} was told of its call time-out, but its caller got {end}")
        else:
            labels.change(self.name, end)

    async def acquire(self, **arguments: Any) -> None:
        labels = self.timeline.labels
        try:
            permit = await self.timeline.bulkhead.acquire(**arguments)
            self.timeline.hold(self.name, permit, arguments["weight"])
            end = "running"
        except asyncio.CancelledError:
            end = "cancelled"
        except BulkheadError as error:
            end = error.code
        labels.change(self.name, end)


class Timeline:
    def __init__(self, bulkhead: Bulkhead, loop: VirtualLoop) -> None:
        self.bulkhead = bulkhead
        self.loop = loop
        self.labels = Labels()
        self.calls: dict[str, Call] = {}
        self.permits: dict[str, Permit] = {}
        self.held: dict[str, int] = {}
        """What each permit holds."""
        self.endings: list[asyncio.Task[None]] = []
        self.troubles: list[str] = []
        self.is_over = False

    def act(self, step: Step) -> None:
        verb = step["do"]
        if verb in ("call", "acquire"):
            self.arrive(step, step["as"])
        elif verb == "try_acquire":
            self.labels.add(step["as"])
            permit = self.bulkhead.try_acquire(step.get("weight", 1))
            if permit is not None:
                self.hold(step["as"], permit, step.get("weight", 1))
            self.labels.change(step["as"], "rejected" if permit is None else "running")
        elif verb in ("finish", "fail"):
            self.settle(step["of"], verb == "fail")
        elif verb == "cancel":
            self.cancel(step["of"])
        elif verb == "release":
            self.release(step["of"], step.get("permits"))
        elif verb == "split":
            self.split(step)
        elif verb == "adjust":
            grows: Any = self.permit(step["of"])
            if grows.adjust(step["weight"]):
                self.held[step["of"]] = step["weight"]
        elif verb == "resize":
            self.bulkhead.resize(step["to"])
        elif verb in ("close", "drain"):
            abort = bool(step.get("abort"))
            for call in self.calls.values():
                call.is_aborted |= abort
            timeout = seconds(step.get("timeout_ms", "infinity"))
            ending = self.bulkhead.close(abort=abort) if verb == "close" else self.bulkhead.drain(timeout=timeout)
            self.endings.append(self.loop.create_task(wait_for(ending)))

    def arrive(self, step: Step, name: str) -> None:
        self.labels.add(name)
        arguments: dict[str, Any] = {"weight": step.get("weight", 1)}
        if "timeout_ms" in step:
            arguments["timeout"] = seconds(step["timeout_ms"])
        if "deadline_ms" in step:
            arguments["deadline"] = seconds(step["deadline_ms"])
        if "call_timeout_ms" in step:
            arguments["call_timeout"] = seconds(step["call_timeout_ms"])
        call = self.calls[name] = Call(self, name, bool(step.get("ignores_signal")))
        call.task = self.loop.create_task(call.call(**arguments) if step["do"] == "call" else call.acquire(**arguments))

    def settle(self, name: str, fails: bool) -> None:
        state, call = self.labels.state(name), self.calls.get(name)
        if call is None or call.gate is None:
            raise Failure(f"{name} has no work that could settle ({state})")
        if fails:
            call.gate.set_exception(WorkFailed())
        else:
            call.gate.set_result(None)

    def cancel(self, name: str) -> None:
        state, call = self.labels.state(name), self.calls.get(name)
        if call is None or call.task is None or (name in self.permits and state != "waiting"):
            raise Failure(f"{name} is no call, and no acquire that waits ({state})")
        if state not in ("waiting", "running"):
            raise Skip(ANSWERED)
        call.is_cancelled = True
        call.task.cancel()

    def hold(self, name: str, permit: Permit, weight: int) -> None:
        self.permits[name] = permit
        self.held[name] = weight

    def permit(self, name: str) -> Permit:
        state, permit = self.labels.state(name), self.permits.get(name)
        if permit is None:
            raise Failure(f"{name} is no permit ({state})")
        return permit

    def release(self, name: str, permits: int | None) -> None:
        permit: Any = self.permit(name)
        permit.release(*([] if permits is None else [permits]))
        self.held[name] -= self.held[name] if permits is None else permits
        if self.held[name] == 0:
            self.labels.change(name, "released")

    def split(self, step: Step) -> None:
        whole: Any = self.permit(step["of"])
        self.labels.add(step["as"])
        self.hold(step["as"], whole.split(step["permits"]), step["permits"])
        self.held[step["of"]] -= step["permits"]
        self.labels.change(step["as"], "running")

    async def settle_turn(self) -> None:
        await self.loop.settle()
        for name, call in self.calls.items():
            if self.labels.state(name) == "new" and call.task is not None and not call.task.done():
                self.labels.change(name, "waiting")
        if self.troubles:
            raise Failure("; ".join(self.troubles))

    def figures(self) -> dict[str, Any]:
        figures = dataclasses.asdict(self.bulkhead.stats())
        return {**figures, **figures["rejected"], "call_timeout": figures["call_timeouts"]}

    def check_timer(self, want: float) -> None:
        """The host's timer may be armed earlier than it need be, never later."""
        came = self.loop.next_timer()
        if (math.inf if came is None else came) > want or (want == math.inf and came is not None):
            raise Failure(f"next_timer: wanted {want!r} at the latest, came {came!r}")

    async def clean_up(self) -> None:
        self.is_over = True
        tasks = [call.task for call in self.calls.values() if call.task is not None] + self.endings
        for call in self.calls.values():
            call.is_cancelled = True
        for permit in self.permits.values():
            permit.__exit__(None, None, None)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def wait_for(ending: Any) -> None:
    await ending


async def play_in_loop(scenario: dict[str, Any], loop: VirtualLoop) -> None:
    troubles: list[str] = []
    loop.set_exception_handler(lambda _, context: troubles.append(str(context.get("exception") or context["message"])))
    timeline = Timeline(Bulkhead("scenario", **options(scenario)), loop)
    timeline.troubles = troubles
    try:
        for turn in turns(scenario):
            await play_turn(timeline, turn.steps, turn.at, turn.is_late)
    finally:
        await timeline.clean_up()
    if troubles:
        raise Failure("; ".join(troubles))


async def play_turn(timeline: Timeline, steps: list[tuple[int, Step]], at: float, is_late: bool) -> None:
    labels, loop = timeline.labels, timeline.loop
    labels.changes.clear()
    labels.acting = None
    if is_late:
        loop.jump(at)
    else:
        await loop.advance(at)
    for number, step in steps:
        is_last = step is steps[-1][1]
        labels.acting = label_of(step) if is_last else None
        try:
            timeline.act(step)
            if is_last:
                await timeline.settle_turn()
                is_idle = any(ending.done() for ending in timeline.endings)
                check(step, labels, timeline.figures, timeline.check_timer, is_idle)
        except Failure as error:
            raise Failure(f"step {number}: {error}") from error


def play(scenario: dict[str, Any]) -> None:
    skip_signals(scenario)
    skip_lacking(partial(hasattr, Permit), scenario)
    loop = VirtualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(play_in_loop(scenario, loop))


if __name__ == "__main__":
    sys.exit(main("python", play))
