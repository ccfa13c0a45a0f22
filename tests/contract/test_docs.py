"""What the contract promises that the docs say."""

import re

from sentences import ROOT, scenarios

README = re.sub(r"\s+", " ", (ROOT / "README.md").read_text())
NESTED = re.sub(r"\s+", " ", (ROOT / "docs/guides/nested.md").read_text())


def test_the_docs_say_how_to_choose_the_wait() -> None:
    assert "For a service choose it well below the call's own time-out: a caller who waits long has left." in README


def test_the_docs_say_that_awaiting_the_end_from_inside_never_ends() -> None:
    assert "awaiting one from inside the bulkhead's own work never ends" in README


def test_the_docs_say_what_is_not_detected() -> None:
    assert (
        "Two calls that wait for each other (two permits, two callers, each of which wants another) are *not* detected." in NESTED
    )


def test_the_docs_name_every_option_and_every_code() -> None:
    for name in "maxConcurrent maxQueue timeoutMs callTimeoutMs abandonAfterMs stackTraces trackPermits detectReentrancy weight deadline signal".split():
        assert f"| `{name}` |" in README
    for code in "full queue_timeout closed too_heavy reentrant call_timeout".split():
        assert f"| `{code}` |" in README


def test_the_readme_counts_the_scenarios() -> None:
    assert f"| {len(scenarios())} [scenarios](tests/scenarios) in virtual time on 8 surfaces;" in README
