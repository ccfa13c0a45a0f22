#!/usr/bin/env bash
# Packs what would be published on npm, into target/packages: with the engine for this machine,
# which is built, and the one for musl where it can be built too. The others come from machines of
# their own, see RELEASING.md.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

if [ "$(node js/scripts/platforms.mjs)" = linux-x64-gnu ] && command -v apt-get >/dev/null; then
    tests/ci/node-addon.sh linux-x64-musl
fi
node js/scripts/pack.mjs
