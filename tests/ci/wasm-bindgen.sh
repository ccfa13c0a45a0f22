#!/usr/bin/env bash
# Prints the path of the wasm-bindgen command in exactly the version of Cargo.lock: another one
# refuses to read our module.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p}' Cargo.lock)
[ -n "$version" ] || give_up "Cargo.lock names no version of wasm-bindgen"

for candidate in "$(command -v wasm-bindgen || true)" "$PWD/target/tools/bin/wasm-bindgen"; do
    # Some builds print a commit after the version.
    if [ -x "$candidate" ] && [[ "$("$candidate" --version) " = "wasm-bindgen $version "* ]]; then
        echo "$candidate"
        exit
    fi
done

say "installing wasm-bindgen-cli $version into target/tools (one to two minutes, once)"
# A target directory of its own: the tool must not wait for the lock of the project's build, nor the
# other way round. Unoptimised: it has little to do, and compiles in a third of the time.
install=(cargo install --debug --force --version "$version" --root target/tools --target-dir target/tools/build wasm-bindgen-cli)
# The tool's own lock file first; a registry that lags behind may lack a release that it names,
# which is no reason to worry.
"${install[@]}" --locked >&2 || { say "not with the versions of its lock file; with those that there are" && "${install[@]}" >&2; } ||
    give_up "wasm-bindgen $version is missing; run: cargo install wasm-bindgen-cli --version $version"
rm -rf target/tools/build
echo "$PWD/target/tools/bin/wasm-bindgen"
