#!/usr/bin/env bash
# Packs what would be published on crates.io, into target/packages; cargo builds each once from its
# archive, with the others as if the registry had them.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

mkdir -p target/packages
rm -f target/package/*.crate target/packages/*.crate
cargo package --quiet --locked --allow-dirty -p bulkheads-core -p bulkheads-driver -p bulkheads-engine >&2
cp target/package/*.crate target/packages/
