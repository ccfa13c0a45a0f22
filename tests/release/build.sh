#!/usr/bin/env bash
# Builds the engine for Node and the wheel for one platform of js/src/engines/platforms.json, as they are published.
# Linux is built with zig as linker, against the oldest C library that Rust supports; everything else by its own machine's.
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"

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
for library in "target/$target/release"/{libbulkheads_node.so,libbulkheads_node.dylib,bulkheads_node.dll}; do
    [ -f "$library" ] && built=$library
done
[ -n "${built:-}" ] || give_up "cargo built no shared library of bulkheads-node for $target"
mkdir -p js/native target/packages
cp "$built" "js/native/bulkheads.$platform.node.new"
mv "js/native/bulkheads.$platform.node.new" "js/native/bulkheads.$platform.node"

cd bindings-python
maturin build --release --locked --target "$target" "${wheel[@]}" --out ../target/packages
