"""Plays scenarios against the compiled half of the Python package, in a host that stands in for
asyncio: `engine.py FOLDER|FILE…`.

These are the calls that the package itself makes: they begin, wait, are woken, cancelled and ended
as its coroutines do it.
"""

from __future__ import annotations

import math
import sys
from asyncio import CancelledError
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from bulkheads import BulkheadCallTimeoutError, BulkheadClosedError, BulkheadError, Permit
from bulkheads._engine import Calls, Waiting
from bulkheads._stats import snapshot
from host import Future, Loop, Task, step
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


@dataclass
class Call:
    task: Task
    permit: Permit | None
    """That of an `acquire`."""
    held: int = 0
    """What that holds."""
    ticket: int = 0
    waiting: Waiting | None = None
    ignores_signal: bool = False
    is_aborted: bool = False
    """The bulkhead was closed with abort, and its work was not cancelled yet."""
    is_cancelled: bool = False
    is_working: bool = False
    """Its work has not settled."""


class Timeline:
    def __init__(self, bulkhead: dict[str, Any]) -> None:
        self.loop = Loop()
        self.labels = Labels()
        self.made: dict[str, Call] = {}
        self.is_idle = False
        times = {"timeout": ..., "call_timeout": None, "abandon_after": None} | bulkhead
        self.calls = Calls(
            "scenario",
            bulkhead["max_concurrent"],
            bulkhead.get("max_queue", 0),
            times["timeout"],
            times["call_timeout"],
            times["abandon_after"],
            False,
        )

    def act(self, action: Step) -> None:
        verb = action["do"]
        if verb in ("call", "acquire"):
            self.arrive(action, action["as"])
        elif verb == "try_acquire":
            self.try_acquire(action["as"], action.get("weight", 1))
        elif verb in ("finish", "fail"):
            self.finish(action["of"], WorkFailed() if verb == "fail" else None)
        elif verb == "cancel":
            self.cancel(action["of"])
        elif verb == "release":
            self.release(action["of"], action.get("permits"))
        elif verb == "split":
            self.split(action["of"], action["as"], action["permits"])
        elif verb == "adjust":
            permit: Any = self.permit(action["of"]).permit
            if permit.adjust(action["weight"]):
                self.made[action["of"]].held = action["weight"]
        elif verb == "resize":
            self.calls.resize(action["to"])
        elif verb in ("close", "drain"):
            if verb == "close":
                for call in self.made.values():
                    call.is_aborted |= bool(action.get("abort"))
                self.calls.close(bool(action.get("abort")))
            else:
                self.calls.drain(seconds(action.get("timeout_ms", "infinity")))
            self.watch_idle(self.calls.idle_moment())

    def arrive(self, action: Step, name: str) -> None:
        self.labels.add(name)
        weight = action.get("weight", 1)
        timeout = seconds(action["timeout_ms"]) if "timeout_ms" in action else math.inf
        deadline = seconds(action["deadline_ms"]) if "deadline_ms" in action else None
        call = self.made[name] = Call(Task(self.loop, lambda: self.told(name, call)), None)
        call.ignores_signal = bool(action.get("ignores_signal"))
        if action["do"] == "acquire":
            call.permit = Permit(self.calls, weight)
            call.held = weight
        with step(self.loop, call.task):
            try:
                if call.permit is None:
                    bound = seconds(action["call_timeout_ms"]) if "call_timeout_ms" in action else None
                    ticket = self.calls.begin_bounded(int, weight, timeout, deadline, bound)
                else:
                    ticket = self.calls.begin_manual(weight, timeout, deadline)
            except BulkheadError as error:
                self.labels.change(name, error.code)
                return
            call.ticket = max(ticket, ~ticket)
            if ticket >= 0:
                self.go_on(name, call)
                return
            call.waiting = self.calls.wait(call.ticket)
            assert next(call.waiting) is call.waiting
            call.waiting._asyncio_future_blocking = False
            call.waiting.add_done_callback(lambda _: self.wake(name, call))
            self.labels.change(name, "waiting")

    def go_on(self, name: str, call: Call) -> None:
        if call.permit is not None:
            self.calls.fill_from(call.permit, call.ticket)
        call.is_working = call.permit is None
        self.labels.change(name, "running")

    def wake(self, name: str, call: Call) -> None:
        """The first step of a task after its wait, as asyncio takes it."""
        waiting, call.waiting = call.waiting, None
        assert waiting is not None
        # The callback itself runs outside of the task's step.
        with step(self.loop, call.task):
            try:
                if waiting.cancelled() or call.is_cancelled:
                    waiting.throw(CancelledError())
                waiting.send(None)
            except StopIteration:
                self.go_on(name, call)
            except CancelledError:
                self.labels.change(name, "cancelled")
            except BulkheadError as error:
                self.labels.change(name, error.code)

    def told(self, name: str, call: Call) -> None:
        """The task is asked to cancel, since its bulkhead was closed with abort, or since its time
        is over."""
        is_aborted, call.is_aborted = call.is_aborted, False
        if not call.is_working:
            return
        if not is_aborted:
            self.labels.change(name, "call_timeout")
        elif not call.ignores_signal:
            self.finish(name, CancelledError())

    def try_acquire(self, name: str, weight: int) -> None:
        self.labels.add(name)
        permit = Permit(self.calls, weight)
        is_there = self.calls.fill_at_once(permit, weight)
        self.made[name] = Call(Task(self.loop, lambda: None), permit, weight)
        self.labels.change(name, "running" if is_there else "rejected")

    def finish(self, name: str, error: BaseException | None) -> None:
        state, call = self.labels.state(name), self.made[name]
        if not call.is_working:
            raise Failure(f"{name} has no work that could settle ({state})")
        call.is_working = False
        end = "completed" if error is None else "cancelled" if isinstance(error, CancelledError) else "failed"
        with step(self.loop, call.task):
            try:
                self.calls.end(call.ticket, error)
            except BulkheadClosedError:
                end = "closed"
            except BulkheadCallTimeoutError:
                if state != "call_timeout":
                    raise Failure(f"{name} was answered without being told") from None
                return
        if state == "call_timeout":
            raise Failure(f"{name} was told of its call time-out, but its caller got {end}")
        self.labels.change(name, end)

    def cancel(self, name: str) -> None:
        state, call = self.labels.state(name), self.made[name]
        if call.permit is not None and state != "waiting":
            raise Failure(f"{name} is no acquire that waits ({state})")
        if state not in ("waiting", "running"):
            raise Skip(ANSWERED)
        call.task.requests += 1
        if call.waiting is None:
            self.finish(name, CancelledError())
        else:
            # What has its end already cannot be cancelled; then its task hears of it as it goes on.
            call.is_cancelled = not call.waiting.cancel()

    def permit(self, name: str) -> Call:
        state, call = self.labels.state(name), self.made[name]
        if call.permit is None or state not in ("running", "released"):
            raise Failure(f"{name} is no permit ({state})")
        return call

    def release(self, name: str, permits: int | None) -> None:
        call = self.permit(name)
        permit: Any = call.permit
        permit.release(*([] if permits is None else [permits]))
        call.held -= call.held if permits is None else permits
        if call.held == 0:
            self.labels.change(name, "released")

    def split(self, whole: str, name: str, permits: int) -> None:
        call = self.permit(whole)
        permit: Any = call.permit
        self.labels.add(name)
        call.held -= permits
        self.made[name] = Call(Task(self.loop, lambda: None), permit.split(permits), permits)
        self.labels.change(name, "running")

    def watch_idle(self, moment: int) -> None:
        """As code that awaits the end: again and again, until its moment has come."""
        future: Any = self.calls.wait_idle(moment)
        if future is None:
            self.is_idle = True
        else:
            assert isinstance(future, Future)
            future.callbacks.append(lambda: self.loop.call_soon(self.watch_idle, moment))

    def figures(self) -> dict[str, Any]:
        figures = asdict(snapshot(self.calls.stats()))
        return {**figures, **figures["rejected"], "call_timeout": figures["call_timeouts"]}

    def check_timer(self, want: float) -> None:
        """The timer may be armed earlier than it need be, never later."""
        came = self.loop.next_timer()
        if came > want or (want == math.inf and came < math.inf):
            raise Failure(f"next_timer: wanted {want!r} at the latest, came {came!r}")

    def clean_up(self) -> None:
        with step(self.loop, None):
            for call in self.made.values():
                if call.permit is not None:
                    call.permit.__exit__(None, None, None)


