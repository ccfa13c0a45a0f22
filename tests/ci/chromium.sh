#!/usr/bin/env bash
# Prints the path of a Chromium: the one that CHROMIUM names, else one on PATH, else Debian's, which
# it installs.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

find_browser() {
    local candidate
    for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
        [ -n "$candidate" ] && command -v "$candidate" && return
    done
    return 1
}

if ! find_browser; then
    HINT="or put a Chromium or Chrome on PATH, or name one in the variable CHROMIUM" \
        apt_install "a Chromium for the browser tests" chromium
    find_browser || give_up "chromium was installed but is not on PATH"
fi
