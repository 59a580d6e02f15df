"""Home in Chromium."""

from tests.browser.conftest import Tab


def test_home_loads_and_a_scope_can_be_chosen(tab: Tab) -> None:
    tab.server.ask("/v1/store", {"text": "We ship on Thursdays", "kind": "decision", "scope": "project/shop"})
    page = tab.go("/")

    page.get_by_role("link", name="project/shop").click()

    assert "Scope project/shop" in page.get_by_role("heading", level=1).inner_text()


def test_the_theme_can_be_chosen_and_is_kept(tab: Tab) -> None:
    page = tab.go("/")
    page.get_by_role("button", name="Dark").click()
    page = tab.go("/")

    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.get_by_role("button", name="Light").is_visible()


def test_the_keyboard_reaches_the_content_first(tab: Tab) -> None:
    page = tab.go("/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "main"
