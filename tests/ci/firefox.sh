#!/usr/bin/env bash
# Prints the path of a Firefox: the one that FIREFOX names, else one on PATH, else Debian's, which
# it installs.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

find_browser() {
    local candidate
    for candidate in "${FIREFOX:-}" firefox firefox-esr "/Applications/Firefox.app/Contents/MacOS/firefox"; do
        [ -n "$candidate" ] && command -v "$candidate" && return
    done
    return 1
}

if ! find_browser; then
    HINT="or put a Firefox on PATH, or name one in the variable FIREFOX" \
        apt_install "a Firefox for the browser tests" firefox-esr
    find_browser || give_up "firefox-esr was installed but is not on PATH"
fi
