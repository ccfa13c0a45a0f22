"""Hosts that change how Python waits or what time it is, each with its real tool, in an environment
with the installed wheel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from packages import PACKAGES

HOSTS = Path(__file__).with_name("hosts")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hosts")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-index", "--find-links", PACKAGES, "bulkheads"], check=True)
    subprocess.run([*pip, "--requirement", HOSTS / "requirements.txt"], check=True)
    return python


@pytest.mark.parametrize("script", ["greenlets.py gevent", "greenlets.py eventlet", "other_loop.py", "travel.py"])
def test_a_host(python: Path, script: str) -> None:
    name, *arguments = script.split()
    ran = subprocess.run([python, HOSTS / name, *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stdout) == (0, "ok\n"), ran.stderr
