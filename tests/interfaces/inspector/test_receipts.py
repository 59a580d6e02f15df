"""Receipts and routes, as HTML."""

from urllib.parse import quote

import apsw
import pytest

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser


@pytest.fixture(scope="module")
def receipts(server: Server) -> dict[str, str]:
    """The receipts of some operations, and the id of a memory that they name."""
    stored = server.ask("/v1/store", {"text": "We ship on Thursdays", "scope": "project/shop"}).json
    found = {"id": stored["result"]["id"], "store": stored["receipt"]["digest"]}
    for name, query in (("first", "When do we ship?"), ("second", "Do we ship on Fridays?")):
        asked = server.ask("/v1/recall", {"query": query, "scope": "project/shop", "mode": "lexical"}).json
        found[name] = asked["receipt"]["digest"]
    server.ask("/v1/store", {"text": "Tea at four", "scope": "home"})
    for question in ("why did we choose tea", "find the function parseAuthToken"):
        assert server.ask("/v1/route", {"query": question, "scope": "home"}).status == 200
    return found


def addresses(digests: list[str]) -> list[str]:
    return [f"/receipts/{quote(one, safe='')}" for one in digests]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("scope=project%2Fshop", ["second", "first", "store"]),
        ("operation=recall", ["second", "first"]),
        ("operation=recall&since=2999-01-01", []),
        ("operation=store&scope=project%2Fshop&until=2999-01-01", ["store"]),
        ("operation=nothing", []),
    ],
)
def test_receipts_are_searched(browser: Browser, receipts: dict[str, str], query: str, expected: list[str]) -> None:
    page = browser.get(f"/receipts?{query}")

    assert page.links("/receipts/sha256") == addresses([receipts[one] for one in expected])


def test_receipts_are_searched_by_the_record_they_name(browser: Browser, receipts: dict[str, str]) -> None:
    for reference in (receipts["id"], receipts["id"][:9]):
        page = browser.get(f"/receipts?mentions={reference}")
        assert page.links("/receipts/sha256") == addresses([receipts[one] for one in ("second", "first", "store")])


def test_a_receipt_is_opened_by_the_beginning_of_its_name(browser: Browser, receipts: dict[str, str]) -> None:
    reply = browser.reply(f"/receipts?receipt={receipts['first'][:20]}")

    assert reply.status == 303
    page = browser.get(reply.headers["location"])
    assert receipts["first"] in page.text
    assert "it ranked number 1 of 1" in page.text
    assert f"/memories/{receipts['id']}" in page.links()
    assert "query_chars" in page.text and "16" in page.text


def test_two_receipts_are_compared(browser: Browser, receipts: dict[str, str]) -> None:
    page = browser.get(f"/receipts/compare?first={receipts['first']}&second={receipts['second']}")

    assert "asked.query_chars 16 22" in page.text
    same = browser.get(f"/receipts/compare?first={receipts['first']}&second={receipts['first']}")
    assert "No differences." in same.text
    assert "asked.query_chars" not in browser.get("/receipts/compare").text
    one = browser.get(f"/receipts/{receipts['first']}").html
    assert f'<option value="{receipts["second"]}">' in one
    assert f'<option value="{receipts["first"]}">' not in one


def test_a_store_without_receipts_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    server = Server(tmp_path_factory.mktemp("new") / "home", "--port", "0")
    text = Browser(server).get("/receipts").text

    assert "No receipts yet" in text and "No receipt matches" not in text
    assert server.stop() == 0


@pytest.mark.usefixtures("receipts")
def test_an_intact_chain_is_verified(browser: Browser) -> None:
    assert "The chain is intact" in browser.get("/receipts/verify").text


@pytest.mark.usefixtures("receipts")
def test_routes_are_listed_with_attempts_and_rules(browser: Browser) -> None:
    page = browser.get("/routes")

    assert "exact symbol" in page.text and "decision recall" in page.text
    assert "Rules, over the newest 2 questions" in page.text
    assert "lossless conversations and their decisions" in page.text
    newest = page.links("/routes/sha256")[0]
    assert "Routed question" in browser.get(newest).text
    assert browser.get("/routes?scope=nowhere").links("/routes/sha256") == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/receipts/sha256:000000000000", 404),
        ("/receipts/%20", 404),
        ("/receipts?since=soon", 400),
        ("/receipts?before=1e9", 400),
        ("/receipts/compare?first=sha256:000000000000&second=sha256:000000000000", 404),
        ("/routes/sha256:000000000000", 404),
        ("/routes?before=x", 400),
    ],
)
def test_a_bad_address_is_an_error_page(browser: Browser, path: str, status: int) -> None:
    reply = browser.reply(path)

    assert reply.status == status
    assert b"That did not work" in reply.body


def test_a_broken_chain_is_shown(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("broken") / "home"
    server = Server(home, "--port", "0")
    try:
        server.ask("/v1/store", {"text": "We ship on Thursdays"})
        ledger = apsw.Connection(str(home / "ledger.sqlite3"))
        ledger.execute("UPDATE receipts SET body = replace(body, 'global', 'elsewhere')")
        ledger.close()
        page = Browser(server).get("/receipts/verify")
        assert "The chain is broken" in page.text
        assert "number 1 is not intact: its body was changed" in page.text
    finally:
        assert server.stop() == 0
