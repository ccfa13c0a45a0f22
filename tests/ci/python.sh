#!/usr/bin/env bash
# Compiles the Python engine and installs the package `bulkheads` into target/venv, linked to its sources.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

tests/ci/venv.sh
export VIRTUAL_ENV=$PWD/target/venv
cd bindings-python
"$VIRTUAL_ENV/bin/maturin" develop --release --quiet
