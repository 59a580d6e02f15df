"""Facts in Chromium."""

from tests.browser.conftest import Tab

HOSTILE = "<script>alert(1)</script> \u202eevil"


def test_a_bar_of_the_timeline_leads_to_its_row(tab: Tab) -> None:
    source = tab.server.ask("/v1/store", {"text": "Payments is live"}).json["result"]["id"]
    for value, since in (("beta", "2026-01-10"), (HOSTILE, "2026-05-01")):
        given = {"subject": HOSTILE, "predicate": "status", "object": value, "valid_from": since, "sources": [source]}
        assert tab.server.ask("/v1/fact_assert", given).status == 200
    page = tab.go("/facts")

    page.get_by_role("link", name="evil").click()
    page.locator(".timeline a").first.click()

    assert "#fact_" in page.url
    row = page.locator("tr:target")
    assert "beta" in row.inner_text()
    page.get_by_role("table").get_by_text("U+202E").first.wait_for()
    assert page.locator("main script").count() == 0


def test_contradictions_load(tab: Tab) -> None:
    for text in ("Always squash before merging", "Never squash before merging"):
        tab.server.ask("/v1/store", {"text": text, "kind": "preference"})
    page = tab.go("/facts")

    page.get_by_role("link", name="Contradictions").click()

    page.get_by_role("link", name="Never squash before merging").wait_for()
