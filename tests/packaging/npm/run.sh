#!/usr/bin/env bash
# The npm package, installed from its tarball.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

node --test tests/packaging/*.test.mjs
