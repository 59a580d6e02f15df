"""The nearest of stored vectors by comparing each, a batch at a time, so that memory does not grow with the store."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING

from satchel.adapters.sql.float16 import cosines

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Row
    from satchel.domain.embedding import Vector

# Vectors that are unpacked together: many enough for one large product, few enough for some megabytes.
BATCH_ROWS = 8_192


def nearest_rows(
    vector: Vector, rows: Iterable[Row], limit: int, also: AbstractSet[str] = frozenset()
) -> list[tuple[float, Row]]:
    """Return the best rows with their cosines, and those whose id is in `also`, best first, ties by id.

    A row begins with an id and ends with a stored vector. Of several rows with one id, the nearest counts.
    """
    best: dict[str, tuple[float, Row]] = {}
    remaining, least = iter(rows), -float("inf")
    while limit > 0 and (batch := list(islice(remaining, BATCH_ROWS))):
        for score, row in zip(cosines(vector, [row[-1] for row in batch]), batch, strict=True):
            if (score >= least or row[0] in also) and (row[0] not in best or best[row[0]][0] < score):
                best[row[0]] = score, row
        if len(best) > limit:
            least = nlargest(limit, (score for score, _ in best.values()))[-1]
            best = {id: one for id, one in best.items() if one[0] >= least or id in also}
    ordered = sorted(best.values(), key=lambda one: (-one[0], one[1][0]))
    return [one for place, one in enumerate(ordered) if place < limit or one[1][0] in also]
