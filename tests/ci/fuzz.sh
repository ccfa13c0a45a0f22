#!/usr/bin/env bash
# Builds the fuzz targets of the core, unpacks their corpora to where `cargo fuzz` looks for them,
# and prints the folder that the targets are in; with `lint` it only looks whether all that is in
# order.
#
# As `cargo fuzz build --sanitizer none` does, but with the stable compiler and nothing to install:
# the core has no unsafe code for a sanitizer to look at. libFuzzer itself comes as source with its
# crate and needs a C++ compiler.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

command -v "${CXX:-c++}" >/dev/null || apt_install "a C++ compiler for the fuzzer" g++

if [ "${1:-}" = lint ]; then
    tests/ci/corpus.py check
    cd core/fuzz
    cargo fmt --check
    cargo clippy -q --locked -- -D warnings
    exit
fi

tests/ci/corpus.py unpack

coverage=-sanitizer-coverage
export RUSTFLAGS="-Cpasses=sancov-module -Ccodegen-units=1 --cfg fuzzing \
-Cllvm-args=$coverage-level=4 -Cllvm-args=$coverage-inline-8bit-counters -Cllvm-args=$coverage-pc-table \
-Cllvm-args=$coverage-trace-compares"
# A target of its own, even if it is this machine's: so the flags are not for the programs that run
# while it is built.
host=$(rustc -vV | sed -n 's/^host: //p')
(cd core/fuzz && cargo build -q --profile fuzz --locked --target "$host")
echo "target/fuzz/$host/fuzz"