def play(scenario: dict[str, Any]) -> None:
    skip_signals(scenario)
    skip_lacking(partial(hasattr, Permit), scenario)
    timeline = Timeline(options(scenario))
    try:
        for turn in turns(scenario):
            play_turn(timeline, turn.steps, turn.at, turn.is_late)
    finally:
        timeline.clean_up()


def play_turn(timeline: Timeline, steps: list[tuple[int, Step]], at: float, is_late: bool) -> None:
    labels, loop = timeline.labels, timeline.loop
    labels.changes.clear()
    labels.acting = None
    if is_late:
        loop.now = at
    else:
        loop.pass_time(at)
    for number, action in steps:
        is_last = action is steps[-1][1]
        # What a step does to its own label is its own answer; what events do to it later in the
        # turn is a change.
        labels.acting = label_of(action) if is_last else None
        try:
            if action["do"] in ("call", "acquire", "finish", "fail", "cancel"):
                timeline.act(action)
            else:
                with step(loop, None):
                    timeline.act(action)
            if is_last:
                loop.settle()
                check(action, labels, timeline.figures, timeline.check_timer, timeline.is_idle)
        except Failure as error:
            raise Failure(f"step {number}: {error}") from error


if __name__ == "__main__":
    sys.exit(main("python-engine", play))
