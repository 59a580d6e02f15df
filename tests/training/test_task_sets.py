"""Training sets from stores with prompts and from conversations with decisions."""

import json
from pathlib import Path

from training.sets import Question
from training.task_sets import decision_sets, store_sets


def test_a_prompt_is_answered_by_the_memories_that_belong_in_front_of_it(tmp_path: Path) -> None:
    row = {
        "memories": [{"id": "m1", "text": "Commits are signed."}, {"id": "m2", "text": "Tea, not coffee."}],
        "prompts": [{"prompt": "commit this", "wanted": ["m1"]}, {"prompt": "what is a monad?", "wanted": []}],
    }
    (tmp_path / "stores.jsonl").write_text(json.dumps(row))

    (found,) = store_sets(tmp_path)

    assert found.units == ("Commits are signed.", "Tea, not coffee.")
    assert found.questions == (Question("commit this", (0,)),)


def test_a_question_is_answered_by_the_decision_and_its_reasons(tmp_path: Path) -> None:
    row = {
        "messages": [
            {"role": "user", "by": "Ann", "content": "The queue lost jobs."},
            {"role": "user", "by": "Ben", "content": "Then the second one."},
            {"role": "assistant", "content": "Done."},
        ],
        "questions": [
            {"ask": "Why did we change the broker?", "answerable": True, "decision": [2], "reasons": [1]},
            {"ask": "Why red?", "answerable": False},
        ],
    }
    (tmp_path / "talks.jsonl").write_text(json.dumps(row))

    (found,) = decision_sets(tmp_path)

    assert found.units == ("Ann: The queue lost jobs.", "Ben: Then the second one.", "assistant: Done.")
    assert found.questions == (Question("Why did we change the broker?", (0, 1)),)
