"""Labelled conversations: `why` gives the decision, its reason and what it replaced, or nothing."""

import pytest

from satchel.app import Satchel
from tests.conversations.labelled import add_conversation, cases, fault, scope_of
from tests.tables import each_case

# In the order of writing; all but the first were written after the rules.
SETS = ("known", "held", "unseen", "later")
MIN_ACCURACY = 0.95


def _faults(memory: Satchel, name: str) -> tuple[list[str], int]:
    wrong, asked = [], 0
    for case in cases(name):
        add_conversation(memory, case)
        for question in case["questions"]:
            answer = memory.conversations.why(question["ask"], scope=scope_of(case)).result
            asked += 1
            if problem := fault(answer, question):
                wrong.append(f"{case['id']}: {question['ask']}: {problem}")
    return wrong, asked


@pytest.mark.parametrize("name", SETS)
def test_why_finds_the_labelled_decision(memory: Satchel, name: str) -> None:
    wrong, asked = _faults(memory, name)

    assert 1 - len(wrong) / asked >= MIN_ACCURACY, wrong


def test_the_sets_are_large_and_cover_both_languages() -> None:
    every = [case for name in SETS for case in cases(name)]

    assert len(every) == len({case["id"] for case in every}) >= 40
    assert {case["language"] for case in every} == {"en", "zh"}
    questions = [one for case in every for one in case["questions"]]
    assert sum(not one["recorded"] for one in questions) >= 40
    assert sum(bool(one.get("replaced")) for one in questions) >= 20


def test_many_conversations_in_one_scope_do_not_disturb_each_other(memory: Satchel) -> None:
    english = [case for case in cases("known") if case["language"] == "en"]
    for case in english:
        lines = "\n".join(str(one["content"]) for one in case["messages"] if one["role"] == "user")
        memory.conversations.add(lines, conversation=case["id"])

    why = memory.conversations.why("Why did we choose Keycloak?").result
    assert why.decision is not None and why.decision.conversation == "auth"
    assert not memory.conversations.why("Why did we choose Datadog?").result.recorded


@each_case("case", cases("known"), ids=lambda case: str(case["id"]))
def test_adding_messages_one_by_one_gives_the_same_decisions(memory: Satchel, case: dict[str, object]) -> None:
    add_conversation(memory, case)
    at_once = memory.conversations.show(str(case["id"]), scope=scope_of(case)).result.decisions
    memory.conversations.forget(str(case["id"]), scope=scope_of(case))
    other = case | {"id": f"{case['id']}-again"}
    add_conversation(memory, other, at_once=False)
    one_by_one = memory.conversations.show(str(other["id"]), scope=scope_of(other)).result.decisions

    def content(decisions: object) -> list[object]:
        return [(one.choice, one.topic, [c.text for c in one.clauses], one.replaces is None) for one in decisions]  # type: ignore[attr-defined]

    assert content(one_by_one) == content(at_once)
