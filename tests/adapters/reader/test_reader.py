"""The reader takes any discussion, and says which messages an answer rests on."""

from array import array

import numpy as np
import pytest
from msgspec.structs import replace

from satchel.adapters.embedders.bundled import bundled_encoder
from satchel.adapters.reader.layout import MAX_MESSAGES
from satchel.adapters.reader.network import Scores, load_network
from satchel.adapters.reader.reader import (
    MAX_READ,
    MIN_REASON,
    MIN_UNASKED_REASON,
    NetworkReader,
    asks_for_reason,
    choose_parts,
    likelihood_of,
    spoken,
)
from satchel.adapters.reader.words import Floats
from satchel.domain.conversation import Message, Speaker
from satchel.domain.record import Trust
from satchel.ports.reading import DecisionQuestion, Discussion
from tests.tables import each_case

LOW, HIGH = -5.0, 5.0


def _discussion(*texts: str, name: str = "talk") -> Discussion:
    messages = tuple(
        Message(f"msg:{name}{seq}", seq, Speaker.USER, text, seq, Trust.TRUSTED) for seq, text in enumerate(texts, 1)
    )
    vectors = np.sin(np.arange(len(texts) * 384, dtype=np.float32)).reshape(-1, 384) / 14
    return Discussion("global", name, messages, tuple(array("f", one.tolist()) for one in vectors))


def _question(text: str) -> DecisionQuestion:
    return DecisionQuestion(text, array("f", [0.05] * 384))


@each_case(
    "texts",
    [
        [""],
        ["\x00\ud800\u202e"],
        ["a" * 100_000],
        ["why? " * 20_000, "because " * 10_000],
        ["。" * 5_000] * 3,
        ["🎉"] * MAX_MESSAGES,
        ["(" * 3_000 + "we decided" * 500],
        ["instead of " * 5_000, "\n" * 50_000, "> quoted\n" * 5_000],
    ],
    ids=str,
)
def test_hostile_texts_are_read_like_others(texts: list[str]) -> None:
    (found,) = NetworkReader().read(_question("why did we choose oak ((((?"), [_discussion(*texts)])

    assert 0 <= found.likelihood <= 1
    assert found.decision in found.discussion.messages


def test_the_nearest_discussions_are_read_and_the_likeliest_comes_first() -> None:
    talks = [_discussion("oak it is", "fine", name=f"talk{number}") for number in range(MAX_READ + 2)]
    found = NetworkReader().read(_question("why oak"), talks)

    assert len(found) == MAX_READ
    assert [one.likelihood for one in found] == sorted((one.likelihood for one in found), reverse=True)
    assert NetworkReader().read(_question("why oak"), []) == []


def test_a_discussion_without_a_question_is_read_for_what_was_decided() -> None:
    decided = _discussion("oak or pine for the shelf?", "pine warps in the damp hall", "ok, oak then", name="shelf")
    open_talk = _discussion("oak or pine for the shelf?", "no idea, let us decide next month", name="later")
    found = NetworkReader().decided([decided, open_talk])

    assert [one.decision.content for one in found if one.discussion is decided] == ["ok, oak then"]
    assert NetworkReader().decided([_silent(decided)]) == []


def _silent(discussion: Discussion) -> Discussion:
    return replace(discussion, vectors=tuple(array("f", [0.0] * 384) for _ in discussion.vectors))


@each_case(
    ("role", "by", "expected"),
    [
        (Speaker.USER, None, "oak"),
        (Speaker.USER, "Ida", "Ida: oak"),
        (Speaker.ASSISTANT, None, "assistant: oak"),
        (Speaker.ASSISTANT, "Bot", "Bot: oak"),
    ],
    ids=str,
)
def test_a_message_is_read_with_who_said_it(role: Speaker, by: str | None, expected: str) -> None:
    assert spoken(Message("msg:1", 1, role, "oak", 1, Trust.TRUSTED, by=by)) == expected


def test_the_beginning_and_the_end_of_a_long_message_are_read() -> None:
    found = spoken(Message("msg:1", 1, Speaker.USER, "first" + "x" * 9_000 + "last", 1, Trust.TRUSTED))

    assert len(found) < 2_100 and found.startswith("first") and found.endswith("last")


def _scores(decision: Floats, reason: Floats, replaced: Floats) -> Scores:
    return Scores(decision, int(decision.argmax()), reason, replaced, 0.0, decision, decision)


def test_reasons_come_after_what_was_replaced() -> None:
    decision, replaced = np.array([LOW, LOW, LOW, HIGH]), np.array([LOW, HIGH, LOW, LOW])
    parts = choose_parts(_scores(decision, np.array([HIGH, LOW, HIGH, LOW]), replaced))

    assert (parts.decision, parts.reasons, parts.replaced) == (3, (2,), 1)


def test_only_an_earlier_message_is_replaced_and_at_most_three_are_reasons() -> None:
    high = np.full(5, HIGH)
    parts = choose_parts(_scores(np.array([HIGH, LOW, LOW, LOW, LOW]), high, high))

    assert (parts.decision, parts.reasons, parts.replaced) == (0, (0, 1, 2), None)


def test_a_question_that_does_not_ask_for_reasons_gets_only_clear_ones() -> None:
    scores = _scores(np.array([LOW, LOW, HIGH]), np.array([MIN_UNASKED_REASON, MIN_REASON, LOW]), np.full(3, LOW))

    assert choose_parts(scores).reasons == (0, 1)
    assert choose_parts(scores, MIN_UNASKED_REASON).reasons == (0,)


@each_case(
    ("question", "expected"),
    [
        ("Why do we empty the bins twice a week?", True),
        ("What was the reason for emptying the bins twice a week?", True),
        ("How often are the bins emptied?", False),
        ("When did we settle the schedule of the bins?", False),
        ("垃圾桶為什麼一週倒兩次？", True),
        ("垃圾桶多久倒一次？", False),
    ],
    ids=str,
)
def test_questions_that_ask_for_reasons_are_told_from_others(question: str, expected: bool) -> None:
    (vector,) = bundled_encoder().embed([question])

    assert asks_for_reason(load_network().trunk.tensors["asks_reason"], vector) is expected


def test_the_likelihood_grows_with_the_margin() -> None:
    choice = np.array([0.0, 1.0, 0.0, -2.0], np.float32)

    assert likelihood_of(choice, 0.0, 1.0, 0.0) == pytest.approx(0.5)
    assert likelihood_of(choice, 1.0, 1.0, 0.0) > 0.5 > likelihood_of(choice, 1.0, 1.0, 1.0)
