#!/usr/bin/env bash
# Packs what would be published on npm, into target/packages.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

node js/scripts/pack.mjs
