#!/usr/bin/env bash
# Packs what would be published on npm, into target/packages.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

mkdir -p target/packages
(cd js && npm pack --silent --pack-destination ../target/packages) >&2
