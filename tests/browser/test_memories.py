"""Memories in Chromium: filters, actions, and hostile texts."""

from typing import Any

from tests.browser.conftest import Tab, count_submissions
from tests.interfaces.inspector.hostile import TEXTS
from tests.tables import each_case


def store(tab: Tab, text: str, **more: Any) -> str:
    return str(tab.server.ask("/v1/store", {"text": text, **more}).json["result"]["id"])


def get(tab: Tab, id: str) -> Any:
    return tab.server.ask("/v1/get", {"id": id, "all_scopes": True}).json["result"]["memory"]


def test_a_filter_applies_and_back_returns(tab: Tab) -> None:
    store(tab, "tea is a preference", kind="preference", scope="shelf")
    store(tab, "the shelf is full", kind="fact", scope="shelf")
    page = tab.go("/memories?scope=shelf")

    page.get_by_label("Kind").select_option("preference")
    page.wait_for_url("**kind=preference**")
    assert page.get_by_text("the shelf is full").count() == 0
    page.go_back()

    page.get_by_text("the shelf is full").wait_for()
    assert page.get_by_label("Kind").input_value() == "", "a form says what its page shows, not what was chosen later"


def test_a_filter_is_chosen_with_the_keyboard_and_applied_with_the_button(tab: Tab) -> None:
    store(tab, "coffee is a fact", kind="fact", scope="keys")
    store(tab, "cocoa is a decision", kind="decision", scope="keys")
    page = tab.go("/memories?scope=keys")

    count_submissions(page)
    page.get_by_label("Kind").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.evaluate("[document.activeElement.value, window.submissions]") == ["fact", 0]
    page.get_by_role("button", name="Show").press("Enter")
    page.wait_for_url("**kind=fact**")

    page.get_by_text("coffee is a fact").wait_for()
    assert page.get_by_text("cocoa is a decision").count() == 0


def test_a_search_finds_and_opens_a_memory(tab: Tab) -> None:
    store(tab, "the zebra sleeps standing", scope="zoo")
    page = tab.go("/memories")

    page.keyboard.press("/")
    page.keyboard.type("zebra")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="the zebra sleeps standing").click()

    assert "the zebra sleeps standing" in page.get_by_role("heading", level=1).inner_text()


def test_a_memory_is_edited(tab: Tab) -> None:
    old = store(tab, "lunch at twelve", scope="acts")
    page = tab.go(f"/memories/{old}")

    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("New text").fill("lunch at one")
    page.get_by_role("button", name="Save as replacement").click()

    assert page.get_by_role("status").inner_text().startswith("Saved")
    assert get(tab, old)["state"] == "retired"


def test_a_memory_is_archived_revived_and_confirmed(tab: Tab) -> None:
    id = store(tab, "supper at nine", scope="acts", source_kind="web")
    page = tab.go(f"/memories/{id}")

    page.get_by_role("button", name="Confirm").click()
    assert get(tab, id)["trust"] == "trusted"
    page.get_by_role("button", name="Archive").click()
    assert get(tab, id)["state"] == "archived"
    page.get_by_role("button", name="Revive").click()
    assert get(tab, id)["state"] == "active"


def test_a_memory_is_forgotten_with_a_reason_and_a_proof(tab: Tab) -> None:
    id = store(tab, "the quokka ate the passport", scope="acts")
    page = tab.go(f"/memories/{id}")

    page.get_by_text("Forget…").click()
    page.get_by_role("button", name="Erase permanently").click()
    assert get(tab, id)["text"] == "the quokka ate the passport", "no reason was chosen yet"
    page.get_by_label("Why").select_option("private")
    page.get_by_role("button", name="Erase permanently").click()

    page.get_by_text("found in no file").wait_for()


@each_case("name", TEXTS)
def test_hostile_text_stays_text(tab: Tab, name: str) -> None:
    id = store(tab, TEXTS[name], scope="hostile")
    for path in (f"/memories/{id}", "/memories?scope=hostile", "/?scope=hostile", "/recall?q=walrus&scope=hostile"):
        page = tab.go(path)
        assert page.title().endswith("Satchel")
        assert page.locator("main img, main script, main [onmouseover]").count() == 0
        # A line of 100 KB is wrapped, not as wide as it is long.
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_forms_and_filters_work_without_javascript(chromium: Any, tab: Tab) -> None:
    id = store(tab, "the plain page works", scope="plain")
    context = chromium.new_context(java_script_enabled=False)
    plain = Tab(context.new_page(), tab.server)
    page = plain.go("/memories")
    page.get_by_label("Scope").select_option("plain")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="the plain page works").click()
    page.get_by_role("button", name="Archive").click()

    assert get(tab, id)["state"] == "archived"
    context.close()
    assert plain.problems == []
