#!/usr/bin/env bash
# Threads and loops of Python through one bulkhead, half of the time in development mode; and ten
# million calls that leave nothing. share: 2
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"

[ "${1:-}" = prepare ] && exit

stress() { target/venv/bin/python bindings-python/tests/stress.py "$@"; }

# It takes as long as it takes, which is under a minute.
memory=$(stress memory)
rest=$((SOAK_SECONDS > SECONDS + 10 ? SOAK_SECONDS - SECONDS : 10))
usual=$(stress stress $((rest / 2)))
strict=$(PYTHONDEVMODE=1 stress stress $((rest / 2)))
echo "$usual; in development mode $strict; $memory"
