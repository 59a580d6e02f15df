"""The edges of a SQLite ledger."""

from collections.abc import Sequence

import apsw

from satchel.adapters.sqlite.database import Database
from satchel.adapters.sqlite.where import IDS_PER_QUERY, one_of, view_clause
from satchel.domain.edges import Edge, EdgeType, Evidence
from satchel.domain.record import MemoryId, Trust
from satchel.domain.view import View

_COLUMNS = "e.source, e.target, e.type, e.weight, e.created_at"


class SqliteEdges:
    """Implements ports.Edges."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, edges: Sequence[Edge]) -> None:
        with self._database.writing() as db:
            db.executemany(
                "INSERT INTO edges (source, target, type, weight, created_at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (source, target, type) DO UPDATE SET weight = excluded.weight",
                [(one.source, one.target, one.type.value, one.weight, one.created_at) for one in edges],
            )

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
    """Remove every edge that touches a memory."""
    db.execute("DELETE FROM edges WHERE source = ?1 OR target = ?1", (id,))


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
