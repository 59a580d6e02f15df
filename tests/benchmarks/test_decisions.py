"""The labelled conversations: their labels are sound, the parts are alike, and wrong labels are refused."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from bench.decisions import (
    PARTS,
    Conversation,
    Given,
    Message,
    Part,
    Question,
    fault,
    known_messages,
    problems,
    read_conversations,
)

from tests.tables import each_case

CONVERSATIONS = {part: read_conversations(part) for part in PARTS}
# The author of `blind` was asked for what people would ask, and for no share of any kind.
PLANNED = tuple(part for part in PARTS if part != "blind")
PAGE = Path(__file__).parents[2] / "docs" / "benchmarking.md"
ALL = [one for part in PARTS for one in CONVERSATIONS[part]]


def test_there_are_enough_conversations_and_questions_of_every_kind() -> None:
    languages = Counter(one.language for one in ALL)
    questions = [question for one in ALL for question in one.questions]

    assert len(ALL) >= 150 and len(questions) >= 330
    assert languages["en"] >= 85 and languages["zh"] >= 40 and languages["mixed"] >= 25
    assert min(Counter(one.kind for one in ALL).values()) >= 20
    planned = [question for part in PLANNED for one in CONVERSATIONS[part] for question in one.questions]
    assert sum(one.other_words for one in planned) >= len(planned) / 2
    assert {one.lacks for one in questions} == {
        None, "undecided", "unmentioned", "named", "others", "hypothetical", "rejected",
    }  # fmt: skip


def test_the_page_on_benchmarking_counts_them() -> None:
    languages = Counter(one.language for one in ALL)
    questions = [question for one in ALL for question in one.questions]
    page = " ".join(PAGE.read_text(encoding="utf-8").split())

    assert (
        f"{len(ALL)} conversations ({languages['en']} English, {languages['zh']} Chinese, {languages['mixed']} mixed"
        in page
    )
    assert f"{len(questions)} questions about what was decided" in page
    assert f"{sum(not one.answerable for one in questions)} have no answer" in page


@pytest.mark.parametrize("part", PLANNED)
def test_each_part_has_every_kind_of_question(part: Part) -> None:
    found = CONVERSATIONS[part]
    questions = [question for one in found for question in one.questions]

    assert len(found) >= 40
    assert sum(not one.answerable for one in questions) >= 30
    assert sum(bool(one.stale) for one in questions) >= 15
    assert sum(bool(one.replaced or one.before) for one in questions) >= 25
    assert any(one.answerable and not one.reasons for one in questions)
    assert min(Counter(one.asks for one in questions).values()) >= 5


def test_the_parts_have_no_conversation_message_or_question_in_common() -> None:
    assert len({one.id for one in ALL}) == len(ALL)
    for several in (_asked, _long_messages):
        for one, other in combinations(PARTS, 2):
            assert set(several(CONVERSATIONS[one])).isdisjoint(several(CONVERSATIONS[other]))


def test_a_question_asked_earlier_knows_only_the_messages_before() -> None:
    conversation = sound(asked_after=2)

    assert [one.number for one in known_messages(conversation, conversation.questions[0])] == [1, 2]
    assert len(known_messages(conversation, sound().questions[0])) == 4


@each_case(
    "changed",
    [
        {"decision": (5,)},
        {"asked_after": 1},
        {"asked_after": 9},
        {"required": (3,)},
        {"stale": (2,)},
        {"answerable": False},
        {"lacks": "named"},
        {"decision": (), "answerable": False, "lacks": "named"},
    ],
    ids=str,
)
def test_a_wrong_label_is_a_problem(changed: dict[str, object]) -> None:
    assert not list(problems(sound()))
    assert list(problems(sound(**changed)))


def test_reading_refuses_messages_out_of_order(tmp_path: Path) -> None:
    one = sound()
    mixed = msgspec.structs.replace(one, messages=one.messages[::-1])
    (tmp_path / "held.jsonl").write_bytes(msgspec.json.encode(mixed))

    with pytest.raises(ValueError, match=r"kettle: messages are not numbered from 1; kettle: .*order of time"):
        read_conversations("held", tmp_path)


@each_case(
    "changed, given, expected",
    [
        ({}, Given(2, frozenset({2})), None),
        ({}, Given(), "not found"),
        ({}, Given(4, frozenset({2})), "another decision"),
        ({}, Given(2), "without its reason"),
        ({"asks": "what"}, Given(2), None),
        ({"reasons": (1, 2), "required": (1,)}, Given(2, frozenset({2})), "without one of its reasons"),
        ({"reasons": ()}, Given(2, frozenset({1})), "made up a reason"),
        ({"stale": (1,)}, Given(2, frozenset({1, 2})), "gives as current what no longer holds"),
        ({"stale": (1,)}, Given(1), "gives as current what no longer holds"),
        ({"replaced": (1,)}, Given(2, frozenset({2})), "without what it replaced"),
        ({"replaced": (1,)}, Given(2, frozenset({2}), frozenset({1})), None),
        ({"replaced": (1,), "before": "glass"}, Given(2, frozenset({2}), before="the Glass one"), None),
        ({"before": "glass"}, Given(2, frozenset({2})), None),
        ({"before": "glass", "asks": "before"}, Given(2), "without what it replaced"),
        ({}, Given(2, frozenset({2}), frozenset({1})), "replaced something else"),
        ({"decision": (), "reasons": (), "answerable": False, "lacks": "named"}, Given(), None),
        ({"decision": (), "reasons": (), "answerable": False, "lacks": "named"}, Given(2), "made up an answer"),
    ],
    ids=str,
)
def test_an_answer_is_right_in_its_decision_its_reasons_and_what_it_replaced(
    changed: dict[str, object], given: Given, expected: str | None
) -> None:
    assert fault(sound(**changed).questions[0], given) == expected


def sound(**changed: object) -> Conversation:
    said = ("steel or glass?", "steel, it survives the stairs", "👍", "ordered")
    messages = tuple(Message(n, "user", "Ann", f"2025-01-01T10:0{n}:00Z", text) for n, text in enumerate(said, 1))
    question = Question("Why a steel kettle?", "why", True, True, decision=(2,), reasons=(2,))
    return Conversation("kettle", "en", "chat", (), messages, (msgspec.structs.replace(question, **changed),))


def _asked(conversations: Iterable[Conversation]) -> list[str]:
    return [question.ask for one in conversations for question in one.questions]


def _long_messages(conversations: Iterable[Conversation]) -> list[str]:
    """Return what was said at length: "ok" and "thanks" may be said everywhere."""
    return [message.content for one in conversations for message in one.messages if len(message.content) > 20]
