"""From Home to the reason why an item was in a prompt, in Chromium."""

from tests.browser.conftest import Tab

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \u202eevil\u200b"


def test_a_turn_explains_an_item_and_links_to_its_memory(tab: Tab) -> None:
    text = f"\u202eBefore a release, run the smoke tests {HOSTILE}"
    tab.server.ask("/v1/store", {"text": text, "kind": "procedure", "importance": 0.9})
    tab.server.ask("/v1/turn_before", {"prompt": "How do we run the smoke tests of a release?"})
    page = tab.go("/turns")

    page.get_by_role("table").get_by_role("link").first.click()

    item = page.get_by_role("table", name="In the prompt").get_by_role("row").nth(1)
    assert "<script>alert(1)</script>" in item.inner_text()
    assert "U+202E" in item.inner_text()
    assert "it ranked" in item.inner_text()
    assert page.locator("main script, main img").count() == 0


def test_packets_of_a_goal_are_chosen_from_a_list(tab: Tab) -> None:
    for goal in ("ship the release", HOSTILE):
        tab.server.ask("/v1/attention_route", {"goal": goal, "step_role": "planner"})
    page = tab.go("/packs/roles")

    page.get_by_label("Goal").select_option("ship the release")

    page.wait_for_url("**/packs/roles?packet=*")
    page.get_by_role("heading", name="ship the release").wait_for()


def test_two_clicks_from_home_say_why_an_item_was_in_the_prompt(tab: Tab) -> None:
    tab.server.ask("/v1/store", {"text": "The orders live in PostgreSQL", "kind": "decision", "importance": 0.9})
    tab.server.ask("/v1/turn_before", {"prompt": "Where do the orders live?"})
    page = tab.go("/")

    page.get_by_role("link", name="Added to prompts").click()
    item = page.get_by_role("table", name="In the prompt").get_by_role("row", name="The orders live in PostgreSQL")
    assert "it ranked number 1" in item.inner_text()
    item.get_by_role("link").click()

    assert "The orders live in PostgreSQL" in page.get_by_role("heading", level=1).inner_text()
