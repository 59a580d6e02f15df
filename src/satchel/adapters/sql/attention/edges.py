"""Edges between memories in a ledger, with their history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql.engine import Connection, Database, Row, first, next_seq
from satchel.adapters.sql.records import RecordFormat
from satchel.adapters.sql.where import Clause, id_batches, reach_clause, reading_batches, view_clause
from satchel.domain.edges import EdgeType, MemoryEdge, VisibleEdge
from satchel.domain.record import MemoryId, Trust

if TYPE_CHECKING:
    from satchel.domain.scope import Reach
    from satchel.domain.view import View

Key = tuple[str, str, str]
"""Source, target and type of an edge."""
EdgeState = tuple[float | None, int | None]
"""Weight and creation time of an edge; (None, None) if it does not exist."""

_BY_KEY = "source = ? AND target = ? AND type = ?"
_COLUMNS = "e.source, e.target, e.type, e.weight, e.created_at"


class SqlEdges:
    """Implements ports.EdgeStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, edges: Sequence[MemoryEdge]) -> None:
        with self._database.writing() as db:
            for one in edges:
                key = (one.source, one.target, one.type.value)
                _, created_at = _current(db, key)
                # An existing edge keeps its creation time.
                _set(db, key, (one.weight, one.created_at if created_at is None else created_at))

    def of(self, id: MemoryId) -> list[MemoryEdge]:
        query = (
            f"SELECT {EDGES.selected} FROM edges e WHERE e.source = ?1 OR e.target = ?1 "
            "ORDER BY e.created_at DESC, e.source, e.target, e.type"
        )
        with self._database.reading() as db:
            return list(EDGES.read(db, query, (id,)))

    def between(self, type: EdgeType, view: View, limit: int) -> list[MemoryEdge]:
        where, values = view_clause(view)
        # Both ends must be in the view; `m` is the source outside and the target inside.
        query = f"""
            SELECT {EDGES.selected} FROM edges e CROSS JOIN memories m INDEXED BY memories_id ON m.id = e.source
            WHERE e.type = ? AND e.source <> e.target AND {where} AND EXISTS (
                SELECT 1 FROM memories m INDEXED BY memories_id WHERE m.id = e.target AND {where}
            ) ORDER BY e.created_at DESC, e.source, e.target LIMIT ?"""
        with self._database.reading() as db:
            return list(EDGES.read(db, query, [type.value, *values, *values, limit]))

    def evidence(self, ids: Sequence[MemoryId], view: View, limit: int) -> list[VisibleEdge]:
        found: list[VisibleEdge] = []
        with reading_batches(self._database, ids) as db:
            for targets in id_batches("e.target", ids):
                found += _evidence(db, targets, view, limit)
        return sorted(found, key=lambda one: (one.edge.target, one.edge.type, -one.edge.weight, one.edge.source))


def erase(db: Connection, id: MemoryId) -> None:
    """Erase every edge of a memory, and its history."""
    for table in ("edges", "edge_events"):
        db.execute(f"DELETE FROM {table} WHERE source = ?1 OR target = ?1", (id,))


def changed_since(db: Connection, seq: int, reach: Reach) -> int:
    """Count the edges of memories within reach that have changed since a sequence number."""
    return len(_changed_edges(db, seq, reach))


def restore(db: Connection, seq: int, reach: Reach) -> None:
    """Restore the edges of memories within reach to their state after a sequence number."""
    for source, target, type, *state in _changed_edges(db, seq, reach):
        _set(db, (source, target, type), (state[0], state[1]))


_DANGLING = (
    "NOT EXISTS (SELECT 1 FROM memories WHERE id = source) OR NOT EXISTS (SELECT 1 FROM memories WHERE id = target)"
)


def count_dangling(db: Connection) -> int:
    """Count the edges with an end that is no memory."""
    return int(db.execute(f"SELECT count(*) FROM edges WHERE {_DANGLING}").get)


def remove_dangling(db: Connection) -> int:
    """Remove the edges with an end that is no memory; return how many."""
    number = count_dangling(db)
    if number:
        db.execute(f"DELETE FROM edges WHERE {_DANGLING}")
    return number


