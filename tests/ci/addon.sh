# To be sourced after lib.sh: puts the addon that cargo built into js/native, under the name by
# which the package looks for it there.

# place_addon FOLDER PLATFORM: from cargo's folder; a platform is one of
# js/src/engines/platforms.json.
place_addon() {
    local library built="" addon=js/native/bulkheads.$2.node
    for library in "$1"/{libbulkheads_node.so,libbulkheads_node.dylib,bulkheads_node.dll}; do
        [ ! -f "$library" ] || built=$library
    done
    [ -n "$built" ] || give_up "cargo built no shared library of bulkheads-node in $1"
    mkdir -p js/native
    # Moved into place: writing over a library that a running process has mapped would crash that
    # process.
    cp "$built" "$addon.new"
    mv "$addon.new" "$addon"
    say "$addon: $(wc -c <"$addon") bytes"
}
