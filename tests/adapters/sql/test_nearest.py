"""Comparing vectors in batches finds what comparing all at once finds."""

from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.adapters.sql import nearest
from satchel.adapters.sql.float16 import cosines, pack
from tests.adapters.samples import unit

QUESTION = unit(1, 0, 0, 0)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    rows=st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 4)), max_size=20),
    limit=st.integers(0, 6),
    also=st.frozensets(st.sampled_from("abcdefgh"), max_size=3),
    batch=st.integers(1, 5),
)
def test_batches_find_what_one_comparison_finds(
    rows: list[tuple[str, int]], limit: int, also: frozenset[str], batch: int
) -> None:
    stored = [(id, pack(unit(1, number, 0, 0))) for id, number in rows]
    best: dict[str, float] = {}
    for (id, _), score in zip(stored, cosines(QUESTION, [blob for _, blob in stored]), strict=True):
        best[id] = max(score, best.get(id, -1.0))
    ordered = sorted(best.items(), key=lambda one: (-one[1], one[0])) if limit else []
    expected = [(score, id) for place, (id, score) in enumerate(ordered) if place < limit or id in also]

    with patch.object(nearest, "BATCH_ROWS", batch):
        found = nearest.nearest_rows(QUESTION, iter(stored), limit, also)

    assert [(score, row[0]) for score, row in found] == expected
