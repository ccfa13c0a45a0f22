#!/usr/bin/env bash
# share: 4 Memory stays flat over ten million calls of every kind, or as many as there is time for:
# Node natively, Node with WebAssembly, Python.
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"

[ "${1:-}" = prepare ] && exit
export SECONDS_EACH=$((SOAK_SECONDS / 3))
said=$(
    for engine in native wasm; do
        (cd js && BULKHEADS_ENGINE=$engine npm run --silent soak:memory)
    done
    target/venv/bin/python tests/soak/memory.py
)
echo "$said"
echo "$said" | awk '/ million calls/ { printf "%s%s %s", separator, $1, $2; separator = ", " } END { print " million calls, and nothing is left of them" }'
