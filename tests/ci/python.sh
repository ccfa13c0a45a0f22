#!/usr/bin/env bash
# Compiles the Python engine and installs the package `bulkheads` into target/venv, linked to its
# sources.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

tests/ci/venv.sh
export VIRTUAL_ENV=$PWD/target/venv
cd bindings-python
"$VIRTUAL_ENV/bin/maturin" develop --release --quiet

# Written anew in one go, as pip writes what users install: as it was built, its pages may lie
# scattered in memory, and then every call takes up to a third longer.
engine=python/bulkheads/_engine.abi3.so
cp "$engine" "$engine.new" && mv "$engine.new" "$engine"
