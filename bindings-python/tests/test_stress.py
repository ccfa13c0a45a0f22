"""A small dose of what `make soak` has more of: see `stress.py` and `storm.py`."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stress import Stress


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_threads_and_loops_never_exceed_the_limit_and_the_books_balance() -> None:
    stress = Stress(seed=1)
    stress.run(1.0)
    stress.check()
    assert stress.calls > 100


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signals")
def test_a_storm_of_ctrl_c_loses_no_permit() -> None:
    storm = Path(__file__).with_name("storm.py")
    said = subprocess.run([sys.executable, storm, "1"], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert "no permit lost" in said.stdout
