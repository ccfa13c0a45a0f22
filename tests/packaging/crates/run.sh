#!/usr/bin/env bash
# The crate, as its archive holds it.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

for crate in target/packages/bulkheads-*.crate; do
    tar -tzf "$crate" --wildcards '*/src/lib.rs' >/dev/null || give_up "$crate holds no src/lib.rs"
done
