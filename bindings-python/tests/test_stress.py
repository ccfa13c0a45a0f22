"""A small dose of what `make soak` has more of: see `stress.py`."""

import pytest

from stress import Stress


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_threads_and_loops_never_exceed_the_limit_and_the_books_balance() -> None:
    stress = Stress(seed=1)
    stress.run(1.0)
    stress.check()
    assert stress.calls > 100
