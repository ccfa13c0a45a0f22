#!/usr/bin/env bash
# Packs what would be published on crates.io, into target/packages; cargo builds it once from the archive.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

mkdir -p target/packages
rm -f target/package/bulkheads-*.crate target/packages/bulkheads-*.crate
cargo package --quiet --locked --allow-dirty -p bulkheads-core -p bulkheads-driver -p bulkheads-engine >&2
cp target/package/bulkheads-*.crate target/packages/
