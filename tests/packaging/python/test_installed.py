"""The wheel, installed as users install it: into a fresh environment of every CPython that is
here."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from packages import PACKAGES, ROOT, VERSIONS, interpreter

CONSUMER = Path(__file__).with_name("consumer")


@dataclass(frozen=True)
class Environment:
    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "venv/bin/python"

    def run(self, *arguments: str | Path, **variables: str) -> str:
        """In a folder that has nothing of this repository, so that what is imported is what was
        installed."""
        command = [self.python, *arguments]
        surroundings = {**os.environ, **variables}
        ran = subprocess.run(command, cwd=self.folder, env=surroundings, capture_output=True, text=True, timeout=300, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def pip_install(self, *what: str | Path) -> None:
        self.run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what)


@pytest.fixture(scope="module", params=VERSIONS)
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    version: str = request.param
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no CPython {version} on this machine")
    fresh = Environment(tmp_path_factory.mktemp(f"python{version}"))
    subprocess.run([python, "-m", "venv", fresh.folder / "venv"], check=True)
    # The line of the README, with the folder in place of the index.
    fresh.pip_install("--no-index", "--only-binary", ":all:", "--find-links", PACKAGES, "bulkheads")
    yield fresh
    shutil.rmtree(fresh.folder)


def test_it_runs_with_nothing_else_installed(environment: Environment) -> None:
    shutil.copytree(CONSUMER, environment.folder, dirs_exist_ok=True)
    assert environment.run("-W", "error", "quotes.py").splitlines() == [
        "quote for Quay 7",
        "full",
        "quote for Bow",
        "quote for Stern",
        "7",
    ]
    assert environment.run("-W", "error", "virtual_time.py").splitlines() == ["timed out after 0.3 seconds"]


def test_its_own_tests_pass_on_what_is_installed(environment: Environment) -> None:
    """Among them those that hold the stub of the engine against its binary and the public interface
    against mypy."""
    environment.pip_install("--constraint", ROOT / "tests/requirements.txt", "pytest", "mypy", "uvloop")
    shutil.copytree(ROOT / "bindings-python/tests", environment.folder / "tests")
    shutil.copy(ROOT / "bindings-python/pyproject.toml", environment.folder)
    where = environment.run("-c", "import bulkheads._engine; print(bulkheads._engine.__file__)").strip()
    assert Path(where).is_relative_to(environment.folder / "venv")
    print(environment.run("-m", "pytest"))
    if environment.run("-c", "import asyncio; print(hasattr(asyncio, 'eager_task_factory'))").strip() == "True":
        few = ("--deselect", "tests/test_types.py", "--deselect", "tests/test_accidents.py::test_a_million_waiters")
        print(environment.run("-m", "pytest", *few, BULKHEADS_EAGER_TASKS="1"))
