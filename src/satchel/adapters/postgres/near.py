"""Vectors in PostgreSQL, searched by pgvector. The exact ones decide the order of what it finds.

On a server without pgvector every vector of a view is compared, as in a small store in a file.
"""

from collections.abc import Sequence
from contextlib import suppress

import psycopg

from satchel.adapters.postgres.connection import Connection as PostgresConnection
from satchel.adapters.sql.engine import Connection
from satchel.adapters.sql.float16 import unpack
from satchel.adapters.sql.memories import search
from satchel.adapters.sql.memories.store import SqlMemories
from satchel.adapters.sql.nearest import nearest_rows
from satchel.adapters.sql.vectors import SAME_TEXT, SqlVectors
from satchel.adapters.sql.where import all_of, reach_clause, standing_clause
from satchel.domain.embedding import Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.view import View
from satchel.ports import Embedded

# How many more are fetched than asked for: pgvector's order is approximate.
SPARE = 2
# The most dimensions that pgvector indexes in half precision.
MAX_DIMENSIONS = 4_000
# Of a view with at most so many memories all vectors are compared: exact, and as fast.
FEW_MEMORIES = 2_000


def create_near_vectors(db: Connection) -> None:
    """Make the table of vectors that pgvector searches, if the server has it and there is none yet."""
    if has_near_vectors(db) or not has_extension(db):
        return
    db.execute(
        "CREATE TABLE near_vectors (space INTEGER, row INTEGER, vector halfvec NOT NULL, "
        "PRIMARY KEY (space, row), FOREIGN KEY (space, row) REFERENCES vectors (space, row) ON DELETE CASCADE)"
    )


def has_near_vectors(db: Connection) -> bool:
    """Return whether pgvector searches this store."""
    return db.execute("SELECT to_regclass('near_vectors') IS NOT NULL").get is True


def has_extension(db: Connection) -> bool:
    """Return whether pgvector is installed in the database."""
    return db.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").get is not None


def install_extension(db: PostgresConnection) -> None:
    """Install pgvector in the database, if the server has it and the user may."""
    if has_extension(db) or db.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").get is None:
        return
    # Without the right to, the administrator does it; until then every vector is compared.
    with suppress(psycopg.errors.InsufficientPrivilege), db.raw.transaction():
        db.raw.execute("CREATE EXTENSION vector SCHEMA public")


class PostgresVectors(SqlVectors):
    """Implements ports.VectorStore, and keeps the copy that pgvector searches."""

    def _put_vectors(self, db: Connection, space: int, made: Sequence[tuple[int, str, Embedded]]) -> None:
        super()._put_vectors(db, space, made)
        db.executemany(
            "DELETE FROM near_vectors WHERE space = ? AND row = ?",
            [(space, row) for row, _, one in made if one.vector is None],
        )
        db.executemany(
            "INSERT INTO near_vectors (space, row, vector) VALUES (?, ?, CAST(? AS halfvec)) "
            "ON CONFLICT (space, row) DO UPDATE SET vector = excluded.vector",
            [
                (space, row, _as_text(one.vector))
                for row, _, one in made
                if one.vector is not None and len(one.vector) <= MAX_DIMENSIONS
            ],
        )

    def _put(self, db: Connection, space: int, made: Sequence[Embedded], *, active: bool) -> None:
        for dimensions in {len(one.vector) for one in made if one.vector is not None}:
            if dimensions <= MAX_DIMENSIONS:
                _create_index(db, dimensions)
        super()._put(db, space, made, active=active)


class PostgresMemories(SqlMemories):
    """Implements ports.MemoryStore, with vectors found by pgvector."""

    def nearest(self, vector: Vector, view: View, limit: int, also: Sequence[MemoryId] = ()) -> list[Candidate]:
        with self._database.reading() as db:
            if len(vector) > MAX_DIMENSIONS or _is_small(db, view):
                return search.nearest(db, vector, view, limit, also)
            # Else a scope with few of the nearest vectors would get too few of its own.
            db.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
            db.execute(f"SET LOCAL hnsw.ef_search = {max(100, min(1_000, limit * SPARE)):d}")
            query, values = _near_query(vector, view, limit * SPARE, also)
            found = nearest_rows(vector, db.execute(query, values), limit, frozenset(also))
            return [Candidate(MemoryId(id), score, content_hash) for score, (id, content_hash, _) in found]


def fill_near_vectors(db: Connection) -> None:
    """Copy every vector anew."""
    db.execute("DELETE FROM near_vectors")
    last = -1
    query = """
        SELECT v.row, v.space, v.vector, s.dimensions FROM vectors v JOIN spaces s ON s.id = v.space
        WHERE v.row > ? AND v.vector IS NOT NULL ORDER BY v.row LIMIT 1000"""
    while batch := db.execute(query, (last,)).fetchall():
        for dimensions in {dimensions for _, _, _, dimensions in batch if dimensions <= MAX_DIMENSIONS}:
            _create_index(db, dimensions)
        db.executemany(
            "INSERT INTO near_vectors (space, row, vector) VALUES (?, ?, CAST(? AS halfvec)) ON CONFLICT DO NOTHING",
            [
                (space, row, _as_text(unpack(blob, dimensions)))
                for row, space, blob, dimensions in batch
                if dimensions <= MAX_DIMENSIONS
            ],
        )
        last = batch[-1][0]


def _is_small(db: Connection, view: View) -> bool:
    within, values = reach_clause(view.reach)
    query = f"SELECT count(*) FROM (SELECT 1 FROM memories m WHERE {within} LIMIT ?) AS counted"
    return int(db.execute(query, [*values, FEW_MEMORIES + 1]).get) <= FEW_MEMORIES


def _near_query(vector: Vector, view: View, limit: int, also: Sequence[MemoryId]) -> tuple[str, list[object]]:
    """Return the query for the nearest memories of a view, and those in `also`, with their exact vectors."""
    where, values = all_of(reach_clause(view.reach), standing_clause(view))
    dimensions = len(vector)
    query = f"""
        WITH near AS MATERIALIZED (
            SELECT n.space, n.row FROM near_vectors n JOIN memories m ON m.row = n.row
            WHERE vector_dims(n.vector) = {dimensions:d} AND {where}
            ORDER BY n.vector::halfvec({dimensions:d}) <=> CAST(? AS halfvec({dimensions:d})) LIMIT {limit:d}
        ), named AS (
            SELECT v.space, m.row FROM memories m JOIN vectors v ON v.row = m.row WHERE m.id = ANY(?) AND {where}
        )
        SELECT m.id, m.content_hash, v.vector
        FROM (SELECT * FROM near UNION SELECT * FROM named) AS chosen
        JOIN memories m ON m.row = chosen.row JOIN vectors v ON v.row = chosen.row AND v.space = chosen.space
        WHERE v.space = (SELECT id FROM spaces WHERE active AND dimensions = {dimensions:d})
        AND v.vector IS NOT NULL AND {SAME_TEXT}"""
    return query, [*values, _as_text(vector), list(also), *values]


def _create_index(db: Connection, dimensions: int) -> None:
    db.execute(
        f"CREATE INDEX IF NOT EXISTS near_vectors_{dimensions:d} ON near_vectors "
        f"USING hnsw ((vector::halfvec({dimensions:d})) halfvec_cosine_ops) WHERE vector_dims(vector) = {dimensions:d}"
    )


def _as_text(vector: Vector) -> str:
    return f"[{','.join(format(number, '.7g') for number in vector)}]"
