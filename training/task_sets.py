"""Training sets from what the judge and the reader learn from: stores with prompts, and conversations with decisions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.sets import Question, TextSet


def store_sets(folder: Path) -> list[TextSet]:
    """Return stores of memories; a prompt is answered by the memories that belong in front of it."""
    return [_store_set(row) for row in _rows(folder)]


def _store_set(row: dict[str, Any]) -> TextSet:
    places = {one["id"]: place for place, one in enumerate(row["memories"])}
    questions = [
        Question(asked["prompt"], tuple(sorted(places[id] for id in asked["wanted"])))
        for asked in row["prompts"]
        if asked["wanted"]
    ]
    return TextSet("stores", tuple(one["text"] for one in row["memories"]), tuple(questions))


def decision_sets(folder: Path) -> list[TextSet]:
    """Return conversations; a question is answered by the messages that decide and by those that give the reasons."""
    return [_decision_set(row) for row in _rows(folder)]


def _decision_set(row: dict[str, Any]) -> TextSet:
    said = tuple(f"{one.get('by') or one['role']}: {one['content']}" for one in row["messages"])
    questions = [
        Question(
            asked["ask"], tuple(sorted({number - 1 for number in (*asked["decision"], *asked.get("reasons", ()))}))
        )
        for asked in row["questions"]
        if asked["answerable"]
    ]
    return TextSet("decisions", said, tuple(questions))


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip())
