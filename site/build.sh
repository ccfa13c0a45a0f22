#!/usr/bin/env bash
# Makes the documentation in target/site: the references of the three languages, read off their
# sources, the benchmark with its curves, and around them docs/. Whatever a tool warns of is an
# error.
set -euo pipefail
. "$(dirname "$0")/../tests/ci/lib.sh"

tests/ci/venv.sh
tests/ci/npm.sh site
rm -rf target/api.new
mkdir -p target/api.new

site/node_modules/.bin/typedoc --options site/typedoc.json --out target/api.new/js --logLevel Warn
target/venv/bin/python -W error -m pdoc --no-show-source --docformat restructuredtext -o target/api.new/python bulkheads bulkheads.testing
# A directory of its own, since nothing but this may lie in what is copied.
rm -rf target/rustdoc/doc # which keeps the pages of crates that are gone
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps -p bulkheads-core -p bulkheads-engine -p bulkheads-driver --target-dir target/rustdoc
cp -r target/rustdoc/doc target/api.new/rust
# A licence of a font, which would be taken for a page of ours.
find target/api.new/rust -name '*.md' -exec mv {} {}.txt ';'
echo '<!doctype html><title>bulkheads</title><meta http-equiv="refresh" content="0; url=bulkheads_core/index.html">' >target/api.new/rust/index.html

rm -rf target/api
mv target/api.new target/api
rm -rf target/plots
target/venv/bin/python bench/plots.py target/plots
# mkdocs-material says something about the next version of mkdocs, whichever is installed.
NO_MKDOCS_2_WARNING=1 target/venv/bin/mkdocs build --config-file site/mkdocs.yml
say "target/site/index.html"
