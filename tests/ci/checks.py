"""The table of checks: what `make check` (quick) and `make test` (full) run, in this order, cheap ones first."""

from __future__ import annotations

from dataclasses import dataclass

QUICK = ("quick", "full")
FULL = ("full",)


@dataclass(frozen=True)
class Check:
    name: str
    command: str
    suites: tuple[str, ...]


RUFF = "target/venv/bin/ruff"

CHECKS = [
    Check("rust format", "cargo fmt --all --check", QUICK),
    Check("python format", f"{RUFF} format --check .", QUICK),
    Check("python lints", f"{RUFF} check .", QUICK),
    Check("python types", "target/venv/bin/mypy", QUICK),
    Check("rust lints", "cargo clippy -q --workspace --all-targets -- -D warnings", QUICK),
    Check("rust tests", "cargo test -q -p bulkheads", QUICK),
]
