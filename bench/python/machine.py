"""The machine that the figures are from, by its kind."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def kind() -> str:
    return f"{cpu()}, {os.cpu_count()} cores, {system()}"


def cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()
