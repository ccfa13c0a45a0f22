#!/usr/bin/env bash
# Builds the native Node engine into js/native/, under the name by which the package looks for it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

cargo build --release -p bulkheads-node
for library in target/release/{libbulkheads_node.so,libbulkheads_node.dylib,bulkheads_node.dll}; do
    [ -f "$library" ] && built=$library
done
[ -n "${built:-}" ] || give_up "cargo built no shared library of bulkheads-node"

addon=js/native/bulkheads.$(node -p 'process.platform + "-" + process.arch').node
mkdir -p js/native
# Moved into place: writing over a library that a running process has mapped would crash that process.
cp "$built" "$addon.new"
mv "$addon.new" "$addon"
say "$addon: $(wc -c <"$addon") bytes"
