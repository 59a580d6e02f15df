"""Every page has landmarks, names for its controls, captions for its tables, and one main heading."""

from typing import Any

from satchel.interfaces.inspector.pages import ROUTES
from tests.browser.conftest import Tab

UNNAMED = """
() => [...document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a[href]")]
  .filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length || one.title))
  .map((one) => one.outerHTML)
"""
WITHOUT_CAPTION = (
    "() => [...document.querySelectorAll('table')].filter((one) => !one.caption?.textContent.trim()).length"
)
REPEATED_IDS = """
() => { const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
        return ids.filter((one, place) => ids.indexOf(one) !== place); }
"""
HIDDEN_PICTURES = "() => [...document.querySelectorAll('svg')].filter((one) => !one.ariaHidden && !one.role).length"


def check(page: Any, path: str) -> None:
    assert page.locator("h1").count() == 1, path
    assert page.get_by_role("main").count() == 1, path
    assert page.get_by_role("banner").count() == 1, path
    assert page.locator("html[lang=en]").count() == 1, path
    assert page.evaluate(UNNAMED) == [], path
    assert page.evaluate(WITHOUT_CAPTION) == 0, path
    assert page.evaluate(REPEATED_IDS) == [], path
    assert page.evaluate(HIDDEN_PICTURES) == 0, path


def test_every_page_is_accessible(tab: Tab) -> None:
    old = tab.server.ask("/v1/store", {"text": "we ship on Mondays", "scope": "a"}).json["result"]["id"]
    stored = tab.server.ask("/v1/store", {"text": "we ship on Thursdays", "scope": "a", "replaces": old})
    tab.server.ask("/v1/store", {"text": "the forum says otherwise", "scope": "a", "source_kind": "web"})
    tab.server.ask("/v1/recall", {"query": "ship", "scope": "a"})
    own = (f"/memories/{stored.json['result']['id']}", "/recall?q=ship&scope=a", "/memories?q=ship", "/?scope=a")
    for path in (*(one.path for one in ROUTES if one.method == "GET" and "{" not in one.path), *own):
        check(tab.go(path), path)


def test_the_page_without_a_session_is_accessible(tab: Tab) -> None:
    tab.page.context.clear_cookies()
    tab.page.goto(f"http://127.0.0.1:{tab.server.status['port']}/")

    check(tab.page, "/")
    tab.problems.clear()  # the browser reports the status 401
