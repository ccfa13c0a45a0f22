#!/usr/bin/env bash
# The bindings' way of sharing a core, in as many schedules as there is time for.
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"

# How often the tests run a scheduler: each for the same time, one after the other.
RUNS=40
races() { (cd core/shuttle && cargo test -q --locked "$@"); }

if [ "${1:-}" = prepare ]; then
    races --no-run
    exit
fi

seconds=$(awk "BEGIN { print $SOAK_SECONDS / $RUNS }")
said=$(SHUTTLE_SECONDS=$seconds races -- --test-threads 1 --nocapture 2>&1) || {
    echo "$said" | tail -80
    give_up "a schedule failed; the text above says how to play it again"
}
schedules=$(echo "$said" | awk '/ schedules/ { sum += $1 } END { printf "%.0f", sum }')
printf "%'d schedules of threads that share a core\n" "$schedules"
