"""No page of the inspector about one scope shows anything of another, and no hostile request gets to one."""

from collections.abc import Iterator
from urllib.parse import quote_plus

import pytest

from satchel.interfaces.inspector.pages import ROUTES
from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser
from tests.interfaces.inspector.uploading import upload
from tests.security.canaries import MINE, STOCK
from tests.security.conftest import Stock
from tests.security.test_scopes import leaks

PLACE = f"scope={quote_plus(MINE)}"
PAGES = {
    "/": "",
    "/memories": f"q={quote_plus(STOCK)}",
    "/review": "",
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
WHOLE_STORE = {"/receipts/compare", "/receipts/verify", "/import"}


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


HOSTILE: dict[str, tuple[dict[str, str | None], set[int]]] = {
    "no session": ({"Cookie": None}, {401}),
    "a made-up session": ({"Cookie": "satchel-{port}=AAAA"}, {401}),
    "two sessions": ({"Cookie": "satchel-{port}=a; satchel-{port}=b"}, {401}),
    "the session of another port": ({"Cookie": "satchel-1=AAAA"}, {401}),
    "a long cookie": ({"Cookie": "x=" + "y" * 6_000}, {401, 431}),
    "a foreign host": ({"Host": "evil.example"}, {421}),
    "a host that ends like ours": ({"Host": "127.0.0.1.evil.example:{port}"}, {421}),
    "another port of ours": ({"Host": "127.0.0.1:1"}, {421}),
    "a foreign origin": ({"Origin": "https://evil.example"}, {403}),
    "no origin of its own": ({"Origin": "null"}, {403}),
    "a foreign scheme": ({"Origin": "https://127.0.0.1:{port}"}, {403}),
}
"""Headers that somebody else's request would have, and how it must be answered."""


def address(path: str) -> str:
    """Return an address of a route."""
    return path.replace("{id:path}", "nobody").replace("{receipt}", "sha256%3A00").replace("{import}", "nothing")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_gets_to_no_page(browser: Browser, name: str) -> None:
    headers, statuses = HOSTILE[name]
    port = str(browser.server.status["port"])
    changed = {header: value and value.replace("{port}", port) for header, value in headers.items()}
    for route in ROUTES:
        path = address(route.path)
        if route.method == "GET":
            reply = browser.reply(path, **changed)
        else:
            reply = browser.post(path, {"form_token": "guessed", "text": "mine now", "reason": "wrong"}, **changed)
        assert reply.status in statuses, (route.path, reply.status)
        assert b"Traceback" not in reply.body
    sent = upload(browser, b"mine now", headers=changed)
    assert sent.status in statuses
    assert not (browser.server.home / "uploads").exists()


def test_a_form_of_another_site_changes_nothing(stock: Stock, browser: Browser) -> None:
    id = stock.mine.ids["memory"]
    for route in (one for one in ROUTES if one.method == "POST"):
        path = route.path.replace("{id:path}", id).replace("{import}", "nothing")
        for form in ({}, {"form_token": "guessed"}, {"text": "mine now", "reason": "wrong"}):
            assert browser.post(path, form).status == 403, route.path
        assert browser.reply(path).status in (404, 405), route.path
    assert "mine now" not in browser.get(f"/memories/{id}").text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"])
def test_a_page_answers_to_no_other_method(browser: Browser, method: str) -> None:
    for path in {one.path for one in ROUTES if one.method == "GET"}:
        reply = browser.server.ask(
            address(path), b"", method=method, headers={"Authorization": None, "Cookie": browser.cookie}, tcp=True
        )
        assert reply.status in (401, 403, 404, 405, 411, 415), (method, path, reply.status)
        assert b"Traceback" not in reply.body
