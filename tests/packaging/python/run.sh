#!/usr/bin/env bash
# What is in the Python packages, and that they install, run and type-check on every CPython of this
# machine.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

tests/ci/venv.sh
tests/ci/npm.sh tests/packaging/python
target/venv/bin/python -m pytest -q -rs tests/packaging/python
