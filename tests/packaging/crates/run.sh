#!/usr/bin/env bash
# The crates, unpacked from their archives: what is in them, and that they build for those who use
# them.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

tests/ci/venv.sh
target/venv/bin/python -m pytest -q -rs tests/packaging/crates
