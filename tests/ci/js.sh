#!/usr/bin/env bash
# Builds the npm package into js/dist: the facade for each environment, with the WebAssembly engine
# inside.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ -f target/wasm/bulkheads_wasm_bg.wasm ] || tests/ci/wasm.sh
tests/ci/npm.sh
say "npm run build in js/"
cd js
npm run --silent build
