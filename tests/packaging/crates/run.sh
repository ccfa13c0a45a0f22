#!/usr/bin/env bash
# The crate, unpacked from its archive: what is in it, and that it builds for those who use it.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

tests/ci/venv.sh
target/venv/bin/python -m pytest -q -rs tests/packaging/crates
