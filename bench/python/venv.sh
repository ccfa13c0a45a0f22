#!/usr/bin/env bash
# Makes the Python environment of the benchmark, with the peers that bench/requirements.txt pins and
# the package `bulkheads` from its sources and its compiled engine. One for each version of Python;
# PYTHON names another interpreter. Prints the path of its python.
set -euo pipefail
. "$(dirname "$0")/../../tests/ci/lib.sh"

base=${PYTHON:-python3}
command -v "$base" >/dev/null || give_up "$base is missing"
version=$("$base" -c 'import sys; print(*sys.version_info[:2], sep=".")')
venv=target/bench/venv-$version
python=$PWD/$venv/bin/python

if ! cmp -s bench/requirements.txt "$venv/.requirements.txt"; then
    if ! "$base" -c 'import ensurepip, venv' 2>/dev/null; then apt_install "Python's venv module" python3-venv; fi
    say "making $venv with the peers of the Python benchmark"
    "$base" -m venv --clear "$venv"
    "$python" -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt >&2
    cp bench/requirements.txt "$venv/.requirements.txt"
fi
printf '%s\n' "$PWD/bindings-python/python" >"$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/bulkheads.pth"
[ -e bindings-python/python/bulkheads/_engine.abi3.so ] || tests/ci/python.sh >&2
printf '%s\n' "$python"
