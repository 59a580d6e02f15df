"""What was said about a decision: the message that settled it stands first, and an open matter is not an answer."""

from array import array

from msgspec.structs import replace

from satchel.domain.conversation import Message, Speaker
from satchel.domain.periods import Period
from satchel.domain.record import Trust
from satchel.ports.reading import Discussion, Reading
from satchel.routing.lanes import LaneHit
from satchel.routing.settled import (
    FOLLOWING,
    MAX_UNSETTLED,
    contains_question,
    decision_text,
    held_in,
    of_that_time,
    settled_first,
    states_all,
    without_open_questions,
)
from tests.tables import each_case

SAID = ("which oven, gas or electric?", "gas is cheaper here", "gas then")


def _reading(likelihood: float, *, undecided: bool = False) -> Reading:
    messages = tuple(
        Message(f"msg:{place}", place, Speaker.USER, text, place, Trust.TRUSTED) for place, text in enumerate(SAID, 1)
    )
    discussion = Discussion("global", "oven", messages, tuple(array("f", [1.0]) for _ in messages))
    return Reading(discussion, messages[2], (messages[1],), None, 0.5, likelihood, undecided)


def _hit(ref: str, relevance: float) -> LaneHit:
    return LaneHit(ref, f"text of {ref}", relevance, 1, was_said=True)


def _unknown(discussion: Discussion) -> float:
    return 0.0


def _states(text: str) -> bool:
    return False


def _asks(text: str) -> bool:
    return text.endswith("?")


def test_the_settling_message_is_as_relevant_as_the_question_that_it_settles() -> None:
    found = settled_first([_hit("msg:1", 0.9), _hit("msg:3", 0.1)], [_reading(0.5)], _unknown, _states, _asks)

    assert [(one.id, one.relevance) for one in found] == [("msg:3", 0.9), ("msg:1", 0.9)]
    assert found[0].text == "gas then (because gas is cheaper here)"


def test_a_likely_decision_counts_by_its_likelihood_where_no_message_is_near() -> None:
    assert [one.relevance for one in settled_first([], [_reading(0.456)], _unknown, _states, _asks)] == [0.46]


def test_without_a_decision_nothing_that_was_said_is_an_answer() -> None:
    said = [_hit("msg:1", 0.9), _hit("msg:9", 0.2)]
    limited = [("msg:1", MAX_UNSETTLED), ("msg:9", 0.2)]

    for reading in (_reading(0.04), _reading(0.9, undecided=True)):
        assert [(one.id, one.relevance) for one in settled_first(said, [reading], _unknown, _states, _asks)] == limited


def test_if_nothing_was_read_as_decided_what_followed_the_question_is_listed_after_it() -> None:
    asking = replace(_hit("msg:1", 0.9), text=SAID[0])
    found = settled_first([asking, _hit("msg:2", 0.1)], [_reading(0.04)], _unknown, _states, _asks)

    assert [(one.id, one.relevance) for one in found] == [
        ("msg:1", MAX_UNSETTLED),
        ("msg:2", FOLLOWING),
        ("msg:3", FOLLOWING),
    ]


def test_a_reason_that_the_decision_states_itself_is_not_repeated() -> None:
    assert (
        decision_text("gas, it is cheaper", ["it is cheaper", "no new cable"])
        == "gas, it is cheaper (because no new cable)"
    )


def test_a_decision_is_as_relevant_as_its_discussion_by_words() -> None:
    assert [one.relevance for one in settled_first([], [_reading(0.25)], lambda discussion: 0.7, _states, _asks)] == [
        0.7
    ]


def test_what_was_decided_at_the_time_in_question_counts_if_its_discussion_is_about_it() -> None:
    own = _reading(0.1)

    assert [one.likelihood for one in of_that_time([], [own], lambda discussion: 0.6)] == [0.6]
    assert of_that_time([], [own, _reading(0.9)], _unknown) == []
    assert [one.likelihood for one in of_that_time([_reading(0.3)], [own], lambda discussion: 0.6)] == [0.3]


def test_a_discussion_that_the_words_match_needs_less_likelihood() -> None:
    unlikely = _reading(0.1)

    assert [one.id for one in settled_first([], [unlikely], lambda discussion: 0.6, _states, _asks)] == ["msg:3"]
    assert settled_first([], [unlikely], _unknown, _states, _asks) == []


def test_a_message_that_states_all_that_is_asked_about_keeps_its_relevance() -> None:
    said = [_hit("msg:8", 0.9), _hit("msg:9", 0.8)]

    found = settled_first(said, [_reading(0.04)], _unknown, lambda text: text == "text of msg:8", _asks)

    assert [(one.id, one.relevance) for one in found] == [("msg:8", 0.9), ("msg:9", MAX_UNSETTLED)]


