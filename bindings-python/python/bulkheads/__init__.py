"""Bulkheads for asyncio and threads: a budget of concurrent calls for each dependency, with a
bounded queue and bounded waits."""

from ._bulkhead import Bulkhead, WithOptions
from ._errors import (
    BulkheadCallTimeoutError,
    BulkheadClosedError,
    BulkheadError,
    BulkheadErrorCode,
    BulkheadFullError,
    BulkheadReentrantError,
    BulkheadTimeoutError,
    BulkheadWeightError,
)
from ._permit import Acquisition, Permit
from ._stats import Durations, Rejected, SampledDurations, Stats

__all__ = [
    "Acquisition",
    "Bulkhead",
    "BulkheadCallTimeoutError",
    "BulkheadClosedError",
    "BulkheadError",
    "BulkheadErrorCode",
    "BulkheadFullError",
    "BulkheadReentrantError",
    "BulkheadTimeoutError",
    "BulkheadWeightError",
    "Durations",
    "Permit",
    "Rejected",
    "SampledDurations",
    "Stats",
    "WithOptions",
]
