"""Search of the ledger itself: full text by BM25, and vectors by exact comparison, which suits a small store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from satchel.adapters.sql.engine import Connection, first
from satchel.adapters.sql.full_text import MEMORIES as TEXT
from satchel.adapters.sql.memories.rows import MEMORIES, SELECTED
from satchel.adapters.sql.nearest import nearest_rows
from satchel.adapters.sql.records import decodable_rows, unreported
from satchel.adapters.sql.vectors import SAME_TEXT
from satchel.adapters.sql.where import all_of, id_batches, one_of, reach_clause, scopes_of, view_clause
from satchel.domain.canonical import canonical
from satchel.domain.ranking import Candidate
from satchel.domain.record import Memory, MemoryId, Trust

if TYPE_CHECKING:
    from satchel.domain.embedding import Vector
    from satchel.domain.view import View

# Most queries match none of so few rows.
FEW_ROWS = 16
IN_SESSION = "memories m INDEXED BY memories_session"


def match(db: Connection, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
    """Return the best full-text matches of a view, ties by id."""
    if not terms:
        return []
    clauses = [view_clause(view)]
    if view.trusts == (Trust.UNTRUSTED,):
        # Untrusted records are usually few, so matches are first looked up in the list of them. The plus keeps SQLite
        # from querying the full text once per row of that list.
        where, values = all_of(reach_clause(view.reach), one_of("m.trust", view.trusts))
        clauses.insert(0, (f"+found.row IN (SELECT m.row FROM memories m WHERE {where})", values))
    elif not view.reach.everywhere:
        clauses.insert(0, db.memories_in(view.reach.scopes, terms))
    where, values = all_of(*clauses)
    # Matches are filtered by a covering index; only the best records are read.
    query = f"""
        SELECT best.id, best.content_hash, matches.score FROM (
            SELECT m.row AS row, found.score
            FROM {db.matches(TEXT)} AS found CROSS JOIN memories m INDEXED BY memories_standing ON m.row = found.row
            WHERE {where} ORDER BY found.score DESC, m.id LIMIT ?
        ) AS matches JOIN memories best ON best.row = matches.row
        ORDER BY matches.score DESC, best.id"""
    rows = decodable_rows(db, query, [db.match_value(terms, scopes_of(view.reach)), *values, limit], kind="memory")
    return [Candidate(MemoryId(id), score, content_hash) for id, content_hash, score in rows]


def match_among(db: Connection, terms: Sequence[str], ids: Sequence[MemoryId], limit: int) -> list[Candidate]:
    """Return the best full-text matches among some records, ties by id."""
    rows = [
        row
        for where, values in id_batches("m.id", ids)
        for (row,) in db.execute(f"SELECT m.row FROM memories m INDEXED BY memories_id WHERE {where}", values)
    ]
    if not rows or not terms:
        return []
    among, asked = _among(db, rows, terms)
    query = f"""
        SELECT m.id, m.content_hash, found.score
        FROM {db.matches(TEXT)} AS found CROSS JOIN memories m ON m.row = found.row
        WHERE {among} ORDER BY found.score DESC, m.id LIMIT ?"""
    found = decodable_rows(db, query, (*asked, limit), kind="memory")
    return [Candidate(MemoryId(id), score, content_hash) for id, content_hash, score in found]


def best_of(db: Connection, rows: Sequence[int], terms: Sequence[str], limit: int) -> list[Memory]:
    """Return those of some rows that match best. No answer has them, so damaged ones are not reported."""
    among, asked = _among(db, rows, terms)
    if len(rows) <= FEW_ROWS:
        # Finding out that nothing matches is faster than scoring.
        found = db.execute(f"SELECT found.row FROM {db.matches(TEXT)} AS found WHERE {among} LIMIT 1", asked)
        if first(found) is None:
            return []
    query = f"""
        WITH named AS MATERIALIZED (
            SELECT m.row, found.score
            FROM {db.matches(TEXT)} AS found CROSS JOIN memories m INDEXED BY memories_standing ON m.row = found.row
            WHERE {among} ORDER BY found.score DESC, m.id LIMIT ?
        )
        SELECT {SELECTED} FROM named CROSS JOIN memories m ON m.row = named.row ORDER BY named.score DESC, m.id"""
    return list(MEMORIES.read(db, query, (*asked, limit), damaged=unreported))


def _among(db: Connection, rows: Sequence[int], terms: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
    """Return the condition on `found` that a match is in one of some rows, and the values of a query with it."""
    # The plus keeps SQLite from querying the full text once per row of the list; the range skips older rows.
    among = "found.row >= ? AND +found.row IN (SELECT CAST(value AS INTEGER) FROM json_each(?))"
    return among, (db.match_value(terms), min(rows), canonical(rows))


def next_in_session(
    db: Connection, memories: Sequence[Memory], view: View, source: str = IN_SESSION, condition: str = "true"
) -> dict[MemoryId, tuple[int, MemoryId]]:
    """Return the row and the id of the memory that was stored after each of some memories in its scope and session."""
    where, values = view_clause(view)
    query = f"""
        SELECT named.value ->> 0, n.row, n.id FROM json_each(?) named CROSS JOIN memories n ON n.row = (
            SELECT m.row FROM {source}
            WHERE m.scope = named.value ->> 1 AND m.session = named.value ->> 2
            AND m.row > (SELECT row FROM memories WHERE id = named.value ->> 0) AND {condition} AND {where}
            ORDER BY m.row LIMIT 1
        )"""
    named = canonical([[one.id, one.scope, one.session] for one in memories])
    return {
        MemoryId(id): (row, MemoryId(following)) for id, row, following in decodable_rows(db, query, [named, *values])
    }


def nearest(
    db: Connection,
    vector: Vector,
    view: View,
    limit: int,
    also: Sequence[MemoryId] = (),
    among: Sequence[int] | None = None,
) -> list[Candidate]:
    """Compare every vector of a view; return the nearest records and those in `also`, best first, ties by id.

    With `among`, only the records of these rows are compared.
    """
    where, values = view_clause(view)
    source = "memories m"
    if among is not None:
        # Without the hint, SQLite may scan the whole scope.
        source = "memories m NOT INDEXED"
        where, values = all_of(
            ("m.row IN (SELECT CAST(value AS INTEGER) FROM json_each(?))", [canonical(among)]), (where, values)
        )
    # The order of the join matters: a view is small compared to the store, so its records come first.
    rows = decodable_rows(
        db,
        f"SELECT m.id, m.content_hash, v.vector FROM {source} CROSS JOIN vectors v "
        "ON v.row = m.row AND v.space = (SELECT id FROM spaces WHERE active AND dimensions = ?) "
        f"WHERE {where} AND v.vector IS NOT NULL AND {SAME_TEXT}",
        [len(vector), *values],
        kind="memory",
    )
    found = nearest_rows(vector, rows, limit, frozenset(also))
    return [Candidate(MemoryId(id), score, content_hash) for score, (id, content_hash, _) in found]
