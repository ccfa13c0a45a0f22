#!/usr/bin/env bash
# Builds the crate in a folder for a target where no standard library is: only `core` and `alloc`
# are compiled for it.
set -euo pipefail
crate=$(realpath "$1")
. "$(dirname "$0")/../../ci/lib.sh"

TARGET=wasm32-unknown-unknown
# Where std's source is, a compiler of any channel builds the parts that it is asked for.
with_source() { [ -f "$("$1" --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library/alloc/Cargo.toml" ]; }

export CARGO_TARGET_DIR=$PWD/target/no-std
if with_source rustc; then
    rustc=$(command -v rustc) cargo=$(command -v cargo)
elif with_source /usr/bin/rustc; then
    rustc=/usr/bin/rustc cargo=/usr/bin/cargo
else
    give_up "no compiler here has the source of its library" "run: rustup component add rust-src, or apt-get install rustc-web rust-web-src cargo-web lld"
fi
say "no_std: $("$rustc" --version) compiles core and alloc"
cd "$crate"
env -u RUSTUP_TOOLCHAIN RUSTC="$rustc" RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld \
    "$cargo" build --quiet --release --lib --target $TARGET -Zbuild-std=core,alloc
