"""Types of options and arguments; their ranges are the core's."""

from __future__ import annotations

import math
import operator
from types import EllipsisType
from typing import Final

from ._engine import Engine
from ._numbers import MAX_COUNT

_EXACT: Final = 2**53
"""Up to here every int is a float."""

_CALENDAR: Final = 1e9
"""The year 2001; no monotonic clock gets there within thirty years."""

_PROBE: Final = Engine(1)
"""Only its check of ranges is used."""


def count(option: str, value: object, least: int = 1) -> int:
    """An int, or what stands for one exactly (`__index__`); bools and floats are likely mistakes.

    The core takes floats, and words its complaint in floats. So what is no float, and far out of any range, ends here.
    """
    whole = value if type(value) is int else _index(option, value)
    if -_EXACT <= whole <= _EXACT:
        return whole
    raise ValueError(f"{option} must be an integer from {least} to {MAX_COUNT}, got {_shown(whole)}")


def flag(option: str, value: object) -> bool:
    """True or False; what is only as good as that may be a mistake, and `abort` cannot be taken back."""
    if isinstance(value, bool):
        return value
    raise TypeError(f"{option} must be a bool, got {value!r}")


def seconds(option: str, value: object) -> float:
    """A float or an int; an int too large for a float is infinite."""
    if type(value) is float:
        return value
    if isinstance(value, float):
        return float(value)
    if not isinstance(value, bool):
        try:
            whole = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            return _as_float(whole)
    raise TypeError(f"{option} must be seconds as a float, got {value!r}")


def optional_seconds(option: str, value: object) -> float | None:
    """As `seconds`; None is none."""
    return None if value is None else seconds(option, value)


def timeout(value: object) -> float:
    """The bound of a wait: no None, which could mean no wait as well as no bound."""
    if value is None:
        raise TypeError("timeout must be seconds as a float, got None; leave it out or write math.inf for no bound")
    return seconds("timeout", value)


def default_timeout(value: float | EllipsisType) -> float | None:
    """The time-out of a bulkhead; left out (`...`), the core chooses."""
    return None if value is ... else timeout(value)


def deadline(value: object) -> float:
    """A point in time on the loop's clock; None is none. One of `time.time()` would never come."""
    if value is None:
        return math.inf
    moment = seconds("deadline", value)
    if _CALENDAR <= moment < math.inf:
        raise ValueError(f"deadline must be time.monotonic() seconds, got {value!r}, which looks like time.time()")
    return moment


def check_call(weight: int, timeout: float) -> None:
    """Raises what a call with these arguments would raise; `wrap` wants to know early."""
    _PROBE.acquire(0.0, weight, timeout, -math.inf, 0)


def _index(option: str, value: object) -> int:
    if not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise TypeError(f"{option} must be an int, got {value!r}")


def _shown(whole: int) -> str:
    """Shortened where nobody would count the digits; Python itself refuses to write out some thousands of them."""
    size = abs(whole)
    if size < 10**30:
        return str(whole)
    dropped = int(math.log10(size)) - 12
    leading = str(size // 10**dropped)
    return f"{'-' if whole < 0 else ''}{leading[:12]}… ({len(leading) + dropped} digits)"


def _as_float(whole: int) -> float:
    try:
        return float(whole)
    except OverflowError:
        return math.inf if whole > 0 else -math.inf
