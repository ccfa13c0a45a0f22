"""The documentation that `make docs` left in target/site: every page is there, and every link leads
to a place that exists."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "target/site"
PAGES = sorted(SITE.rglob("*.html"))
# It is shown for addresses of any depth, so that its links are relative to none.
EXEMPT = {SITE / "404.html"}

ELSEWHERE = {"https", "mailto"}
NO_LINK = {"data", "javascript"}
LINES = re.compile(r"\d+-\d+")


class Reader(HTMLParser):
    """What a page refers to, and the places in it that can be referred to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name in ("href", "src"):
                self.links.add(value)
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)


@cache
def read(page: Path) -> Reader:
    reader = Reader()
    reader.feed(page.read_text())
    return reader


def fault(page: Path, link: str) -> str | None:
    address = urlsplit(link)
    if address.scheme in NO_LINK:
        return None
    if address.scheme or address.netloc:
        return fault_elsewhere(address)
    target = (page.parent / unquote(address.path)).resolve() if address.path else page
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file() or not target.is_relative_to(SITE):
        return "no such file"
    if address.fragment and target.suffix == ".html" and not is_place(target, address.fragment):
        return "no such place on that page"
    return None


def is_place(page: Path, fragment: str) -> bool:
    """Names are encoded or not; a range of lines of a source is found by a script."""
    return not read(page).anchors.isdisjoint({fragment, unquote(fragment)}) or LINES.fullmatch(fragment) is not None


def fault_elsewhere(address: SplitResult) -> str | None:
    """Other people's pages are not asked for, only their addresses looked at."""
    if address.scheme not in ELSEWHERE:
        return "a scheme other than https"
    return None if "." in address.netloc or address.scheme == "mailto" else "no host"


@pytest.mark.parametrize("page", [page for page in PAGES if page not in EXEMPT], ids=lambda page: str(page.relative_to(SITE)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert {link: why for link in sorted(read(page).links) if (why := fault(page, link))} == {}


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("index.html", "hanging dependency"),
        ("contract.html", "First come, first served"),
        ("api/js/classes/bulkheads.Bulkhead.html", "tryAcquire"),
        ("api/js/classes/bulkheads_testing.VirtualClock.html", "advanceTo"),
        ("api/python/bulkheads.html", "try_acquire"),
        ("api/python/bulkheads/testing.html", "VirtualLoop"),
        ("api/rust/index.html", "url=bulkheads_core/index.html"),
        ("api/rust/bulkheads_core/struct.Bulkhead.html", "poll_timeout"),
        ("api/rust/bulkheads_driver/struct.Shared.html", "unlisten"),
        ("api/rust/bulkheads_engine/mailbox/index.html", "VERSION"),
        ("bench/results/table.html", "summary.svg"),
        ("bench/results/curves.html", "node-grant.svg"),
    ],
)
def test_every_page_and_reference_is_in_it(page: str, text: str) -> None:
    assert text in (SITE / page).read_text()


@pytest.mark.parametrize("guide", sorted((ROOT / "docs/guides").glob("*.md")), ids=lambda path: path.stem)
def test_every_guide_can_be_reached_from_the_first_page(guide: Path) -> None:
    assert f"guides/{guide.stem}.html" in read(SITE / "index.html").links


@pytest.mark.parametrize("crate", ["bulkheads_core", "bulkheads_driver", "bulkheads_engine"])
def test_every_crate_can_be_reached_from_the_reference(crate: str) -> None:
    assert f"api/rust/{crate}/index.html" in read(SITE / "reference.html").links


def test_nothing_is_loaded_from_elsewhere() -> None:
    for page in PAGES:
        if page.is_relative_to(SITE / "api"):
            continue
        assert 'src="http' not in page.read_text(), page
