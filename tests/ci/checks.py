"""The table of checks: what `make check` (quick) and `make test` (full) run, in this order, cheap
ones first."""

from __future__ import annotations

from dataclasses import dataclass

QUICK = ("quick", "full")
ONLY_QUICK = ("quick",)
FULL = ("full",)


@dataclass(frozen=True)
class Check:
    name: str
    command: str
    suites: tuple[str, ...]


VENV = "target/venv/bin"
IN_PYTHON = "cd bindings-python && ../target/venv/bin"

CHECKS = [
    Check("rust format", "cargo fmt --all --check", QUICK),
    Check("lock file", "cargo metadata --locked --format-version 1 >/dev/null", QUICK),
    Check("python format", f"{VENV}/ruff format --check .", QUICK),
    Check("python lints", f"{VENV}/ruff check .", QUICK),
    Check("types of the tests", "tests/ci/types.sh", QUICK),
    Check("types of the package", f"{IN_PYTHON}/mypy", QUICK),
    Check("stub of the engine", f"{IN_PYTHON}/python -m mypy.stubtest bulkheads._engine", FULL),
    Check("javascript lints", "cd js && npm run --silent lint", QUICK),
    Check("javascript lints, scripts", "js/node_modules/.bin/eslint --max-warnings 0 bench tests", QUICK),
    Check("javascript types", "cd js && npm run --silent typecheck", QUICK),
    Check("rust lints", "cargo clippy -q --workspace --all-targets -- -D warnings", QUICK),
    Check("rust lints of the benchmark", "cd bench/rust && cargo fmt --check && cargo clippy -q --locked -- -D warnings", FULL),
    Check(
        "rust docs",
        "RUSTDOCFLAGS='-D warnings' cargo doc -q --no-deps -p bulkheads-core -p bulkheads-engine -p bulkheads-driver",
        FULL,
    ),
    Check("rust tests", "cargo test -q -p bulkheads-core -p bulkheads-engine -p bulkheads-driver", QUICK),
    Check("races of the core", "tests/ci/races.sh", FULL),
    Check("fuzz targets of the core", "tests/ci/fuzz.sh lint", FULL),
    Check("javascript engines", "node --test tests/engines/*.test.mjs", QUICK),
    Check("javascript tests, native", "cd js && npm run --silent test:quick", QUICK),
    Check("javascript tests, wasm", "cd js && BULKHEADS_ENGINE=wasm npm test --silent", FULL),
    Check("javascript tests, browser", "cd js && npm run --silent test:browser", FULL),
    Check("python tests", f"{IN_PYTHON}/pytest -rs", QUICK),
    Check("contract and readme", f"{VENV}/python -m pytest -q -rs tests/contract tests/readme", FULL),
    Check("npm packages, installed", "make test-packages-npm", FULL),
    Check("python package, installed", "make test-packages-python", FULL),
    Check("crates, from their archives", "make test-packages-crates", FULL),
    Check("version and licences", f"{VENV}/python -m pytest -q tests/release", FULL),
    Check("workflows", "tests/ci/npm.sh tests/release && node --test tests/release/*.test.mjs", FULL),
    Check("documentation", f"make docs && {VENV}/python -m pytest -q tests/site", FULL),
    Check("conformance, inner loop", "tests/conformance/run.py --quick", ONLY_QUICK),
    Check("conformance", "tests/conformance/run.py", FULL),
    Check("lab", f"{VENV}/python tests/lab/run.py --check", FULL),
    Check("lab, checkout service", "node tests/lab/checkout/run.mjs", FULL),
]
