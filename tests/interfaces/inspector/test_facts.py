"""Facts, as HTML."""

from typing import Any

import pytest

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser

SHOP = "project/shop"


@pytest.fixture(scope="module")
def facts(server: Server) -> dict[str, str]:
    """Facts about two subjects; the ids of some."""
    source = _done(server, "store", text="Payments is live", scope=SHOP)["id"]
    told = {
        "beta": ("payments", "status", "beta", "2026-01-10"),
        "live": ("payments", "status", "live", "2026-05-01"),
        "Mia": ("payments", "owns", "Mia", "2026-02-01"),
        "hostile": ("<b>search</b>", "status", "<script>alert(1)</script>", "2026-02-01"),
    }
    ids = {
        name: _done(
            server, "fact_assert", subject=subject, predicate=predicate, object=value, valid_from=since,
            sources=[source], scope=SHOP,
        )["fact"]["id"]
        for name, (subject, predicate, value, since) in told.items()
    }  # fmt: skip
    return ids | {"source": source}


def _done(server: Server, operation: str, **given: Any) -> Any:
    reply = server.ask(f"/v1/{operation}", given)
    assert reply.status == 200, reply.body
    return reply.json["result"]


@pytest.mark.usefixtures("facts")
def test_subjects_are_listed_and_opened(browser: Browser) -> None:
    page = browser.get("/facts")

    assert page.links("/facts/subject") == [
        "/facts/subject?name=%3Cb%3Esearch%3C%2Fb%3E&scope=project%2Fshop",
        "/facts/subject?name=payments&scope=project%2Fshop",
    ]
    assert "payments project/shop 3 2026-01-10 2026-05-01" in page.text
    reply = browser.reply(f"/facts?subject=payments&scope={SHOP}")
    assert (reply.status, reply.headers["location"]) == (303, "/facts/subject?name=payments&scope=project%2Fshop")


@pytest.mark.usefixtures("facts")
def test_a_subject_is_found_in_whichever_scope_and_case(server: Server, browser: Browser) -> None:
    for scope in ("lab", "lab/two"):
        source = _done(server, "store", text="Search is down", scope=scope)["id"]
        _done(server, "fact_assert", subject="search", predicate="status", object="down", sources=[source], scope=scope)

    one = browser.reply("/facts?subject=Payments")
    several = browser.get("/facts?subject=search")

    assert (one.status, one.headers["location"]) == (303, "/facts/subject?name=payments&scope=project%2Fshop")
    assert several.links("/facts/subject") == [
        "/facts/subject?name=search&scope=lab",
        "/facts/subject?name=search&scope=lab%2Ftwo",
    ]
    assert "No facts about “nobody”." in browser.get("/facts?subject=nobody").text


def test_a_subject_has_its_timeline_and_what_replaced_what(browser: Browser, facts: dict[str, str]) -> None:
    page = browser.get(f"/facts/subject?name=payments&scope={SHOP}")

    assert page.html.count("<rect ") == 3
    assert f'<tr id="{facts["beta"]}">' in page.html
    assert f"replaced by {facts['live'][:13]}" in page.text
    assert f"replaces {facts['beta'][:13]}" in page.text
    assert "confidence: as its sources allow" in page.text
    assert f"/memories/{facts['source']}" in page.links()


def test_a_fact_that_is_no_longer_true_has_ended(server: Server, browser: Browser, facts: dict[str, str]) -> None:
    given = {"subject": "beta", "predicate": "status", "object": "open", "sources": [facts["source"]], "scope": SHOP}
    _done(server, "fact_assert", **given, valid_from="2020-01-01", valid_to="2021-01-01")

    text = browser.get(f"/facts/subject?name=beta&scope={SHOP}").text
    assert "2020-01-01 2021-01-01 ended trusted" in text


@pytest.mark.usefixtures("facts")
def test_hostile_names_and_values_stay_text(browser: Browser) -> None:
    page = browser.get("/facts/subject?name=%3Cb%3Esearch%3C%2Fb%3E&scope=project%2Fshop")

    assert "<b>search" not in page.html
    assert "<script>alert" not in page.html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.html


def test_an_unknown_subject_says_so(browser: Browser) -> None:
    assert "There are no facts about this subject" in browser.get("/facts/subject?name=nobody").text


def test_contradictions_of_memories_and_facts_are_listed(server: Server, browser: Browser) -> None:
    for text in ("Always squash before merging", "Never squash before merging"):
        _done(server, "store", text=text, kind="preference", scope="conflicts")

    page = browser.get("/facts/conflicts?scope=conflicts")

    assert "Never squash before merging" in page.text
    assert len(page.links("/memories/")) == 2
    assert "None among the 0 facts checked" in page.text
    assert browser.get("/facts/conflicts?scope=nowhere").links("/memories/") == []
    # Without a scope, the one with the most memories is compared.
    assert browser.get("/facts/conflicts").links("/memories/") == page.links("/memories/")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/facts?after=nothing", 400),
        ("/facts?scope=%21", 400),
        ("/facts/subject?name=x&scope=%21", 400),
        ("/facts/conflicts?scope=%21", 400),
    ],
)
def test_a_bad_address_is_an_error_page(browser: Browser, path: str, status: int) -> None:
    reply = browser.reply(path)

    assert reply.status == status
    assert b"That did not work" in reply.body


@pytest.mark.usefixtures("facts")
def test_without_a_subject_the_list_of_subjects_is_shown(browser: Browser) -> None:
    assert "/facts/subject?name=payments&scope=project%2Fshop" in browser.get(f"/facts/subject?scope={SHOP}").links()
