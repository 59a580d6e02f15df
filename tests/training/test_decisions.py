"""The labelled conversations of `training/decisions`: their numbers exist, and the benchmark has none of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.decisions import PARTS, read_conversations

FOLDER = Path(__file__).parents[2] / "training" / "decisions"
# Of a file in the repository.
MAX_BYTES = 2_000_000
ACTS = {"settles", "reverses", "reason", "proposes", "asks", "rejects", "undecided", "reports_others", "acts_on"}


def _conversations() -> Iterator[dict[str, Any]]:
    for file in sorted(FOLDER.glob("*.jsonl")):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def test_the_files_are_small() -> None:
    assert all(one.stat().st_size < MAX_BYTES for one in FOLDER.iterdir())


def test_every_label_names_a_message_or_an_act() -> None:
    for one in _conversations():
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
    benchmark = {message.content for part in PARTS for one in read_conversations(part) for message in one.messages}
    ours = {message["content"] for one in _conversations() for message in one["messages"]}
    # Short turns such as "done" occur anywhere.
    assert not {text for text in ours & benchmark if len(text) > 30}
