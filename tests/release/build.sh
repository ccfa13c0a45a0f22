#!/usr/bin/env bash
# Builds the engine for Node and the wheel for one platform of js/src/engines/platforms.json, as
# they are published. Linux is built with zig as linker, against the oldest C library that Rust
# supports; everything else by its own machine's.
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"
. tests/ci/addon.sh

platform=${1:?the name of a platform}
target=$(node js/scripts/platforms.mjs "$platform")
case $platform in
linux-*-gnu) cargo=zigbuild suffix=.2.17 wheel=(--zig --compatibility manylinux2014) ;;
linux-*-musl) cargo=zigbuild suffix= wheel=(--zig --compatibility musllinux_1_2) ;;
*) cargo=build suffix= wheel=() ;;
esac
# A library that a program of musl's loads has to share the C library with it.
case $platform in *-musl) export RUSTFLAGS="-C target-feature=-crt-static" ;; esac

cargo "$cargo" --release --locked -p bulkheads-node --target "$target$suffix"
place_addon "target/$target/release" "$platform"

cd bindings-python
maturin build --release --locked --target "$target" "${wheel[@]}" --out ../target/packages
