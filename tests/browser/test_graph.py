"""The graph in Chromium."""

from tests.browser.conftest import Tab

HOSTILE = "<script>alert(1)</script> \u202eevil"


def test_the_picture_leads_from_entity_to_entity(tab: Tab) -> None:
    for tail, head in (("Checkout", "Ledger"), ("Ledger", HOSTILE)):
        given = {"tail": tail, "relation": "USES", "head": head, "tail_type": "Project", "head_type": "Project"}
        assert tab.server.ask("/v1/graph_add", given).status == 200
    page = tab.go("/graph")

    page.get_by_label("Entity", exact=True).fill("Checkout")
    page.get_by_role("button", name="Show").click()
    page.locator(".network a").nth(1).click()

    assert page.get_by_role("heading", level=1).inner_text() == "Ledger"
    assert "U+202E" in page.get_by_role("group", name="Entities around Ledger").text_content()
    assert page.locator("main script").count() == 0


def test_a_path_is_drawn(tab: Tab) -> None:
    for tail, head in (("Checkout", "Ledger"), ("Ledger", "Audit")):
        given = {"tail": tail, "relation": "USES", "head": head, "tail_type": "Project", "head_type": "Project"}
        tab.server.ask("/v1/graph_add", given)
    page = tab.go("/graph?name=Checkout&to=Audit")

    assert page.get_by_role("group", name="Path from Checkout to Audit").get_by_role("link").count() == 3
