"""The Python package as its users get it: a wheel, installed into an environment that has nothing else."""

import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import asyncio
from bulkheads import Bulkhead, BulkheadFullError
from bulkheads.testing import VirtualLoop

async def main():
    async with Bulkhead("shipping", max_concurrent=1) as permit:
        pass
    shipping = Bulkhead("shipping", max_concurrent=1)
    async def answer():
        return "ran"
    with shipping.try_acquire():
        try:
            await shipping.run(answer)
        except BulkheadFullError as error:
            print(error.code)
    print(await shipping.run(answer))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def wheel() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        maturin = Path(sys.executable).with_name("maturin")
        subprocess.run([maturin, "build", "--release", "--quiet", "--out", folder], cwd=ROOT / "bindings-python", check=True)
        (built,) = Path(folder).glob("*.whl")
        yield built


def test_it_holds_what_type_checkers_need_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"bulkheads/__init__.py", "bulkheads/py.typed", "bulkheads/_engine.pyi", "bulkheads/testing.py"} <= names
    assert not [name for name in names if "test_" in name or name.endswith(".rs")]


def test_it_works_alone(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
    ran = subprocess.run([python, "-W", "error", "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.stdout.splitlines(), ran.stderr) == (["full", "ran"], "")