def test_a_discussion_that_was_left_open_answers_nothing_whatever_its_messages_state() -> None:
    found = settled_first([_hit("msg:1", 0.9)], [_reading(0.9, undecided=True)], _unknown, lambda text: True, _asks)

    assert [one.relevance for one in found] == [MAX_UNSETTLED]


@each_case("near, about, relevance", [(0.2, 0.0, MAX_UNSETTLED), (0.5, 0.0, 0.8), (0.2, 0.3, 0.8)], ids=str)
def test_a_decision_about_something_else_is_not_an_answer(near: float, about: float, relevance: float) -> None:
    reading = replace(_reading(0.8), near=near)

    assert [one.relevance for one in settled_first([], [reading], lambda discussion: about, _states, _asks)] == [
        relevance
    ]


@each_case(
    "text, states",
    [
        ("gas is cheaper", True),
        ("is gas cheaper?", False),
        ("gas then", False),
        ("cheaper ovens burn gases", True),
        ("is gas cheaper? the neighbours say so", False),
        ("why not? gas is cheaper", True),
        ("everybody wants gas, gas is cheaper. which oven?", False),
    ],
    ids=str,
)
def test_a_text_states_all_terms_if_it_holds_each_and_does_not_ask(text: str, states: bool) -> None:
    assert states_all(("cheap", "gas"), lambda text: text.endswith("?"))(text.replace("cheaper", "cheap")) is states


def test_a_single_word_says_what_a_text_is_about_but_not_that_anything_was_decided() -> None:
    assert not states_all(("gas",), _asks)("gas is cheaper")


def test_a_decision_about_something_else_comes_after_what_was_said_about_the_matter() -> None:
    reading = replace(_reading(0.8), near=0.2)

    found = settled_first([_hit("msg:9", MAX_UNSETTLED)], [reading], _unknown, _states, _asks)

    assert [one.id for one in found] == ["msg:9", "msg:3"]


@each_case(
    ("later", "before", "decided"),
    [
        ("should the kitchen get a roof?", 0.0, False),
        ("should the kitchen get a roof?", 0.5, True),
        ("what did we decide about the oven?", 0.0, True),
        ("the roof is up", 0.0, True),
    ],
    ids=str,
)
def test_what_was_decided_before_the_matter_was_raised_does_not_settle_it(
    later: str, before: float, decided: bool
) -> None:
    reading = _reading(0.5)
    raised = Message("msg:4", 4, Speaker.USER, later, 4, Trust.TRUSTED)
    reading = replace(reading, discussion=replace(reading.discussion, messages=(*reading.discussion.messages, raised)))
    said = [replace(_hit("msg:4", 0.9), text=later), _hit("msg:1", before)]

    found = settled_first(said, [reading], _unknown, _states, _asks)

    assert (found[0].id, found[0].relevance) == (("msg:3", 0.9) if decided else ("msg:4", MAX_UNSETTLED))


def test_what_was_said_is_never_more_relevant_than_a_weak_decision() -> None:
    found = settled_first([_hit("msg:9", 0.9)], [_reading(0.2)], _unknown, _states, _asks)

    assert [(one.id, one.relevance) for one in found] == [("msg:3", 0.2), ("msg:9", 0.2)]


def test_where_nothing_was_decided_the_message_that_asks_stands_first() -> None:
    asking = replace(_hit("msg:2", 0.8), text="shall we bake it twice?")

    found = settled_first([_hit("msg:1", 0.9), asking], [_reading(0.01)], _unknown, _states, _asks)

    assert [one.id for one in found] == ["msg:2", "msg:3", "msg:1"]


@each_case("text, relevance", [("twice? it would be too dry", MAX_UNSETTLED), ("twice, it is better", 0.9)], ids=str)
def test_a_question_settles_nothing_whatever_follows_it(text: str, relevance: float) -> None:
    said = [replace(_hit("msg:1", 0.9), text=text)]

    found = without_open_questions(said, contains_question(lambda one: one.endswith("?")), _states)

    assert [one.relevance for one in found] == [relevance]


@each_case("since, until, decision", [(1, 3, "msg:2"), (1, 9, "msg:3"), (7, 9, "msg:3")], ids=str)
def test_what_was_replaced_later_counts_as_the_decision_of_its_time(since: int, until: int, decision: str) -> None:
    reading = _reading(0.8)
    reading = replace(reading, replaced=reading.discussion.messages[1])

    assert [one.decision.ref for one in held_in(Period(since, until, "then"), [reading])] == [decision]
