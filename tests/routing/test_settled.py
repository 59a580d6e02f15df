"""What was said about a decision: the message that settled it stands first, and an open matter is not an answer."""

from array import array

from msgspec.structs import replace

from satchel.domain.conversation import Message, Speaker
from satchel.domain.record import Trust
from satchel.ports.reading import Discussion, Reading
from satchel.routing.lanes import LaneHit
from satchel.routing.settled import MAX_UNSETTLED, decision_text, of_that_time, settled_first, states_all
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


def _asks(text: str) -> bool:
    return False


def test_the_settling_message_is_as_relevant_as_the_question_that_it_settles() -> None:
    found = settled_first([_hit("msg:1", 0.9), _hit("msg:3", 0.1)], [_reading(0.5)], _unknown, _asks)

    assert [(one.id, one.relevance) for one in found] == [("msg:3", 0.9), ("msg:1", 0.9)]
    assert found[0].text == "gas then (because gas is cheaper here)"


def test_a_likely_decision_counts_by_its_likelihood_where_no_message_is_near() -> None:
    assert [one.relevance for one in settled_first([], [_reading(0.456)], _unknown, _asks)] == [0.46]


def test_without_a_decision_nothing_that_was_said_is_an_answer() -> None:
    said = [_hit("msg:1", 0.9), _hit("msg:9", 0.2)]
    limited = [("msg:1", MAX_UNSETTLED), ("msg:9", 0.2)]

    for reading in (_reading(0.04), _reading(0.9, undecided=True)):
        assert [(one.id, one.relevance) for one in settled_first(said, [reading], _unknown, _asks)] == limited


def test_a_reason_that_the_decision_states_itself_is_not_repeated() -> None:
    assert (
        decision_text("gas, it is cheaper", ["it is cheaper", "no new cable"])
        == "gas, it is cheaper (because no new cable)"
    )


def test_a_decision_is_as_relevant_as_its_discussion_by_words() -> None:
    assert [one.relevance for one in settled_first([], [_reading(0.25)], lambda discussion: 0.7, _asks)] == [0.7]


def test_what_was_decided_at_the_time_in_question_counts_if_its_discussion_is_about_it() -> None:
    own = _reading(0.1)

    assert [one.likelihood for one in of_that_time([], [own], lambda discussion: 0.6)] == [0.6]
    assert of_that_time([], [own], _unknown) == []
    assert [one.likelihood for one in of_that_time([_reading(0.3)], [own], lambda discussion: 0.6)] == [0.3]


def test_a_discussion_that_the_words_match_needs_less_likelihood() -> None:
    unlikely = _reading(0.1)

    assert [one.id for one in settled_first([], [unlikely], lambda discussion: 0.6, _asks)] == ["msg:3"]
    assert settled_first([], [unlikely], _unknown, _asks) == []


def test_a_message_that_states_all_that_is_asked_about_keeps_its_relevance() -> None:
    said = [_hit("msg:8", 0.9), _hit("msg:9", 0.8)]

    found = settled_first(said, [_reading(0.04)], _unknown, lambda text: text == "text of msg:8")

    assert [(one.id, one.relevance) for one in found] == [("msg:8", 0.9), ("msg:9", MAX_UNSETTLED)]


def test_a_discussion_that_was_left_open_answers_nothing_whatever_its_messages_state() -> None:
    found = settled_first([_hit("msg:1", 0.9)], [_reading(0.9, undecided=True)], _unknown, lambda text: True)

    assert [one.relevance for one in found] == [MAX_UNSETTLED]


@each_case("near, about, relevance", [(0.2, 0.0, MAX_UNSETTLED), (0.5, 0.0, 0.8), (0.2, 0.3, 0.8)], ids=str)
def test_a_decision_about_something_else_is_not_an_answer(near: float, about: float, relevance: float) -> None:
    reading = replace(_reading(0.8), near=near)

    assert [one.relevance for one in settled_first([], [reading], lambda discussion: about, _asks)] == [relevance]


@each_case(
    "text, states",
    [("gas is cheaper", True), ("is gas cheaper?", False), ("gas then", False), ("cheaper ovens burn gases", True)],
    ids=str,
)
def test_a_text_states_all_terms_if_it_holds_each_and_does_not_ask(text: str, states: bool) -> None:
    assert states_all(("cheap", "gas"), lambda text: text.endswith("?"))(text.replace("cheaper", "cheap")) is states
