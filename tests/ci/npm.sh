#!/usr/bin/env bash
# Installs what the package-lock.json of a folder (js, unless another is named) says, unless that is
# what is installed already.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

command -v node >/dev/null || give_up "node is missing; version 20 or newer is needed: https://nodejs.org"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' ||
    give_up "node $(node --version) is too old; version 20 or newer is needed: https://nodejs.org"

# npm writes this file last, so it is older than a lock file that has changed since, and absent
# after a broken install.
folder=${1:-js}
installed=$folder/node_modules/.package-lock.json
if [ ! -f "$installed" ] || [ "$folder/package-lock.json" -nt "$installed" ]; then
    say "npm ci in $folder/"
    (cd "$folder" && npm ci --no-fund --no-audit) >&2
    touch "$installed"
fi
