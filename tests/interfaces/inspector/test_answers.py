"""Turns, packs and packets, as HTML."""

from typing import Any

import pytest

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser
from tests.tables import each_case

SHOP = "project/shop"


@pytest.fixture(scope="module")
def stored(server: Server) -> dict[str, str]:
    """A store with turns, packs and packets; the ids of its memories."""
    texts: dict[str, dict[str, Any]] = {
        "release": {"text": "Before a release: run the smoke tests", "kind": "procedure", "importance": 0.8},
        "tone": {"text": "Answer customers in short sentences", "kind": "preference", "importance": 0.6},
        "page": {"text": "A page says that a release needs no tests", "source_kind": "web"},
    }
    ids = {name: _done(server, "store", scope=SHOP, **given)["id"] for name, given in texts.items()}
    _done(server, "turn_start", scope=SHOP)
    _done(server, "turn_before", prompt="How do we release? Which tests?", scope=SHOP, mode="lexical")
    _done(server, "turn_before", prompt="hello", scope="home")
    _done(server, "turn_after", messages=[{"role": "user", "content": "From now on, always use tabs."}], scope=SHOP)
    _done(server, "pack", query="prepare the release", scope=SHOP, budget_tokens=300)
    for role in ("planner", "critic"):
        _done(server, "attention_route", goal="ship the release", step_role=role, scope=SHOP)
    _done(server, "attention_route", goal="write to a customer", step_role="responder", scope=SHOP)
    return ids


def _done(server: Server, operation: str, **given: Any) -> Any:
    reply = server.ask(f"/v1/{operation}", given)
    assert reply.status == 200, reply.body
    return reply.json["result"]


@pytest.mark.usefixtures("stored")
def test_turns_are_listed_with_their_items_and_budget(browser: Browser) -> None:
    page = browser.get("/turns")

    for name in ("before a prompt", "start of a session", "captured after a turn"):
        assert name in page.text
    assert "nothing was recalled: the prompt is trivial" in page.text
    assert "of 1,800 characters" in page.text
    assert len(page.links("/turns/sha256")) == 4


@pytest.mark.usefixtures("stored")
def test_turns_are_filtered_by_kind_and_scope(browser: Browser) -> None:
    assert len(browser.get("/turns?operation=turn+before").links("/turns/sha256")) == 2
    assert len(browser.get(f"/turns?operation=turn+before&scope={SHOP}").links("/turns/sha256")) == 1
    assert browser.get("/turns?scope=nowhere").links("/turns/sha256") == []


def test_a_turn_says_why_each_item_is_in_the_prompt(browser: Browser, stored: dict[str, str]) -> None:
    (turn,) = browser.get(f"/turns?operation=turn+before&scope={SHOP}").links("/turns/sha256")

    page = browser.get(turn)

    before, _, after = page.html.partition("Left out")
    assert f"/memories/{stored['release']}" in before
    assert "it ranked" in before and "number 1 of" in before and "lexical +" in before
    assert f"/memories/{stored['page']}" in after
    assert "it is untrusted, and trusted memories answer" in after
    assert "only words were searched" in page.text
    assert page.links("/receipts/sha256")


@pytest.mark.usefixtures("stored")
def test_packs_are_listed_and_explained(browser: Browser) -> None:
    page = browser.get("/packs?operation=pack")

    (pack,) = page.links("/packs/sha256")
    assert "of 300 tokens" in page.text
    assert "Before a release: run the smoke tests" in page.text
    assert "Before a release: run the smoke tests" in browser.get(pack).text
    assert len(browser.get("/packs").links("/packs/sha256")) == 4
    assert "packet of the planner" in browser.get("/packs").text


@pytest.mark.usefixtures("stored")
def test_packets_of_the_same_goal_stand_side_by_side(browser: Browser) -> None:
    newest = browser.get(f"/packs/roles?scope={SHOP}")
    older = newest.html.partition(">ship the release<")[0].rpartition('value="')[2].partition('"')[0]

    page = browser.get(f"/packs/roles?scope={SHOP}&packet={older}")

    assert "<h2><bdi" in newest.html and ">write to a customer</bdi></h2>" in newest.html
    assert ">ship the release</bdi></h2>" in page.html
    assert page.html.count("No packet for this role") == 2
    assert page.text.index("Planner") < page.text.index("Critic")
    # Without a scope, the one with the most memories is shown.
    assert browser.get("/packs/roles").links() == newest.links()


@pytest.mark.usefixtures("stored")
@each_case("path", ["/turns", "/packs", "/graph", "/graph?name=nothing", "/facts", "/routes", "/receipts"])
def test_a_field_for_a_scope_offers_those_that_there_are(browser: Browser, path: str) -> None:
    page = browser.reply(path).body.decode()

    assert 'name="scope" value="" list="scopes"' in page
    assert f'<datalist id="scopes"><option value="{SHOP}">' in page


def test_packets_of_an_empty_scope_say_how_to_make_one(browser: Browser) -> None:
    assert "satchel attention route" in browser.get("/packs/roles?scope=nowhere").text


def test_older_answers_are_on_the_next_page(server: Server, browser: Browser) -> None:
    for number in range(45):
        _done(server, "pack", query=f"walrus {number}", scope="many")
    first = browser.get("/packs?scope=many")
    (following,) = first.links("/packs?before=")

    second = browser.get(following)
    assert (len(first.links("/packs/sha256")), len(second.links("/packs/sha256"))) == (40, 5)
    assert second.links("/packs?before=") == []
    assert not set(first.links("/packs/sha256")) & set(second.links("/packs/sha256"))


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/turns/sha256:000000000000", 404),
        ("/turns/%00", 404),
        ("/turns?before=x", 400),
        ("/turns?before=-1", 400),
        ("/turns?before=99999999999999999999", 400),
        ("/packs/roles?scope=%21", 400),
    ],
)
def test_a_bad_address_is_an_error_page(browser: Browser, path: str, status: int) -> None:
    reply = browser.reply(path)

    assert reply.status == status
    assert b"That did not work" in reply.body
    section = path.split("/")[1].partition("?")[0]
    assert f'<a href="/{section}">{section.capitalize()}</a> · <a href="/">Home</a>'.encode() in reply.body
