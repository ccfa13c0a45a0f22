# Everything a developer types. Each target sets up what it needs: it looks first, installs only
# what is missing, and names what it cannot install. What is up to date is not built again. `make`
# alone says what there is.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash

SCENARIOS ?=

# --- what is built, and from what ---

files = $(shell find $(1) -type f -not -path '*/__pycache__/*' 2>/dev/null)
CRATES := core driver engine
CORE := Cargo.toml Cargo.lock $(CRATES:%=%/Cargo.toml) $(call files,$(CRATES:%=%/src))

TOOLS := target/venv/.requirements.txt
NODE_MODULES := js/node_modules/.package-lock.json
BENCH_NODE_MODULES := bench/js/node_modules/.package-lock.json
WASM := target/wasm/bulkheads_wasm_bg.wasm
ADDON := target/stamps/node-addon
JS := target/stamps/js
PYTHON := target/stamps/python

$(TOOLS): tests/requirements.txt tests/ci/venv.sh
	@tests/ci/venv.sh

$(NODE_MODULES): js/package.json js/package-lock.json
	@tests/ci/npm.sh

$(WASM): $(CORE) $(NODE_MODULES) bindings-wasm/Cargo.toml $(call files,bindings-wasm/src) tests/ci/wasm.sh
	@tests/ci/wasm.sh

$(ADDON): $(CORE) bindings-node/Cargo.toml $(call files,bindings-node/src) tests/ci/node-addon.sh tests/ci/addon.sh js/scripts/platforms.mjs js/src/engines/platforms.json
	@tests/ci/node-addon.sh
	@mkdir -p $(@D) && touch $@

$(JS): $(WASM) $(NODE_MODULES) $(call files,js/src js/scripts) $(wildcard js/*.json js/*.mjs js/*.js js/*.ts)
	@tests/ci/js.sh
	@mkdir -p $(@D) && touch $@

$(BENCH_NODE_MODULES): bench/js/package.json bench/js/package-lock.json
	@tests/ci/npm.sh bench/js

$(PYTHON): $(CORE) $(TOOLS) bindings-python/Cargo.toml bindings-python/pyproject.toml $(call files,bindings-python/src) tests/ci/python.sh
	@tests/ci/python.sh
	@mkdir -p $(@D) && touch $@

# --- what there is to type ---

.PHONY: help lab lab-checkout test check soak coverage conformance bench bench-quick build docs chromium
.PHONY: package package-npm package-python package-crates test-packages test-packages-npm test-packages-python test-packages-crates

help: ## what there is to type
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

lab: build chromium ## the experiment: a hanging dependency, one shared pool against bulkheads, over real HTTP
	@target/venv/bin/python tests/lab/run.py

lab-checkout: build ## the checkout service: a hanging shipping API, and logins that stay fast
	@node tests/lab/checkout/run.mjs

test: build chromium ## everything: format, lints, the tests of every language, conformance, the lab's counts
	@python3 tests/ci/suite.py full

check: build ## the inner loop: format, lints, the core, one engine a language, the scenarios
	@python3 tests/ci/suite.py quick

soak: build ## random histories, fuzzing, races and stress for ten minutes; SOAK_MINUTES says otherwise
	@python3 tests/soak/run.py

coverage: ## which lines of the core its tests and the scenarios reach; at least 98 %
	@tests/ci/coverage.sh

conformance: build chromium ## the scenarios on every surface; SCENARIOS=<folder or file> names others
	@python3 tests/conformance/run.py $(SCENARIOS)

bench: build chromium $(BENCH_NODE_MODULES) ## every figure beside the peers, into bench/results; under ten minutes, on a machine left alone
	@node bench/js/run.mjs
	@node bench/js/browser.mjs
	@python3 bench/python/run.py
	@cd bench/rust && cargo run --quiet --release --locked
	@target/venv/bin/python bench/report.py

bench-quick: build chromium $(BENCH_NODE_MODULES) ## the same in a minute and a half, rougher; prints its figures and keeps none
	@node bench/js/run.mjs --quick
	@node bench/js/browser.mjs --quick
	@python3 bench/python/run.py --quick
	@cd bench/rust && cargo run --quiet --release --locked -- --quick

package: package-npm package-python package-crates ## what would be published, into target/packages

package-npm: $(ADDON) $(JS)
	@tests/packaging/npm/pack.sh

package-python: $(TOOLS)
	@tests/packaging/python/pack.sh

package-crates:
	@tests/packaging/crates/pack.sh

test-packages: test-packages-npm test-packages-python test-packages-crates ## those packages, installed as users install them

test-packages-npm: package-npm chromium
	@tests/packaging/npm/run.sh

test-packages-python: package-python
	@tests/packaging/python/run.sh

test-packages-crates: package-crates
	@tests/packaging/crates/run.sh

docs: $(PYTHON) ## the guides and the reference of every language, as one site in target/site
	@site/build.sh

build: $(ADDON) $(JS) $(PYTHON) ## the engines and the packages of every language

chromium:
	@tests/ci/chromium.sh >/dev/null
