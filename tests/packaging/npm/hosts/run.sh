#!/usr/bin/env bash
# The npm packages in bundlers, frameworks, test runners and installers, as docs/guides/bundlers.md
# has it. Needs `make package-npm` before it. The tools take 700 MB and the hosts minutes, so that
# this is no part of `make test`.
set -euo pipefail
. "$(dirname "$0")/../../../ci/lib.sh"

# Outside of the sources, so that what is installed there serves no other folder; the tools above,
# the projects below.
mkdir -p target/hosts
for file in package.json package-lock.json .npmrc; do
    cmp -s "tests/packaging/npm/hosts/$file" "target/hosts/$file" || cp "tests/packaging/npm/hosts/$file" target/hosts/
done
tests/ci/npm.sh target/hosts

exec node tests/packaging/npm/hosts/run.mjs "$@"
