#!/usr/bin/env bash
# Checks the types of every folder of Python scripts, each as a program of its own: their modules
# import each other by bare names. The consumers of the package are checked where they have it
# installed, and one of them is wrong on purpose; the scripts for other hosts use tools that are
# installed only where they run.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

status=0
for folder in $(find tests bench site -name '*.py' -not -path '*/node_modules/*' -not -path '*/consumer/*' -not -path '*/python/hosts/*' -exec dirname {} + | sort -u); do
    echo "$folder"
    (cd "$folder" && MYPYPATH=. "$OLDPWD/target/venv/bin/mypy" --config-file "$OLDPWD/mypy.ini" ./*.py) || status=1
done
exit $status
