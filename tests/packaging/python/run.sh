#!/usr/bin/env bash
# The Python package, installed from its wheel.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

target/venv/bin/python -m pytest -q -rs tests/packaging
