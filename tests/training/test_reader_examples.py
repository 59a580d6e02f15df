"""Questions of the training conversations as the reader sees them: with labels at home, and none elsewhere."""

from typing import Any

import numpy as np
import pytest
from training.reader_examples import PARTS, Store, read_rows


@pytest.fixture(scope="module")
def store() -> Store:
    """Two conversations with vectors that mean nothing."""
    rows: list[dict[str, Any]] = read_rows()[:2]
    texts = [one["content"] for row in rows for one in row["messages"]]
    texts += [one["ask"] for row in rows for one in row["questions"]]
    vectors = np.sin(np.arange(len(texts) * 384, dtype=np.float32)).reshape(-1, 384) / 14
    return Store(rows, dict(zip(texts, vectors, strict=True)))


def test_labels_stand_where_the_question_says(store: Store) -> None:
    for one in store.own_examples():
        for part, name in enumerate(PARTS):
            assert [place + 1 for place in np.flatnonzero(one.labels[part])] == sorted(one.asked.get(name) or [])


def test_another_conversation_answers_nothing(store: Store) -> None:
    own = store.own_examples()
    others = store.other_examples(own, seed=0)

    assert [one.home for one in others] == [one.home for one in own]
    assert all(one.talk_number != one.home and not one.labels.any() and not one.reason_known for one in others)
