#!/usr/bin/env bash
# Random histories of the core against the naive model, until the time is over.
# share: 3
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"

BATCH=50000
histories() { cargo test -q --locked -p bulkheads-core --test model "$@"; }

if [ "${1:-}" = prepare ]; then
    histories --no-run
    exit
fi

played=0
while [ "$SECONDS" -lt "$SOAK_SECONDS" ]; do
    PROPTEST_CASES=$BATCH histories agrees_with_the_naive_model
    played=$((played + BATCH))
done
printf "%'d histories agreed with the naive model\n" "$played"
