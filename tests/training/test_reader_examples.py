"""Questions of the training conversations as the reader's network sees them, and what varying them keeps."""

from typing import Any

import pytest
from training.reader_examples import (
    DECISION,
    PARTS,
    REASONS,
    Example,
    Examples,
    Variation,
    of_question,
    without_question,
)
from training.reader_prepare import completed

from satchel.adapters.reader.layout import MAX_MESSAGES

ASKED: dict[str, Any] = {"ask": [7], "asks": "why", "answerable": True, "decision": [4], "reasons": [2, 3]}
NOTHING = {"names": 0.0, "longer": 0.0, "cut": 0.0, "without_reasons": 0.0, "dropped": 0.0}


def _talk(first: int, asked: dict[str, Any]) -> dict[str, Any]:
    acts: tuple[list[str], ...] = (["asks"], ["reason"], ["reason"], ["settles"], [], ["acts_on"])
    return {
        "messages": [
            {"name": [1], "role": [], "text": [first + place], "acts": list(did)} for place, did in enumerate(acts)
        ],
        "questions": [asked],
    }


TALK = _talk(20, ASKED)


def _varied(**shares: float) -> Example:
    return Examples([_talk(50, ASKED)], Variation(**{**NOTHING, **shares})).own(TALK, ASKED)


def _texts(one: Example, part: int) -> list[int]:
    return sorted(one.messages[place][-1] for place in one.parts[part])


def test_labels_are_where_the_question_says() -> None:
    one = of_question(TALK, ASKED)

    for part, name in enumerate(PARTS):
        assert [place + 1 for place in sorted(one.parts[part])] == ASKED.get(name, [])
    assert one.knows_reasons


def test_a_question_sees_only_what_was_said_before_it() -> None:
    one = of_question(TALK, {**ASKED, "asked_after": 4})

    assert [list(text) for text in one.messages] == [[20], [21], [22], [23]]


def test_another_conversation_answers_nothing() -> None:
    one = Examples([TALK], Variation(**NOTHING)).other(_talk(50, ASKED), ASKED)

    assert not any(one.parts) and not one.knows_reasons


@pytest.mark.parametrize("shares", [{"names": 1.0}, {"longer": 1.0}, {"dropped": 1.0}], ids=str)
def test_varied_conversations_keep_their_answer(shares: dict[str, float]) -> None:
    one = _varied(**shares)

    assert (_texts(one, DECISION), _texts(one, REASONS)) == ([23], [21, 22])
    assert len(one.acts) == len(one.messages) != 0


def test_a_conversation_cut_before_its_decision_has_none() -> None:
    one = _varied(cut=1.0)

    assert [list(text) for text in one.messages] == [[20], [21], [22]]
    assert not any(one.parts) and not one.knows_reasons


def test_without_its_reasons_a_decision_has_none() -> None:
    one = _varied(without_reasons=1.0)

    assert (_texts(one, DECISION), _texts(one, REASONS), one.knows_reasons) == ([23], [], True)


def test_a_conversation_without_a_question_is_labelled_with_what_still_holds() -> None:
    later = {**ASKED, "decision": [6], "replaced": [4]}
    one = without_question({**TALK, "questions": [ASKED, later]})

    assert (one.question, _texts(one, DECISION)) == ((), [25])


def test_a_part_of_a_long_conversation_is_read_with_its_decision() -> None:
    said = [{"name": [], "role": [], "text": [place], "acts": []} for place in range(MAX_MESSAGES + 10)]
    for decision in (1, 20, len(said)):
        asked = {**ASKED, "decision": [decision], "reasons": []}
        one = Examples([TALK], Variation(**NOTHING)).own({"messages": said, "questions": [asked]}, asked)

        assert (len(one.messages), _texts(one, DECISION)) == (MAX_MESSAGES, [decision - 1])


def test_labels_are_completed_from_others_of_the_conversation() -> None:
    messages = [{"number": 1, "content": "Still the Spreadsheet"}, {"number": 2, "content": "the bank's tool, then"}]
    why = {"answerable": True, "decision": [2], "reasons": [1]}
    before = {"answerable": True, "decision": [2], "before": "spreadsheet"}
    row = {"messages": messages, "questions": [why, before]}

    assert completed(before, row) == {"reasons": [1], "replaced": [1]}
    assert completed(why, row) == {"reasons": [1], "replaced": []}
    assert completed({"answerable": False}, row) == {}
