#!/usr/bin/env bash
# Builds the native Node engine into js/native/, under the name by which the package looks for it there. With the name of a
# platform (js/src/engines/platforms.json) it builds for that one.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

this=$(node js/scripts/platforms.mjs)
platform=${1:-$this}
if [ "$platform" = "$this" ]; then
    cargo build --release -p bulkheads-node
    folder=target/release
else
    target=$(node js/scripts/platforms.mjs "$platform")
    cargo build --release -p bulkheads-node --target "$target"
    folder=target/$target/release
fi
for library in "$folder"/{libbulkheads_node.so,libbulkheads_node.dylib,bulkheads_node.dll}; do
    [ -f "$library" ] && built=$library
done
[ -n "${built:-}" ] || give_up "cargo built no shared library of bulkheads-node"

addon=js/native/bulkheads.$platform.node
mkdir -p js/native
# Moved into place: writing over a library that a running process has mapped would crash that process.
cp "$built" "$addon.new"
mv "$addon.new" "$addon"
say "$addon: $(wc -c <"$addon") bytes"
