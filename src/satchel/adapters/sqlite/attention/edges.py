"""The edges of a SQLite ledger."""

from collections.abc import Sequence

import apsw

from satchel.adapters.sqlite.database import Database, Row, first
from satchel.adapters.sqlite.sequence import next_seq
from satchel.adapters.sqlite.where import IDS_PER_QUERY, one_of, reach_clause, view_clause
from satchel.domain.edges import Edge, EdgeType, Evidence
from satchel.domain.record import MemoryId, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View

Key = tuple[str, str, str]
"""Source, target and type of an edge."""
Standing = tuple[float | None, int | None]
"""Weight and age of an edge; nothing, if it is not there."""

_NAMED = "source = ? AND target = ? AND type = ?"
_COLUMNS = "e.source, e.target, e.type, e.weight, e.created_at"


class SqliteEdges:
    """Implements ports.Edges."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, edges: Sequence[Edge]) -> None:
        with self._database.writing() as db:
            for one in edges:
                key = (one.source, one.target, one.type.value)
                _, created_at = _current(db, key)
                # One that is there already is as old as it is.
                _set(db, key, (one.weight, one.created_at if created_at is None else created_at))

    def of(self, id: MemoryId) -> list[Edge]:
        query = (
            f"SELECT {_COLUMNS} FROM edges e WHERE e.source = ?1 OR e.target = ?1 "
            "ORDER BY e.created_at DESC, e.source, e.target, e.type"
        )
        with self._database.reading() as db:
            return [_edge(*row) for row in db.execute(query, (id,))]

    def evidence(self, ids: Sequence[MemoryId], view: View, most: int) -> list[Evidence]:
        found: list[Evidence] = []
        with self._database.reading() as db:
            for start in range(0, len(ids), IDS_PER_QUERY):
                found += _evidence(db, ids[start : start + IDS_PER_QUERY], view, most)
        return sorted(found, key=lambda one: (one.edge.target, one.edge.type, -one.edge.weight, one.edge.source))


def erase(db: apsw.Connection, id: MemoryId) -> None:
    """Remove every edge that touches a memory, and what it was."""
    for table in ("edges", "edge_events"):
        db.execute(f"DELETE FROM {table} WHERE source = ?1 OR target = ?1", (id,))


def changed_since(db: apsw.Connection, seq: int, reach: Reach) -> int:
    """Count the edges of memories within reach that differ from what they were after a sequence number."""
    return len(_then(db, seq, reach))


def restore(db: apsw.Connection, seq: int, reach: Reach) -> None:
    """Bring the edges of memories within reach back to what they were after a sequence number."""
    for source, target, type, *state in _then(db, seq, reach):
        _set(db, (source, target, type), (state[0], state[1]))


def _then(db: apsw.Connection, seq: int, reach: Reach) -> list[Row]:
    """Return the edges that differ from what they were, each as it was; without a weight, if it was not there."""
    within, scopes = reach_clause(reach)
    # Each event keeps the edge as it was before: so the first one after a moment knows the state at that moment.
    query = f"""
        SELECT v.source, v.target, v.type, v.weight, v.created_at
        FROM edge_events v CROSS JOIN memories m INDEXED BY memories_id ON m.id = v.source
        LEFT JOIN edges e ON e.source = v.source AND e.target = v.target AND e.type = v.type
        WHERE v.seq > ? AND {within} AND (e.weight, e.created_at) IS NOT (v.weight, v.created_at) AND NOT EXISTS (
            SELECT 1 FROM edge_events earlier WHERE earlier.source = v.source AND earlier.target = v.target
            AND earlier.type = v.type AND earlier.seq > ? AND earlier.seq < v.seq
        ) ORDER BY v.source, v.target, v.type"""
    return list(db.execute(query, [seq, *scopes, seq]))


def _current(db: apsw.Connection, key: Key) -> Standing:
    row = first(db.execute(f"SELECT weight, created_at FROM edges WHERE {_NAMED}", key))
    return (None, None) if row is None else (row[0], row[1])


def _set(db: apsw.Connection, key: Key, standing: Standing) -> None:
    """Let an edge stand as it should, or take it away, and remember how it stood."""
    before = _current(db, key)
    if before == standing:
        return
    db.execute(
        "INSERT INTO edge_events (seq, source, target, type, weight, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (next_seq(db), *key, *before),
    )
    db.execute(f"DELETE FROM edges WHERE {_NAMED}", key)
    if standing != (None, None):
        db.execute(
            "INSERT INTO edges (source, target, type, weight, created_at) VALUES (?, ?, ?, ?, ?)", (*key, *standing)
        )


def _evidence(db: apsw.Connection, ids: Sequence[MemoryId], view: View, most: int) -> list[Evidence]:
    targets, values = one_of("e.target", ids)
    where, limits = view_clause(view)
    # In this order: the few edges of the targets first, then the standing of each source.
    query = f"""
        SELECT source, target, type, weight, created_at, trust FROM (
            SELECT {_COLUMNS}, m.trust AS trust, row_number() OVER (
                PARTITION BY e.target, e.type ORDER BY e.weight DESC, e.source
            ) AS place
            FROM edges e INDEXED BY edges_target CROSS JOIN memories m INDEXED BY memories_id ON m.id = e.source
            WHERE {targets} AND e.source <> e.target AND {where}
        ) WHERE place <= ?"""
    rows = db.execute(query, [*values, *limits, most])
    return [Evidence(_edge(*row), Trust(trust)) for *row, trust in rows]


def _edge(source: str, target: str, type: str, weight: float, created_at: int) -> Edge:
    return Edge(MemoryId(source), MemoryId(target), EdgeType(type), weight, created_at)
