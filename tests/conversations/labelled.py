"""Loads labelled conversations and checks answers against their labels."""

import json
from pathlib import Path
from typing import Any

from satchel.app import Satchel
from satchel.conversations.values import DecisionReason
from satchel.domain.conversation import ClauseKind

DATA = Path(__file__).parents[1] / "data" / "conversations"


def cases(name: str) -> list[dict[str, Any]]:
    """Return the conversations of a file, each with its questions."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def add_conversation(memory: Satchel, case: dict[str, Any], *, at_once: bool = True) -> None:
    """Add a conversation in a scope of its own."""
    lines = [json.dumps(one, ensure_ascii=False) for one in case["messages"]]
    for part in ["\n".join(lines)] if at_once else lines:
        memory.conversations.add(part, jsonl=True, conversation=case["id"], scope=scope_of(case))


def scope_of(case: dict[str, Any]) -> str:
    """Return the scope of a conversation."""
    return f"set/{case['id']}"


def fault(answer: DecisionReason, expected: dict[str, Any]) -> str | None:
    """Return what is wrong with an answer, or None."""
    if not expected["recorded"]:
        return f"made up {answer.decision.choice!r}" if answer.decision else None
    if answer.decision is None:
        return "not found"
    if expected["choice"].casefold() not in answer.decision.choice.casefold():
        return f"chose {answer.decision.choice!r}"
    reasons = " ".join(one.text for one in answer.decision.clauses_of(ClauseKind.CAUSE))
    if expected["reason"].casefold() not in reasons.casefold() or (reasons and not expected["reason"]):
        return f"because {reasons!r}"
    return _replacement_fault(answer, expected["replaced"])


def _replacement_fault(answer: DecisionReason, expected: str | None) -> str | None:
    assert answer.decision is not None
    place = answer.chain.index(answer.decision)
    earlier = answer.chain[place + 1 : place + 2]
    named = [one.text for one in answer.decision.clauses_of(ClauseKind.REPLACED)]
    named += [one.text for one in answer.decision.clauses_of(ClauseKind.ALTERNATIVE)] if expected else []
    replaced = " ".join([*(one.choice for one in earlier), *named])
    if expected is None:
        return f"replaced {replaced!r}" if replaced else None
    return None if expected.casefold() in replaced.casefold() else f"replaced {replaced!r}"
