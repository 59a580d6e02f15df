"""Prompts that teach what is about the person's own matters."""

import json

from training.prompts import PROMPTS


def test_prompts_are_balanced_and_distinct() -> None:
    files = sorted(PROMPTS.glob("*.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    own = sum(row["own"] for row in rows)

    assert len(rows) > 2_000 and abs(own * 2 - len(rows)) < 10
    assert len({row["prompt"] for row in rows}) == len(rows)
