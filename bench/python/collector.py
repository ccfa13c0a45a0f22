"""How long Python spends on collecting garbage."""

from __future__ import annotations

import gc
from time import process_time_ns


class Collector:
    """`nanos` grows while it is entered; one that is not active costs nothing and stays at 0."""

    def __init__(self, is_active: bool) -> None:
        self.nanos = 0
        self._is_active = is_active
        self._start = 0

    def __enter__(self) -> Collector:
        if self._is_active:
            gc.callbacks.append(self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_active:
            gc.callbacks.remove(self._heard)

    def _heard(self, phase: str, _info: dict[str, int]) -> None:
        if phase == "start":
            self._start = process_time_ns()
        else:
            self.nanos += process_time_ns() - self._start
