"""What mypy and pyright, at their strictest, make of a project that uses the installed wheel."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from packages import wheel

HERE = Path(__file__).parent
WRONG = "wrong.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(HERE / "consumer", folder, dirs_exist_ok=True)
    venv.create(folder / "venv", with_pip=False)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", folder / "venv/bin/python"]
    subprocess.run([*pip, "install", "--quiet", "--no-index", wheel()], check=True)
    return folder


def mypy(project: Path) -> set[tuple[str, int]]:
    options = ["--strict", "--python-executable", "venv/bin/python", "--cache-dir", "mypy-cache", "--no-error-summary"]
    command = [sys.executable, "-m", "mypy", *options, *sorted(path.name for path in project.glob("*.py"))]
    lines = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False).stdout.splitlines()
    print(*lines, sep="\n")
    matches = [match for line in lines if (match := re.match(r"(?P<file>[^:]+):(?P<line>\d+): error", line))]
    return {(match["file"], int(match["line"])) for match in matches}


def pyright(project: Path) -> set[tuple[str, int]]:
    """Strict as consumer/pyrightconfig.json says."""
    command: list[str | Path] = [HERE / "node_modules/.bin/pyright", "--outputjson", "--pythonpath", project / "venv/bin/python"]
    report = json.loads(subprocess.run(command, cwd=project, capture_output=True, text=True, check=False).stdout)
    assert report["summary"]["filesAnalyzed"] == len(list(project.glob("*.py")))
    for found in report["generalDiagnostics"]:
        print(found["file"], found["range"]["start"]["line"] + 1, found["message"])
    return {(Path(found["file"]).name, found["range"]["start"]["line"] + 1) for found in report["generalDiagnostics"]}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_right_use_passes_and_every_wrong_line_is_found(checker: Callable[[Path], set[tuple[str, int]]], project: Path) -> None:
    lines = (project / WRONG).read_text().splitlines()
    wrong = {(WRONG, number) for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert wrong
    assert checker(project) == wrong
