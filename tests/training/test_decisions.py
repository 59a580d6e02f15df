"""The labelled conversations of `training/decisions`: their numbers exist, and the benchmark has none of them."""

import json
from pathlib import Path

from bench.decisions import HALVES, read_conversations

CONVERSATIONS = Path(__file__).parents[2] / "training" / "decisions" / "conversations.jsonl"
ACTS = {"settles", "reverses", "reason", "proposes", "asks", "rejects", "undecided", "reports_others", "acts_on"}


def test_every_label_names_a_message_or_an_act() -> None:
    for line in CONVERSATIONS.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        numbers = [message["number"] for message in one["messages"]]
        named = {
            number
            for question in one["questions"]
            for part in ("decision", "reasons", "required", "replaced", "stale")
            for number in question.get(part, [])
        }
        assert numbers == list(range(1, len(numbers) + 1)), one["id"]
        assert named <= set(numbers), one["id"]
        assert {act for message in one["messages"] for act in message["acts"]} <= ACTS, one["id"]
        assert all(question["answerable"] == bool(question.get("decision")) for question in one["questions"]), one["id"]


def test_the_benchmark_has_none_of_them() -> None:
    benchmark = {message.content for half in HALVES for one in read_conversations(half) for message in one.messages}
    ours = {
        message["content"]
        for line in CONVERSATIONS.read_text(encoding="utf-8").splitlines()
        for message in json.loads(line)["messages"]
    }
    # Short turns such as "done" occur anywhere.
    assert not {text for text in ours & benchmark if len(text) > 30}
