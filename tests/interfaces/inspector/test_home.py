"""Home, as HTML."""

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser


def test_home_shows_what_the_store_holds(server: Server, browser: Browser) -> None:
    server.ask("/v1/store", {"text": "We ship on Thursdays", "kind": "decision", "scope": "project/shop"})

    page = browser.get("/")

    assert "Memories 1" in page.text
    assert "decision 1" in page.text
    assert "/?scope=project/shop" in page.links()


def test_home_of_one_scope(server: Server, browser: Browser) -> None:
    server.ask("/v1/store", {"text": "Tea at four", "scope": "home"})

    page = browser.get("/?scope=home")

    assert "Scope home" in page.text
    assert "Memories 1" in page.text
