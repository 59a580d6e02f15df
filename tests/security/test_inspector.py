"""No page of the inspector about one scope shows anything of another."""

from collections.abc import Iterator
from urllib.parse import quote_plus

import pytest

from satchel.interfaces.inspector.pages import ROUTES
from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser
from tests.security.canaries import MINE, STOCK
from tests.security.conftest import Stock
from tests.security.test_scopes import leaks

PLACE = f"scope={quote_plus(MINE)}"
PAGES = {
    "/": "",
    "/memories": f"q={quote_plus(STOCK)}",
    "/recall": f"q={quote_plus(STOCK)}",
    "/turns": "",
    "/packs": "",
    "/packs/roles": "",
    "/graph": "name=ledger&hops=3",
    "/facts": "",
    "/facts/subject": "name=payments",
    "/facts/conflicts": "",
    "/routes": "",
    "/receipts": "",
}
"""The pages that show one scope, each with what finds the most."""
WHOLE_STORE = {"/receipts/compare", "/receipts/verify"}


@pytest.fixture(scope="module")
def browser(stock: Stock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser on a copy of the filled store, with turns, packs and routes of several scopes."""
    server = Server(stock.copy(tmp_path_factory.mktemp("inspected") / "home"), "--port", "0")
    for scope in (MINE, *(one.scope for one in stock.foreign[:5])):
        for operation, given in (
            ("turn_before", {"prompt": f"{STOCK}, when is it?"}),
            ("turn_start", {}),
            ("pack", {"query": STOCK}),
            ("route", {"query": STOCK}),
        ):
            assert server.ask(f"/v1/{operation}", {"scope": scope, **given}).status == 200
    yield Browser(server)
    assert server.stop() == 0


def test_every_page_is_listed_here() -> None:
    paths = {one.path for one in ROUTES if one.method == "GET" and "{" not in one.path}

    assert paths == PAGES.keys() | WHOLE_STORE


def test_no_page_about_a_scope_shows_another(stock: Stock, browser: Browser) -> None:
    for path, query in PAGES.items():
        for given in dict.fromkeys((query, "")):
            page = browser.get(f"{path}?{PLACE}&{given}")
            assert not leaks(page.html, stock.foreign), (path, given)


def test_no_explained_answer_shows_another_scope(stock: Stock, browser: Browser) -> None:
    explained = [
        link
        for path in ("/turns", "/packs", "/routes", "/receipts")
        for link in browser.get(f"{path}?{PLACE}").links(f"{path}/sha256")
    ]
    assert len(explained) > 10
    for path in explained:
        assert not leaks(browser.get(path).html, stock.foreign), path
