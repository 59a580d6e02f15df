"""Queries about a time: what is of it answers, and if nothing is, the answer says so."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.domain.routing import RouterEnvelope
from satchel.routing.classify import classify
from tests.tables import each_case

NOW = datetime(2026, 3, 18, 15, tzinfo=UTC)  # a Wednesday


class SetClock:
    """Implements ports.Clock: the date is set by hand."""

    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> int:
        return int(self.at.timestamp() * 1000)

    def ticks(self) -> float:
        return 0.0


Store = tuple[Satchel, Callable[[str], None]]


@pytest.fixture
def dated(memory: Satchel) -> Satchel:
    clock = SetClock()
    store = Satchel(replace(memory.parts, clock=clock))
    for day, text in (
        (9, "The bakery changed its supplier of flour"),
        (13, "The oven of the bakery was repaired"),
        (17, "Ordered forty trays for the bakery"),
        (18, "Anna is ill until Friday"),
    ):
        clock.at = NOW.replace(day=day)
        store.store(text)
    clock.at = NOW
    for hour, text in ((9, "shall the checkout button be blue or green?"), (10, "green for the checkout button then")):
        store.conversations.add(text, conversation="shop", role="user", at=NOW.replace(hour=hour).isoformat())
    return store


def route(store: Satchel, query: str) -> RouterEnvelope:
    return store.routing.route(query).result


def first(envelope: RouterEnvelope) -> str:
    return envelope.results[0].content


@each_case(
    "query",
    [
        "what happened yesterday",
        "what was added since Monday",
        "what did we do today",
        "what's new this week",
        "did anything change last Friday",
        "yesterday, what was delivered",
        "what have we learned in the last three days",
        "summarise the changes of this week",
        "昨天發生了什麼",
        "上週改了什麼",
        "今天新增了哪些",
    ],
)
def test_a_question_about_a_time_asks_what_is_new(query: str) -> None:
    assert classify(query).rule == "recent"


@each_case(
    "query",
    [
        "is the bakery open on Monday",
        "send the report by Friday",
        "explain what happened yesterday",
        "what did we decide yesterday",
        "find the function today",
        "今天天氣",
        "meeting this week",
    ],
)
def test_a_date_alone_does_not(query: str) -> None:
    assert classify(query).rule != "recent"


@each_case(
    ("query", "expected"),
    [
        ("what happened yesterday", "Ordered forty trays for the bakery"),
        ("what was added today", "Anna is ill until Friday"),
        ("昨天發生了什麼", "Ordered forty trays for the bakery"),
        ("what happened last week", "The oven of the bakery was repaired"),
        ("what happened to the bakery last week", "The oven of the bakery was repaired"),
        ("what changed at the bakery since Monday", "Ordered forty trays for the bakery"),
        ("what did we discuss today", "green for the checkout button then"),
        ("what we just discussed about the checkout button", "green for the checkout button then"),
    ],
)
def test_what_is_of_the_time_answers_newest_first(dated: Satchel, query: str, expected: str) -> None:
    envelope = route(dated, query)

    assert first(envelope) == expected
    assert envelope.status.value == "success"


def test_only_what_is_of_the_time_is_returned(dated: Satchel) -> None:
    found = route(dated, "what happened last week").results
    assert {one.timestamp[:10] for one in found} == {"2026-03-09", "2026-03-13"}


@each_case("query", ["what happened to the bakery on Sunday", "what happened on Sunday"])
def test_without_a_match_the_answer_says_so_and_gives_the_nearest(dated: Satchel, query: str) -> None:
    envelope = route(dated, query)

    assert envelope.status.value == "partial"
    assert envelope.results
    assert envelope.trace
    assert envelope.trace.advice[0].startswith("nothing from Sunday; the nearest is of ")


def test_a_decision_of_another_time_is_not_the_answer(dated: Satchel) -> None:
    dated.conversations.add(
        "We decided to keep the old oven because a new one costs too much.",
        conversation="kitchen",
        role="user",
        at="2026-03-11T10:00:00Z",
    )
    assert route(dated, "what did we decide about the oven last week").status.value == "success"
    today = route(dated, "what did we decide about the oven today")
    assert (today.status.value, today.routed_to) == ("partial", "lossless")
    assert today.trace
    assert today.trace.advice[0].startswith("nothing from today")


def test_episodes_and_observations_are_among_what_is_new(dated: Satchel) -> None:
    dated.episodes.add(
        [{"text": "The mixer arrived damaged", "at": "2026-03-18T14:00:00Z", "session": "s", "speaker": "Anna"}]
    )
    found = route(dated, "what was said today").results
    assert "The mixer arrived damaged" in [one.content for one in found]


@pytest.fixture
def released(dated: Satchel) -> Satchel:
    """The bakery with a release on Tuesday at noon."""
    clock = dated.parts.clock
    assert isinstance(clock, SetClock)
    clock.at = NOW.replace(day=17, hour=12)
    dated.store("Deployed release 7 of the order page")
    clock.at = NOW
    return dated


def test_the_time_since_a_release_is_resolved_and_the_moment_is_named(released: Satchel) -> None:
    since = released.routing.route("what happened since the last release").result
    before = released.routing.route("what changed before release 7").result

    assert {one.content for one in since.results} == {
        "Ordered forty trays for the bakery",
        "Anna is ill until Friday",
        "shall the checkout button be blue or green?",
        "green for the checkout button then",
    }
    assert since.status == "success"
    assert since.trace is not None and "Tuesday 17 March 2026" in since.trace.advice[0]
    assert first(before) == "The oven of the bakery was repaired"


def test_an_event_that_nothing_states_is_said_and_never_an_answer(dated: Satchel) -> None:
    for query in ("what happened since the last release", "what changed since the flood"):
        answer = dated.routing.route(query).result

        assert answer.status == "partial"
        assert answer.trace is not None and "nothing here says when that was" in answer.trace.advice[0]


def test_an_unknown_event_in_a_question_about_a_decision_is_not_a_time(dated: Satchel) -> None:
    dated.conversations.add("We decided to close at six after the flood because the street was dark.")

    assert dated.routing.route("why did we decide to close at six after the flood").result.status == "success"


def test_decisions_of_a_day_are_listed_with_noted_ones(dated: Satchel) -> None:
    dated.conversations.add("We decided to bake rye on Mondays because it keeps.")
    dated.store("No deliveries on Sundays.", kind="decision")
    answer = dated.routing.route("what did we decide today").result

    assert answer.status == "success"
    assert {one.content for one in answer.results} == {
        "We decided to bake rye on Mondays because it keeps.",
        "No deliveries on Sundays.",
    }


@each_case("query", ["what did we decide yesterday", "昨天決定了什麼"])
def test_a_day_without_a_decision_is_never_an_answer_to_what_was_decided(dated: Satchel, query: str) -> None:
    answer = route(dated, query)

    assert (answer.status, first(answer)) == ("partial", "Ordered forty trays for the bakery")


def test_a_day_without_a_match_lists_what_is_of_it(dated: Satchel) -> None:
    answer = dated.routing.route("what exploded yesterday").result

    assert (answer.status, first(answer)) == ("partial", "Ordered forty trays for the bakery")


@each_case("query", ["what was the last thing Samira said", "what did Samira just say", "Samira刚才说了什么"])
def test_what_a_person_said_comes_before_what_others_said_about_that_person(dated: Satchel, query: str) -> None:
    for minute, (by, text) in enumerate((("Samira", "the flour is damp again"), ("Bram", "Samira is in the cellar"))):
        at = NOW.replace(hour=11, minute=minute).isoformat()
        dated.conversations.add(text, conversation="cellar", role="user", by=by, at=at)

    assert first(route(dated, query)) == "the flour is damp again"


@each_case("query", ["what did Samira say about the flour today", "what did Samira say today"])
def test_turns_of_a_person_come_before_those_of_others_about_that_person(dated: Satchel, query: str) -> None:
    dated.episodes.add(
        [
            {"text": text, "at": NOW.replace(hour=11, minute=minute).isoformat(), "session": by, "speaker": by}
            for minute, (by, text) in enumerate(
                (("Samira", "the flour is damp again"), ("Bram", "Samira finds the flour damp"))
            )
        ]
    )

    assert first(route(dated, query)) == "the flour is damp again"


def test_the_newest_that_matches_is_found_behind_others_that_match_better(dated: Satchel) -> None:
    for minute in range(6):
        text = f"the flour is {'dry' if minute else 'very, very damp today, call the mill and the driver'}"
        at = NOW.replace(hour=12, minute=59 - minute).isoformat()
        dated.conversations.add(text, conversation=f"mill-{minute}", role="user", at=at)

    found = dated.routing.route("what did we say about the flour recently", limit=2).result

    assert found.results[0].content.startswith("the flour is very, very damp")


@each_case(
    "query, expected",
    [
        ("what was said in the last 10 minutes", "the kiln is cold"),
        ("what did we talk about two hours ago", "the glaze is too thin"),
        ("过去十分钟内说了什么", "the kiln is cold"),
        ("兩小時前說了什麼", "the glaze is too thin"),
        ("what did we discuss a few minutes ago", "the kiln is cold"),
    ],
    ids=str,
)
def test_hours_and_minutes_are_times(dated: Satchel, query: str, expected: str) -> None:
    for ago, text in ((2 * 60, "the glaze is too thin"), (4, "the kiln is cold")):
        at = (NOW - timedelta(minutes=ago)).isoformat()
        dated.conversations.add(text, conversation="kiln", role="user", at=at)

    assert first(route(dated, query)) == expected


def test_a_few_minutes_ago_asks_for_the_newest_and_not_for_those_minutes(dated: Satchel) -> None:
    answer = route(dated, "what was said a few minutes ago about the checkout button")

    assert (answer.status, first(answer)) == ("success", "green for the checkout button then")


def test_the_minutes_of_something_else_are_no_time(dated: Satchel) -> None:
    dated.store("The glaze rests for 20 minutes.")

    assert first(route(dated, "how many minutes does the glaze rest")) == "The glaze rests for 20 minutes."
