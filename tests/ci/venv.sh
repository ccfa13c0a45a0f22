#!/usr/bin/env bash
# Makes target/venv, the Python environment of all tests, with the tools that tests/requirements.txt
# pins.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

python=${PYTHON:-python3}
command -v "$python" >/dev/null || give_up "python3 is missing; version 3.11 or newer is needed"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    give_up "$("$python" --version) is too old; version 3.11 or newer is needed (the variable PYTHON names another one)"

stamp=target/venv/.requirements.txt
if [ -x target/venv/bin/python ] && cmp -s tests/requirements.txt "$stamp"; then
    touch "$stamp"
    exit
fi

if ! target/venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then apt_install "Python's venv module" python3-venv; fi
    say "making target/venv"
    "$python" -m venv --clear target/venv
fi
say "installing tests/requirements.txt into target/venv"
target/venv/bin/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt >&2
cp tests/requirements.txt "$stamp"