def take_back(db: Connection, last: int, *, dry_run: bool) -> int:
    """Restore the edges that changed together with an event of a memory: after it, and before the next one.

    An edge that has changed since is left as it is. Returns how many were, or would be, restored.
    """
    following = first(db.execute("SELECT min(seq) FROM events WHERE seq > ?", (last,)))
    end = following[0] if following and following[0] is not None else last + (1 << 53)
    # The first event of the span has the edge as it was before; the first one after the span, as it was left.
    changed = """
        SELECT v.source, v.target, v.type, v.weight, v.created_at FROM edge_events v
        WHERE v.seq > ?1 AND v.seq < ?2 AND NOT EXISTS (
            SELECT 1 FROM edge_events earlier WHERE earlier.source = v.source AND earlier.target = v.target
            AND earlier.type = v.type AND earlier.seq > ?1 AND earlier.seq < v.seq
        ) ORDER BY v.source, v.target, v.type"""
    left = f"SELECT weight, created_at FROM edge_events WHERE {_BY_KEY} AND seq >= ? ORDER BY seq LIMIT 1"
    restored = 0
    for source, target, type, *before in list[Row](db.execute(changed, (last, end))):
        key = (source, target, type)
        now, after = _current(db, key), first(db.execute(left, (*key, end)))
        if now == tuple(before) or (after is not None and after != now):
            continue
        restored += 1
        if not dry_run:
            _set(db, key, (before[0], before[1]))
    return restored


def _changed_edges(db: Connection, seq: int, reach: Reach) -> list[Row]:
    """Return the edges that have changed since a sequence number, each as it was then; NULL if it did not exist."""
    within, scopes = reach_clause(reach)
    # Each event has the edge as it was before, so the first event after a moment has the state at that moment.
    query = f"""
        SELECT v.source, v.target, v.type, v.weight, v.created_at
        FROM edge_events v CROSS JOIN memories m INDEXED BY memories_id ON m.id = v.source
        LEFT JOIN edges e ON e.source = v.source AND e.target = v.target AND e.type = v.type
        WHERE v.seq > ? AND {within} AND (e.weight, e.created_at) IS DISTINCT FROM (v.weight, v.created_at) AND NOT EXISTS (
            SELECT 1 FROM edge_events earlier WHERE earlier.source = v.source AND earlier.target = v.target
            AND earlier.type = v.type AND earlier.seq > ? AND earlier.seq < v.seq
        ) ORDER BY v.source, v.target, v.type"""
    return list(db.execute(query, [seq, *scopes, seq]))


def _current(db: Connection, key: Key) -> EdgeState:
    row = first(db.execute(f"SELECT weight, created_at FROM edges WHERE {_BY_KEY}", key))
    return (None, None) if row is None else (row[0], row[1])


def _set(db: Connection, key: Key, state: EdgeState) -> None:
    """Set or remove an edge, and record what it was before."""
    before = _current(db, key)
    if before == state:
        return
    db.execute(
        "INSERT INTO edge_events (seq, source, target, type, weight, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (next_seq(db), *key, *before),
    )
    db.execute(f"DELETE FROM edges WHERE {_BY_KEY}", key)
    if state != (None, None):
        db.execute(
            "INSERT INTO edges (source, target, type, weight, created_at) VALUES (?, ?, ?, ?, ?)", (*key, *state)
        )


def _evidence(db: Connection, among: Clause, view: View, limit: int) -> list[VisibleEdge]:
    targets, values = among
    where, limits = view_clause(view)
    # The order of the join matters: the few edges of the targets first, then the source of each.
    query = f"""
        SELECT {_VISIBLE.selected} FROM (
            SELECT {_COLUMNS}, m.trust AS trust, row_number() OVER (
                PARTITION BY e.target, e.type ORDER BY e.weight DESC, e.source
            ) AS place
            FROM edges e INDEXED BY edges_target CROSS JOIN memories m INDEXED BY memories_id ON m.id = e.source
            WHERE {targets} AND e.source <> e.target AND {where}
        ) WHERE place <= ?"""
    return list(_VISIBLE.read(db, query, [*values, *limits, limit]))


def _edge(row: Row) -> MemoryEdge:
    _, _, source, target, type, weight, created_at = row
    return MemoryEdge(MemoryId(source), MemoryId(target), EdgeType(type), weight, created_at)


_NAMES = ("source", "target", "type", "weight", "created_at")
EDGES = RecordFormat(
    "edge", {"id": "e.source", "scope": "''", **{name: f"e.{name}" for name in _NAMES}}, from_row=_edge
)
# With the trust of the source.
_VISIBLE = RecordFormat(
    "edge",
    {"id": "source", "scope": "''", **{name: name for name in _NAMES}, "trust": "trust"},
    from_row=lambda row: VisibleEdge(_edge(row[:-1]), Trust(row[-1])),
)
