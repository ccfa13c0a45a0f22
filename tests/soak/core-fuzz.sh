#!/usr/bin/env bash
# Both fuzz targets of the core, half of the time each. What they find worth keeping stays in
# target/; what fails is named. share: 2
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"

build() { tests/ci/fuzz.sh; }

if [ "${1:-}" = prepare ]; then
    build >/dev/null
    exit
fi

folder=$(build)
for target in history mailbox; do
    mkdir -p "target/fuzz/corpus/$target"
    log=target/fuzz/$target.log
    # The first folder is written to, the second only read.
    "$folder/$target" "target/fuzz/corpus/$target" "core/fuzz/corpus/$target" -max_len=400 -timeout=10 \
        -max_total_time="$((SOAK_SECONDS / 2))" -print_final_stats=1 -artifact_prefix="target/fuzz/$target-" &>"$log" || {
        tail -40 "$log"
        give_up "$target failed; put the file named above into core/fuzz/corpus/$target and run tests/ci/corpus.py pack:" \
            "then cargo test fails as well"
    }
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf -v said "%'d inputs for %s" "$runs" "$target"
    summary=${summary:+$summary, }$said
done
echo "$summary"
