#!/usr/bin/env bash
# Builds the native Node engine into js/native/: for this machine, or for the platform that is named
# (js/src/engines/platforms.json).
set -euo pipefail
. "$(dirname "$0")/lib.sh"
. tests/ci/debian-rust.sh
. tests/ci/addon.sh

here=$(node js/scripts/platforms.mjs)
platform=${1:-$here}
BUILD=(build --release --locked -p bulkheads-node)

build() {
    if [ "$platform" = "$here" ]; then
        cargo "${BUILD[@]}"
        folder=target/release
        return
    fi
    target=$(node js/scripts/platforms.mjs "$platform")
    # A directory of its own: this build may use another compiler and other flags than the rest.
    BUILD+=(--target "$target" --target-dir "target/$platform")
    folder=target/$platform/$target/release
    # An addon takes the C library of the program that loads it.
    [[ "$platform" != *-musl ]] || export RUSTFLAGS="-C target-feature=-crt-static"
    if has_library_for "$target"; then
        cargo "${BUILD[@]}"
    elif [ "$platform" = linux-x64-musl ] && command -v apt-get >/dev/null; then
        build_for_musl_with_debian
    else
        give_up "no compiler here builds for $target; run: rustup target add $target"
    fi
}

build_for_musl_with_debian() {
    if ! has_debian_rust || ! command -v musl-gcc >/dev/null; then
        # shellcheck disable=SC2086 # a list of words
        apt_install "a compiler for $target" $DEBIAN_RUST musl-tools
    fi
    say "musl route: Debian's $(/usr/bin/rustc --version), which compiles the standard library from its source (minutes, the first time)"
    # What unwinds the stack comes with glibc's own compiler and needs glibc. The engine aborts and
    # prints no backtrace, so that nothing of it is needed but the name.
    mkdir -p "target/$platform/lib"
    echo "INPUT(-lgcc)" >"target/$platform/lib/libgcc_s.so"
    export RUSTFLAGS="$RUSTFLAGS -L native=$PWD/target/$platform/lib -L native=$(dirname "$(gcc -print-libgcc-file-name)")"
    export CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=musl-gcc
    debian_cargo "${BUILD[@]}" -Zbuild-std=std,panic_abort -Zbuild-std-features=
}

build
place_addon "$folder" "$platform"
