#!/usr/bin/env bash
# `Bulkhead.shared`: threads through one limit while others are ended, and threads that come and go.
set -euo pipefail
. "$(dirname "$0")/../ci/lib.sh"

[ "${1:-}" = prepare ] && exit
cd js
npm run --silent soak
