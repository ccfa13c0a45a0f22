#!/usr/bin/env bash
# Which lines of the core its tests and the scenarios reach; fails below 98 %. Unit tests stand in
# the core's own files and would count themselves, so they are left out.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

LEAST=98
BUILD=target/coverage

major=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')

# A profile can only be read by the LLVM that the compiler was built with.
llvm_tool() {
    local sysroot candidate
    sysroot=$(rustc --print sysroot)
    for candidate in "$sysroot"/lib/rustlib/*/bin/"$1" "$1-$major" "$1"; do
        if "$candidate" --version 2>/dev/null | grep -q "LLVM version $major\."; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

if ! llvm_tool llvm-cov >/dev/null || ! llvm_tool llvm-profdata >/dev/null; then
    HINT="or run: rustup component add llvm-tools" apt_install "LLVM $major, which reads this compiler's profiles" "llvm-$major"
fi
cov=$(llvm_tool llvm-cov) && profdata=$(llvm_tool llvm-profdata) || give_up "no llvm-cov of version $major on PATH"

# In a directory of its own: other flags would make the rest of the project's build start anew.
export CARGO_TARGET_DIR=$BUILD RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE="$PWD/$BUILD/profiles/%p-%m.profraw"
rm -rf "$BUILD/profiles"
say "running the core's tests and the scenarios"
PROPTEST_CASES=${PROPTEST_CASES:-3000} cargo test -q --locked -p bulkheads-core -p bulkheads-engine --test '*' >"$BUILD.log" 2>&1 ||
    { cat "$BUILD.log" && give_up "the tests failed"; }
cargo run -q --locked -p bulkheads-core --example conformance -- tests/scenarios "$(python3 tests/long_scenarios/generate.py)" \
    >>"$BUILD.log" 2>&1 ||
    { cat "$BUILD.log" && give_up "the scenarios failed"; }

"$profdata" merge -sparse "$BUILD"/profiles/*.profraw -o "$BUILD/core.profdata"
objects=()
for program in "$BUILD"/debug/deps/* "$BUILD"/debug/examples/conformance; do
    [ -x "$program" ] && [ -f "$program" ] && [[ "$program" != *.so ]] && objects+=(--object "$program")
done
report() { "$cov" "$@" --instr-profile "$BUILD/core.profdata" "${objects[@]}" --sources core/src; }
report show --format=html --output-dir "$BUILD/html" >/dev/null
report export --summary-only | python3 tests/ci/coverage.py "$LEAST"
say "line by line: $BUILD/html/index.html"
