"""The stores of memories, passages and their vectors in PostgreSQL: they keep the codes of vectors and search them."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.adapters.postgres import near
from satchel.adapters.postgres.arrays import TEXTS, array_of
from satchel.adapters.postgres.near import MAX_DIMENSIONS, NearTable, drop_codes, nearest_query, put_codes
from satchel.adapters.postgres.words import scope_word
from satchel.adapters.sql.engine import Connection, Database
from satchel.adapters.sql.full_text import MEMORIES as MEMORY_TEXT
from satchel.adapters.sql.full_text import FullText, passages_text
from satchel.adapters.sql.memories import search
from satchel.adapters.sql.memories.store import SqlMemories
from satchel.adapters.sql.nearest import nearest_rows
from satchel.adapters.sql.passages.store import SqlPassages
from satchel.adapters.sql.passages.vectors import SqlPassageVectors
from satchel.adapters.sql.vectors import SAME_TEXT, SqlVectors
from satchel.adapters.sql.where import Clause, all_of, passage_clause, reach_clause, standing_clause, view_clause
from satchel.domain.embedding import Vector
from satchel.domain.passage import PassageId, PassageView
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.ports import Embedded

# Of a view with at most so many records all vectors are compared: exact, and as fast.
FEW_VECTORS = 500
# Parts that are looked up for each passage: a long one has several, of which only the nearest counts.
PARTS_PER_PASSAGE = 2

Made = Sequence[tuple[int, str, Embedded]]


class PostgresVectors(SqlVectors):
    """Implements ports.VectorStore, and keeps the codes of the vectors."""

    def _put_vectors(self, db: Connection, space: int, made: Made) -> None:
        super()._put_vectors(db, space, made)
        _put_made(db, near.MEMORIES, space, made)


class PostgresPassageVectors(SqlPassageVectors):
    """Implements ports.VectorStore for the parts of passages, and keeps the codes of their vectors."""

    def _put_vectors(self, db: Connection, space: int, made: Made) -> None:
        super()._put_vectors(db, space, made)
        _put_made(db, near.PASSAGES, space, made)


class PostgresMemories(SqlMemories):
    """Implements ports.MemoryStore, with vectors found by their codes."""

    def __init__(self, database: Database, differing_bits: str) -> None:
        super().__init__(database)
        self._differing_bits = differing_bits

    def nearest(self, vector: Vector, view: View, limit: int, also: Sequence[MemoryId] = ()) -> list[Candidate]:
        with self._database.reading() as db:
            records = _count(db, view.reach, MEMORY_TEXT)
            if len(vector) > MAX_DIMENSIONS or records <= FEW_VECTORS:
                return search.nearest(db, vector, view, limit, also)
            compared = _to_compare(vector, limit, records)
            near_clause = nearest_query(near.MEMORIES, vector, _near_clause(view), compared, self._differing_bits)
            query, values = _memories_query(near_clause, len(vector), view, also)
            found = nearest_rows(vector, db.execute(query, values), limit, frozenset(also))
            return [Candidate(MemoryId(id), score, content_hash) for score, (id, content_hash, _) in found]


class PostgresPassages(SqlPassages):
    """Implements ports.PassageStore, with vectors found by their codes."""

    def __init__(self, database: Database, differing_bits: str) -> None:
        super().__init__(database)
        self.vectors = PostgresPassageVectors(database)
        self._differing_bits = differing_bits

    def nearest(self, vector: Vector, view: PassageView, limit: int) -> list[PassageId]:
        with self._database.reading() as db:
            records = _count(db, view.reach, passages_text(view.lane))
            if len(vector) > MAX_DIMENSIONS or records <= FEW_VECTORS:
                return super().nearest(vector, view, limit)
            compared = _to_compare(vector, PARTS_PER_PASSAGE * limit, PARTS_PER_PASSAGE * records)
            query, values = nearest_query(near.PASSAGES, vector, passage_clause(view), compared, self._differing_bits)
            rows = db.execute(
                f"""
                WITH near AS MATERIALIZED ({query})
                SELECT m.id, v.vector FROM near JOIN passage_vectors v ON v.part = near.row AND v.space = near.space
                JOIN passage_parts p ON p.row = v.part JOIN passages m ON m.row = p.passage
                WHERE v.vector IS NOT NULL AND v.content_hash = p.content_hash""",
                values,
            )
            return [PassageId(id) for _, (id, _) in nearest_rows(vector, rows, limit)]


def _put_made(db: Connection, table: NearTable, space: int, made: Made) -> None:
    import numpy as np

    lengths = {len(one.vector) for _, _, one in made if one.vector is not None}
    for length in lengths:
        # A row given twice has its last vector, as in the table of the exact ones.
        own = {row: one.vector for row, _, one in made if one.vector is not None and len(one.vector) == length}
        if length <= MAX_DIMENSIONS:
            joined = np.frombuffer(b"".join(vector.tobytes() for vector in own.values()), np.float32)
            put_codes(db, table, space, list(own), joined.reshape(len(own), length))
    if skipped := [row for row, _, one in made if one.vector is None]:
        drop_codes(db, table, space, skipped)


def _count(db: Connection, reach: Reach, text: FullText) -> int:
    """Count the records within some scopes. Each record is a text, and its scope one of the words that are counted."""
    if reach.everywhere:
        return int(db.execute("SELECT rows FROM full_text_sizes WHERE name = ?", (text.table,)).get)
    words = array_of(TEXTS, [*map(scope_word, reach.scopes)])
    query = "SELECT coalesce(sum(rows), 0) FROM word_counts WHERE name = ? AND word = ANY (CAST(? AS text[]))"
    return int(db.execute(query, (text.table, words)).get)


def _to_compare(vector: Vector, limit: int, records: int) -> int:
    from satchel.adapters.sql.vector_codes import count_to_compare

    return count_to_compare(limit, len(vector), records)


def _memories_query(near_clause: Clause, dimensions: int, view: View, also: Sequence[MemoryId]) -> Clause:
    """Return the query for the nearest memories of a view, and those in `also`, with their exact vectors."""
    near_query, near_values = near_clause
    where, values = view_clause(view)
    query = f"""
        WITH near AS MATERIALIZED ({near_query}), named AS (
            SELECT v.space, m.row FROM memories m JOIN vectors v ON v.row = m.row WHERE m.id = ANY(?) AND {where}
        )
        SELECT m.id, m.content_hash, v.vector
        FROM (SELECT * FROM near UNION SELECT * FROM named) AS chosen
        JOIN memories m ON m.row = chosen.row JOIN vectors v ON v.row = chosen.row AND v.space = chosen.space
        WHERE v.space = (SELECT id FROM spaces WHERE active AND dimensions = {dimensions:d})
        AND v.vector IS NOT NULL AND {SAME_TEXT}"""
    return query, [*near_values, list(also), *values]


def _near_clause(view: View) -> Clause:
    """Return the condition on the codes of a view. Media are only known of the records themselves."""
    where = all_of(reach_clause(view.reach), standing_clause(replace(view, media=None)))
    if view.media is None:
        return where
    condition = "EXISTS (SELECT 1 FROM memories r WHERE r.row = m.row AND has_media(r.media_refs, ?))"
    return all_of(where, (condition, [str(view.media)]))
