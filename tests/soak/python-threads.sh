#!/usr/bin/env bash
# Threads and loops of Python through one bulkhead, half of the time in development mode; a storm of
# Ctrl-C; and ten million calls that leave nothing. share: 2
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"

[ "${1:-}" = prepare ] && exit

tests() { target/venv/bin/python -X faulthandler "bindings-python/tests/$1.py" "${@:2}"; }

# It takes as long as it takes, which is under a minute.
memory=$(tests stress memory)
rest=$((SOAK_SECONDS > SECONDS + 15 ? SOAK_SECONDS - SECONDS : 15))
usual=$(tests stress stress $((rest / 3)))
strict=$(PYTHONDEVMODE=1 tests stress stress $((rest / 3)))
storm=$(tests storm $((rest / 3)))
echo "$usual; in development mode $strict; $storm; $memory"
