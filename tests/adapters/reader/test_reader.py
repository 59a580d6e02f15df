"""The reader takes any discussion, and says what a question asks for."""

from array import array

import numpy as np
import pytest

from satchel.adapters.reader.features import smooth
from satchel.adapters.reader.network import MAX_MESSAGES, Scores
from satchel.adapters.reader.question import asks
from satchel.adapters.reader.reader import MAX_READ, NetworkReader, choose_parts, likelihood_of
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
    return DecisionQuestion(text, array("f", [0.05] * 384), tuple(text.split()), {})


@each_case(
    ("question", "expected"),
    [
        ("Why did we pick oak?", "why"),
        ("What was the reason for oak?", "why"),
        ("Why didn't we take pine?", "why_not"),
        ("What's wrong with pine? why not use it", "why_not"),
        ("What did we use before oak?", "before"),
        ("When was that settled?", "when"),
        ("Which wood is it?", "what"),
        ("為什麼不用松木?", "why_not"),
        ("为什么选橡木?", "why"),
        ("原本用的是什麼?", "before"),
        ("什么时候定的?", "when"),
        ("", "what"),
    ],
)
def test_what_a_question_asks_for(question: str, expected: str) -> None:
    assert asks(question) == expected


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
    talks = [_discussion("oak it is", "fine", name=f"talk{number}") for number in range(6)]
    found = NetworkReader().read(_question("why oak"), talks)

    assert len(found) == MAX_READ
    assert [one.likelihood for one in found] == sorted((one.likelihood for one in found), reverse=True)
    assert NetworkReader().read(_question("why oak"), []) == []


def test_reasons_come_after_what_was_replaced() -> None:
    decision, replaced = np.array([LOW, LOW, LOW, HIGH]), np.array([LOW, HIGH, LOW, LOW])
    parts = choose_parts(Scores(decision, np.array([HIGH, LOW, HIGH, LOW]), replaced, 0.0))

    assert (parts.decision, parts.reasons, parts.replaced) == (3, (2,), 1)


def test_only_an_earlier_message_is_replaced_and_at_most_three_are_reasons() -> None:
    high = np.full(5, HIGH)
    parts = choose_parts(Scores(np.array([HIGH, LOW, LOW, LOW, LOW]), high, high, 0.0))

    assert (parts.decision, parts.reasons, parts.replaced) == (0, (0, 1, 2), None)


def test_the_likelihood_grows_with_the_margin() -> None:
    choice = np.array([0.0, 1.0, 0.0, -2.0], np.float32)

    assert likelihood_of(choice, 0.0, 1.0, 0.0) == pytest.approx(0.5)
    assert likelihood_of(choice, 1.0, 1.0, 0.0) > 0.5 > likelihood_of(choice, 1.0, 1.0, 1.0)


def test_neighbours_count_less_the_farther_they_are() -> None:
    values = np.array([0.0, 0.0, 1.0], np.float32)

    assert smooth(values, 5, 0.5).tolist() == [0.25, 0.5, 1.0]
    assert smooth(values[:1], 3).tolist() == [0.0]
