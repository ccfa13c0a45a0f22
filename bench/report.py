#!/usr/bin/env python3
"""Makes bench/results/table.md and the summary plot of what the benchmarks have left in
bench/results."""

from __future__ import annotations

import stored
import summary
import tables


def main() -> None:
    measured = stored.read()
    table = stored.RESULTS / "table.md"
    table.write_text(tables.document(measured))
    print("\n".join(tables.verdicts(measured)))
    for path in [table, summary.draw(measured, stored.RESULTS)]:
        print(f"written to {path}")


if __name__ == "__main__":
    main()
