#!/usr/bin/env bash
# The npm packages as their users get them: installed from their archives into small projects, each
# of which is run.
set -euo pipefail
. "$(dirname "$0")/../../ci/lib.sh"

# Outside of the sources, so that what is installed there serves no other folder; the tools above,
# the packages below.
mkdir -p target/consumers
for file in package.json package-lock.json .npmrc; do
    cmp -s "tests/packaging/npm/$file" "target/consumers/$file" || cp "tests/packaging/npm/$file" target/consumers/
done
tests/ci/npm.sh target/consumers

exec node tests/packaging/npm/run.mjs "$@"
