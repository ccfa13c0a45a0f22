#!/usr/bin/env bash
# Packs what would be published on PyPI, into target/packages: the wheel for this platform and the
# sources.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

tests/ci/venv.sh
mkdir -p target/packages
rm -f target/packages/bulkheads-*.whl target/packages/bulkheads-*.tar.gz
cd bindings-python
../target/venv/bin/maturin sdist --out ../target/packages >&2
../target/venv/bin/maturin build --quiet --release --locked --out ../target/packages >&2
