#!/usr/bin/env bash
# Builds the WebAssembly engine into target/wasm: bulkheads_wasm.js, bulkheads_wasm_bg.wasm (optimised) and their types.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
. tests/ci/debian-rust.sh

TARGET=wasm32-unknown-unknown
# A directory of its own: this build may use another compiler than the rest, and the two would throw
# each other's work away.
BUILD=(build --release -p bulkheads-wasm --target "$TARGET" --target-dir target/wasm-build)

build_with_target() {
    say "wasm route: the target $TARGET of $(rustc --version)"
    cargo "${BUILD[@]}"
}

# Debian has no compiled library for this target in a compiler new enough, but it has the source,
# and the engine needs no `std`.
build_with_debian() {
    say "wasm route: Debian's $(/usr/bin/rustc --version), which compiles the core library from its source"
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
    debian_cargo "${BUILD[@]}" -Zbuild-std=core,alloc
}

build() {
    if has_library_for "$TARGET"; then build_with_target && return; fi
    if ! has_debian_rust || ! command -v wasm-ld >/dev/null; then
        # shellcheck disable=SC2086 # a list of words
        HINT="or run: rustup target add $TARGET" apt_install "a compiler for $TARGET" $DEBIAN_RUST lld
    fi
    build_with_debian
}

# Every browser loads it, and an ordinary call never comes here: small goes before fast.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=z
# What the workspace strips from a release, wasm-bindgen reads first: which features of WebAssembly the module uses.
export CARGO_PROFILE_RELEASE_STRIP=false

tests/ci/npm.sh
bindgen=$(tests/ci/wasm-bindgen.sh)
build

rm -rf target/wasm.new
"$bindgen" --target web --out-dir target/wasm.new "target/wasm-build/$TARGET/release/bulkheads_wasm.wasm"
# The glue makes a TextDecoder as it is loaded, which some hosts do not have (Jest's jsdom, audio worklets), for the one text that the
# module could throw: an ASCII one of the allocator's.
decoder="new TextDecoder('utf-8', { ignoreBOM: true });"
grep -qF "let cachedTextDecoder = $decoder" target/wasm.new/bulkheads_wasm.js || give_up "wasm-bindgen's glue has changed" "look for its TextDecoder in tests/ci/wasm.sh"
sed -i "s/$decoder/{ decode: (bytes) => (bytes === undefined ? '' : String.fromCharCode(...bytes)) };/" target/wasm.new/bulkheads_wasm.js

# What every engine since 2022 has, and what the Rust compiler uses by default; nothing newer.
js/node_modules/.bin/wasm-opt -Oz --converge --strip-debug --strip-producers \
    --enable-bulk-memory --enable-bulk-memory-opt --enable-multivalue --enable-mutable-globals \
    --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext \
    target/wasm.new/bulkheads_wasm_bg.wasm -o target/wasm.new/bulkheads_wasm_bg.wasm
rm -rf target/wasm
mv target/wasm.new target/wasm
say "target/wasm/bulkheads_wasm_bg.wasm: $(wc -c <target/wasm/bulkheads_wasm_bg.wasm) bytes"
