#!/usr/bin/env bash
# Packs what would be published on PyPI, into target/packages.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

tests/ci/venv.sh
(cd bindings-python && ../target/venv/bin/maturin build --release --quiet --out ../target/packages) >&2
