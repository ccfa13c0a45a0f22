"""Processes that end: by themselves, without a word, whatever bulkheads they leave behind."""

from __future__ import annotations

import subprocess
import sys

import pytest

USE = """
import asyncio, sys, threading, time
from bulkheads import Bulkhead, BulkheadTimeoutError

bulkhead = Bulkhead("b", max_concurrent=1, max_queue=9, timeout=60)
"""


def run(program: str) -> list[str]:
    """What it prints; it must end well and complain of nothing."""
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", USE + program]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.splitlines()


def test_idle_bulkheads_keep_nothing_alive() -> None:
    program = """
asyncio.run(bulkhead.run(int))
thread = threading.Thread(target=bulkhead.run_sync, args=(int,))
thread.start()
thread.join()
idle = bulkhead.idle()
with bulkhead:
    pass
print(bulkhead.stats().completed)
"""
    assert run(program) == ["3"]


def test_a_blocked_thread_is_waited_for_until_it_is_answered() -> None:
    program = """
def wait():
    try:
        bulkhead.run_sync(int, timeout=0.05)
    except BulkheadTimeoutError as error:
        print(error.code)

bulkhead.__enter__()
threading.Thread(target=wait).start()
"""
    assert run(program) == ["queue_timeout"]


@pytest.mark.parametrize("timeout", [0.01, 60])
def test_daemons_are_not(timeout: float) -> None:
    """They may time out while the interpreter ends, when a thread can no longer come back to
    Python."""
    program = f"""
def wait():
    try:
        bulkhead.run_sync(int, timeout={timeout})
    except BulkheadTimeoutError:
        pass

class Late:
    def __del__(self, sleep=time.sleep):
        sleep(0.1)

bulkhead.__enter__()
sys.late = Late()
for _ in range(5):
    threading.Thread(target=wait, daemon=True).start()
print("ends")
"""
    assert run(program) == ["ends"]


def test_a_body_that_is_closed_as_the_interpreter_shuts_down_is_quiet() -> None:
    program = """
import builtins

class Cycle:
    pass

async def inside():
    async with bulkhead:
        await asyncio.get_running_loop().create_future()

loop = asyncio.new_event_loop()
loop.set_exception_handler(lambda *_: None)
kept = builtins.kept = Cycle()
kept.all = (kept, loop, loop.create_task(inside()), bulkhead)
loop.run_until_complete(asyncio.sleep(0))
loop.close()
print(bulkhead.stats().active)
"""
    assert run(program) == ["1"]


def test_another_interpreter_of_the_process_is_told_or_served() -> None:
    program = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
other = interpreters.create()
said = ""
try:
    said = str(interpreters.run_string(other, "import bulkheads; bulkheads.Bulkhead('b', max_concurrent=1).run_sync(int)"))
except Exception as error:
    said = str(error)
print("does not support loading in subinterpreters" in said or said == "None", bulkhead.run_sync(int))
"""
    assert run(program) == ["True 0"]
