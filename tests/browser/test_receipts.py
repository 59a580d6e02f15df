"""Receipts and routes in Chromium."""

from tests.browser.conftest import Tab


def test_a_receipt_is_found_opened_and_compared(tab: Tab) -> None:
    tab.server.ask("/v1/store", {"text": "We ship on Thursdays <script>alert(1)</script>"})
    digests = [
        tab.server.ask("/v1/recall", {"query": query, "mode": "lexical"}).json["receipt"]["digest"]
        for query in ("When do we ship?", "What do we ship on Thursdays?")
    ]
    page = tab.go("/receipts")

    page.get_by_label("Operation").fill("recall")
    page.keyboard.press("Enter")
    page.wait_for_url("**/receipts?operation=recall*")
    page.get_by_role("table").get_by_role("link", name=digests[0][7:19]).click()
    page.get_by_text("lifecycle", exact=True).click()
    page.get_by_text("selectionMode", exact=True).wait_for()
    page.get_by_label("Compare with another receipt").select_option(digests[1])

    page.get_by_role("row", name="asked.query_chars").wait_for()


def test_the_chain_is_verified(tab: Tab) -> None:
    page = tab.go("/receipts")

    page.get_by_role("link", name="Verify the chain").click()

    page.get_by_role("heading", name="The chain is intact").wait_for()


def test_routes_load(tab: Tab) -> None:
    tab.server.ask("/v1/route", {"query": "why did we choose tea"})
    page = tab.go("/routes")

    page.get_by_role("table", name="Routed questions").get_by_role("link").first.click()

    page.get_by_role("heading", name="Routed question").wait_for()
