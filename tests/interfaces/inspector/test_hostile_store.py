"""Every page of a hostile store, reached by the links of the pages."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from satchel.interfaces.inspector.pages import ROUTES
from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser
from tests.interfaces.inspector.hostile_store import LISTS, fill
from tests.tables import each_case

# Enough to reach every kind of page several times.
MAX_PAGES = 150
OF_EACH_KIND = 12
HOSTILE = (
    "<script>'\"",
    "\u202eevil",
    "{{ 7 * 7 }}",
    "../../etc/passwd",
    "%00",
    "x" * 3_000,
    "'; DROP TABLE receipts; --",
)
QUERIED = ("/turns", "/packs", "/packs/roles", "/graph", "/facts", "/facts/subject", "/facts/conflicts", "/review", "/routes", "/receipts", "/receipts/compare")  # fmt: skip
PARAMETERS = (
    *("operation", "scope", "before", "packet", "name", "to", "hops", "type", "after", "subject"),
    *("since", "until", "mentions", "receipt", "first", "second", "done", "changes"),
)


@pytest.fixture(scope="module")
def hostile(server: Server) -> None:
    """The server's store is hostile."""
    fill(server)


def kind_of(path: str) -> str:
    return path.partition("?")[0].rpartition("/")[0] or path.partition("?")[0]


def crawled(browser: Browser) -> Iterator[tuple[str, str]]:
    """Yield pages and their HTML, following links from page to page."""
    waiting, seen, kinds = list(LISTS), set(LISTS), dict[str, int]()
    while waiting and len(seen) <= 5_000:
        path = waiting.pop(0)
        kinds[kind_of(path)] = kinds.get(kind_of(path), 0) + 1
        if kinds[kind_of(path)] > OF_EACH_KIND or sum(kinds.values()) > MAX_PAGES:
            continue
        page = browser.get(path)
        yield path, page.html
        links = [one.partition("#")[0] for one in page.links("/") if not one.startswith("/assets")]
        fresh = [one for one in dict.fromkeys(links) if one and one not in seen]
        seen.update(fresh)
        waiting += fresh


@pytest.mark.usefixtures("hostile")
def test_every_link_leads_to_a_page_on_which_texts_stay_text(browser: Browser) -> None:
    reached = set[str]()
    for path, html in crawled(browser):
        reached.add(kind_of(path))
        assert "<script>document" not in html, path
        assert "<img" not in html, path
        assert '" onmouseover="' not in html, path
        # A form holds a text as it is, so that it can be edited.
        shown = html.partition("<textarea")[0]
        assert not any(one in shown for one in "\u202e\u200b\u2060\ufeff"), path
        assert len(html) < 3_000_000, path
    assert {"/turns", "/packs", "/routes", "/receipts", "/memories", "/facts", "/graph"} <= reached


@pytest.mark.usefixtures("hostile")
@each_case("path", QUERIED)
def test_any_parameter_is_answered_or_refused(browser: Browser, path: str) -> None:
    for name in PARAMETERS:
        for value in HOSTILE:
            reply = browser.reply(f"{path}?{urlencode({name: value})}")
            assert reply.status in (200, 303, 400, 404), (path, name, value, reply.body)
            assert b"<script>'" not in reply.body, (path, name, value)


def test_the_pages_of_this_module_are_those_of_the_inspector() -> None:
    paths = {one.path for one in ROUTES if one.method == "GET" and "{" not in one.path}

    assert paths - set(QUERIED) == {"/", "/import", "/memories", "/recall", "/receipts/verify"}
