#!/usr/bin/env bash
# Packs what would be published on crates.io, into target/packages; cargo builds each once from its
# archive, with the others as if the registry had them.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

TARGET=target/package-crates

# Cargo knows what it has unpacked and compiled by version alone: it would build the others on the
# core of an earlier commit, which has the same version.
rm -rf $TARGET "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/bulkheads-{core,driver,engine}-*

mkdir -p target/packages
rm -f target/packages/*.crate
cargo package --quiet --locked --allow-dirty --target-dir $TARGET -p bulkheads-core -p bulkheads-driver -p bulkheads-engine >&2
cp $TARGET/package/*.crate target/packages/
