#!/usr/bin/env bash
# Lints the models of threads that share a core, and tries some thousand schedules of each.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

cd core/shuttle
cargo fmt --check
cargo clippy -q --locked --all-targets -- -D warnings
cargo test -q --locked
