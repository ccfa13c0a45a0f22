"""Every async test runs in a loop of its own on virtual time, and nothing may complain to that
loop."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
from typing import Any

import pytest

from bulkheads.testing import VirtualLoop

EAGER = "BULKHEADS_EAGER_TASKS" in os.environ
"""Whether a new task takes its first step at once (Python 3.12 and newer)."""

# A job in the background of a shell is started with Ctrl-C ignored, and so are the programs that it
# starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    complaints: list[dict[str, Any]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        if EAGER:
            loop.set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined]
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        await pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(main())
    assert not complaints
    return True
