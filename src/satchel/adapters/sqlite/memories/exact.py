"""Search by meaning in the ledger itself: every vector of a view is compared, which a small store has time for."""

from collections.abc import Sequence
from heapq import nlargest

import apsw

from satchel.adapters.sqlite.database import Row
from satchel.adapters.sqlite.float16 import matrix
from satchel.adapters.sqlite.where import view_clause
from satchel.domain.embedding import Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.view import View


def nearest(db: apsw.Connection, vector: Vector, view: View, limit: int, also: Sequence[MemoryId]) -> list[Candidate]:
    """Return the records of a view whose vectors are nearest, and others by name, best first, ties by id."""
    where, values = view_clause(view)
    # In this order: a view is small beside the store, and so the vector of each of its records is looked up.
    rows: list[Row] = db.execute(
        "SELECT m.id, m.content_hash, v.vector FROM memories m CROSS JOIN vectors v "
        "ON v.row = m.row AND v.space = (SELECT id FROM spaces WHERE active AND dimensions = ?) "
        f"WHERE {where} AND v.vector IS NOT NULL AND v.content_hash = m.content_hash",
        [len(vector), *values],
    ).fetchall()
    if not rows or limit < 1:
        return []
    scores = cosines(vector, [blob for _, _, blob in rows])
    named, least = frozenset(also), min(nlargest(limit, scores))
    found = [
        Candidate(MemoryId(id), score, content_hash)
        for score, (id, content_hash, _) in zip(scores, rows, strict=True)
        if score >= least or id in named
    ]
    best = sorted(found, key=lambda one: (-one.score, one.id))
    return [one for place, one in enumerate(best) if place < limit or one.id in named]


def cosines(vector: Vector, blobs: Sequence[bytes]) -> list[float]:
    """Return the cosines of a unit vector with those that the ledger holds, rounded so that they print the same everywhere."""
    import numpy as np  # whoever has a vector to compare with has it loaded already

    if not blobs:
        return []
    asked = np.frombuffer(vector, dtype=np.float32).astype(np.float64)
    found: list[float] = (matrix(blobs, len(vector)) @ asked).round(6).tolist()
    return found
