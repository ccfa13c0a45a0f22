# Everything a developer types. Each target sets up what it needs: it looks first, installs only what is missing, and names
# what it cannot install. `make` alone says what there is.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash

.PHONY: help test check

help: ## what there is to type
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

test: ## everything: format, lints, the tests of every language
	@python3 tests/ci/suite.py full

check: ## the inner loop: format, lints, the core
	@python3 tests/ci/suite.py quick
