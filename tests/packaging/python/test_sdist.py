"""The sources build on their own, as pip builds them where no wheel fits, and make the same
package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from packages import ROOT, names_in, sdist, wheel


def test_a_wheel_can_be_built_from_the_sources_without_the_network(tmp_path: Path) -> None:
    # No isolation: the build backend is the pinned one that is here. The target directory keeps
    # what other crates compiled to.
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": str(ROOT / "target/sdist"), "PATH": tools}
    subprocess.run([*command, "--wheel-dir", tmp_path, sdist()], cwd=tmp_path, env=environment, check=True)
    (built,) = tmp_path.glob("*.whl")
    # Only the platform differs: what is installed where it was built promises nothing of other
    # machines.
    assert built.name.rsplit("-", 1)[0] == wheel().name.rsplit("-", 1)[0]
    assert names_in(built) == names_in(wheel())
