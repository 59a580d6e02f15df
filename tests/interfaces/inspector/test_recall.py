"""The recall playground, as HTML."""

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser
from tests.interfaces.inspector.test_memories import store
from tests.tables import each_case


def test_without_a_question_there_is_the_form(browser: Browser) -> None:
    page = browser.get("/recall")

    assert "Question" in page.text
    assert "Contributions" not in page.text


def test_words_meaning_and_both_are_side_by_side_with_contributions(server: Server, browser: Browser) -> None:
    store(server, "the walrus sleeps on ice", scope="ice", importance=0.9)
    store(server, "the walrus was somewhere else", scope="ice", valid_to="2001-01-01")

    text = browser.get("/recall?q=walrus&scope=ice").text

    for title in ("Both", "Words", "Meaning"):
        assert f"{title} " in text
    assert "words #1" in text
    assert "meaning #1" in text
    assert "expired it is no longer valid: the walrus was somewhere else" in text


def test_every_scope_can_be_searched_and_each_hit_shows_its_scope(server: Server, browser: Browser) -> None:
    store(server, "the puffin nests in burrows", scope="birds/puffin")
    store(server, "the puffin stamp costs a pound", scope="stamps/puffin")

    everywhere = browser.get("/recall?q=puffin&scope=*").text

    assert "· birds/puffin ·" in everywhere and "· stamps/puffin ·" in everywhere
    assert "stamp costs" not in browser.get("/recall?q=puffin&scope=birds/puffin").text


def test_what_was_excluded_then_and_is_forgotten_now_has_no_text(server: Server, browser: Browser) -> None:
    gone = store(server, "the heron was somewhere else", scope="heron", valid_to="2001-01-01")
    then = server.ask("/v1/tag_list").json["result"]["seq"]
    server.ask("/v1/forget", {"id": gone, "scope": "heron"})

    page = browser.get(f"/recall?q=heron&scope=heron&as_of={then}")

    assert "somewhere else" not in page.text


def test_an_earlier_point_answers_from_the_memories_of_then(server: Server, browser: Browser) -> None:
    store(server, "the crane is red", scope="crane")
    then = server.ask("/v1/tag_list").json["result"]["seq"]
    store(server, "the crane is blue now and then", scope="crane")

    earlier = browser.get(f"/recall?q=crane&scope=crane&as_of={then}").text

    assert "crane is red" in earlier
    assert "crane is blue" not in earlier
    assert f"As of change {then}" in earlier
    assert "crane is blue" in browser.get("/recall?q=crane&scope=crane").text


@each_case("query", ["q=a&as_of=999999999", "q=a&as_of=nothing", "q=a&scope=No+Scope"])
def test_a_wrong_question_is_one_clear_error(browser: Browser, query: str) -> None:
    reply = browser.reply(f"/recall?{query}")

    assert reply.status in (400, 404)
    assert b"That did not work" in reply.body
