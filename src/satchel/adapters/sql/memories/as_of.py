"""Memories of a ledger as of a sequence number, read-only.

A temporary table holds the records that have changed since, each as it was then. A record must be visible now as well
as then: it has the lower of the two trust tiers, it is left out if its scope has changed, and forgotten records cannot
be rebuilt.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from satchel.adapters.sql.engine import Connection, Database, Row, first
from satchel.adapters.sql.full_text import MEMORIES as TEXT
from satchel.adapters.sql.full_text import PAST
from satchel.adapters.sql.memories import fulltext, search
from satchel.adapters.sql.memories.history import FIRST_SINCE
from satchel.adapters.sql.memories.rows import COLUMNS, MEMORIES, NUMBERS, SELECTED
from satchel.adapters.sql.memories.store import SqlMemories
from satchel.adapters.sql.records import unreported
from satchel.adapters.sql.vectors import SqlVectors
from satchel.adapters.sql.where import Clause, all_of, id_batches, reach_clause, standing_clause, view_clause
from satchel.domain.ranking import Candidate
from satchel.domain.record import Label, Memory, MemoryId, Trust

if TYPE_CHECKING:
    from satchel.domain.embedding import Space
    from satchel.domain.scope import Reach
    from satchel.domain.view import View
    from satchel.ports import Tier

_UNCHANGED = "m.row NOT IN (SELECT row FROM temp.past)"
_WORDS = ("title", "content_hash", "tags", "keywords")
_LOWER_TRUST = (
    "CASE WHEN t.before IS NULL THEN NULL "
    + " ".join(
        f"WHEN '{trust}' IN (m.trust, t.before ->> '$.trust') THEN '{trust}'"
        for trust in (Trust.QUARANTINED, Trust.UNTRUSTED)
    )
    + " ELSE m.trust END"
)
# The minimum weight of a word in FTS5, however common it is.
_MIN_WEIGHT = 1e-6


@contextmanager
def open_as_of(database: Database, seq: int) -> Iterator[tuple[AsOfMemories, AsOfVectors]]:
    """Rebuild the state after a sequence number in temporary tables for the length of the block."""
    with database.snapshot() as db:
        if database.path is not None:
            # Memory text must not be written to temporary files.
            db.execute("PRAGMA temp_store = MEMORY")
        _rebuild(db, seq)
        try:
            yield AsOfMemories(database, db), AsOfVectors(database, db)
        finally:
            for table in ("past", "past_text"):
                db.execute(f"DROP TABLE temp.{table}")


class AsOfMemories(SqlMemories):
    """Finds records as they were. Terms are weighted by their present frequency."""

    def __init__(self, database: Database, db: Connection) -> None:
        super().__init__(database)
        self._db = db

    def fetch(self, ids: Sequence[MemoryId], view: View, *, verify: bool = True) -> dict[MemoryId, Memory]:
        found: dict[MemoryId, Memory] = {}
        for among in id_batches("m.id", ids):
            where, values = all_of(among, view_clause(view))
            query = f"""
                SELECT {SELECTED} FROM memories m INDEXED BY memories_id WHERE {_UNCHANGED} AND {where}
                UNION ALL SELECT {SELECTED} FROM temp.past m WHERE {where}"""
            found.update((memory.id, memory) for memory in MEMORIES.read(self._db, query, values * 2, verify=verify))
        return found

    def tiers(self, reach: Reach) -> frozenset[Tier]:
        within, values = reach_clause(reach)
        query = f"""
            SELECT 1 FROM memories m INDEXED BY memories_tier WHERE m.trust = ? AND m.label = ? AND {within} AND {_UNCHANGED}
            UNION ALL SELECT 1 FROM temp.past m WHERE m.trust = ? AND m.label = ? AND {within} LIMIT 1"""
        possible = [(trust, label) for trust in Trust for label in Label]
        return frozenset(tier for tier in possible if first(self._db.execute(query, [*map(str, tier), *values] * 2)))

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        return self._matching(terms, view_clause(view), limit)

    def next_in_session(self, memories: Sequence[Memory], view: View) -> dict[MemoryId, MemoryId]:
        unchanged = search.next_in_session(self._db, memories, view, condition=_UNCHANGED)
        changed = search.next_in_session(self._db, memories, view, source="temp.past m")
        both = {id: [found[id] for found in (unchanged, changed) if id in found] for id in unchanged | changed}
        return {id: min(following)[1] for id, following in both.items()}

    def excluded(self, terms: Sequence[str], view: View, limit: int) -> list[Memory]:
        admitted, values = standing_clause(view)
        where = all_of(reach_clause(view.reach), (f"NOT ({admitted})", values))
        query = f"""
            SELECT {SELECTED} FROM memories m WHERE m.id = ?1 AND {_UNCHANGED}
            UNION ALL SELECT {SELECTED} FROM temp.past m WHERE m.id = ?1"""
        matching = self._matching(terms, where, limit)
        return [memory for one in matching for memory in MEMORIES.read(self._db, query, (one.id,), damaged=unreported)]

    def _matching(self, terms: Sequence[str], clause: Clause, limit: int) -> list[Candidate]:
        if not terms:
            return []
        where, values = clause
        # A record with unchanged words is found by the present full text, whatever else of it has changed.
        query = f"""
            SELECT m.id, found.score AS score, m.content_hash
            FROM {self._db.matches(TEXT)} AS found CROSS JOIN memories m ON m.row = found.row
            WHERE {_UNCHANGED} AND {where}
            UNION ALL
            SELECT m.id, found.score AS score, m.content_hash
            FROM {self._db.matches(TEXT)} AS found CROSS JOIN temp.past m ON m.row = found.row
            WHERE m.reworded = 0 AND {where}
            ORDER BY score DESC, 1 LIMIT ?"""
        parameters = [self._db.match_value(terms), *values]
        found = [
            Candidate(MemoryId(id), score, hash)
            for id, score, hash in self._db.execute(query, [*parameters * 2, limit])
        ]
        return sorted([*found, *self._reworded(terms, clause)], key=lambda one: (-one.score, one.id))[:limit]

    def _reworded(self, terms: Sequence[str], clause: Clause) -> list[Candidate]:
        """Return matches in words that have changed since, scored as if each term occurs once in a text of mean length."""
        where, values = clause
        query = f"SELECT m.row, m.id, m.content_hash FROM temp.past m WHERE m.reworded = 1 AND {where}"
        rows = list[Row](self._db.execute(query, values))
        if not rows:
            return []
        weights, matching = self._weights(terms), f"SELECT row FROM {self._db.matches(PAST)} AS found"
        holding = {
            term: {row for (row,) in self._db.execute(matching, (self._db.match_value([term]),))} for term in terms
        }
        scored = [
            Candidate(MemoryId(id), math.fsum(weights[term] for term in terms if row in holding[term]), content_hash)
            for row, id, content_hash in rows
        ]
        return [one for one in scored if one.score]

    def _weights(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the inverse document frequency of each term, as FTS5 computes it."""
        counted = self.frequencies(terms)
        odds = {term: (counted.records - held + 0.5) / (held + 0.5) for term, held in counted.holding.items()}
        return {term: max(_MIN_WEIGHT, math.log(max(value, 1.0))) for term, value in odds.items()}


class AsOfVectors(SqlVectors):
    """The vectors of the texts that have not changed since."""

    def __init__(self, database: Database, db: Connection) -> None:
        super().__init__(database)
        self._db = db

    def _blobs(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, bytes]:
        return super()._blobs(space, self._unchanged(ids))

    def _unchanged(self, ids: Sequence[MemoryId]) -> list[MemoryId]:
        query = """
            SELECT 1 FROM temp.past p JOIN memories m ON m.row = p.row
            WHERE p.id = ? AND p.content_hash <> m.content_hash"""
        return [id for id in ids if first(self._db.execute(query, (id,))) is None]


def _type(column: str) -> str:
    return NUMBERS.get(column, "TEXT")


def _value_before(column: str) -> str:
    value = f"t.before ->> '$.{column}'"
    return f"CAST({value} AS {NUMBERS[column]})" if column in NUMBERS else value


def _rebuild(db: Connection, seq: int) -> None:
    """Fill the temporary tables with every record that has changed since, as it was; NULLs if it did not exist."""
    columns = ", ".join(f"{name} {_type(name)}" for name in COLUMNS)
    db.execute(f"CREATE TEMP TABLE past (row INTEGER PRIMARY KEY, reworded INTEGER, {columns})")
    db.create_full_text(PAST, temporary=True)
    then = ", ".join(_LOWER_TRUST if name == "trust" else _value_before(name) for name in COLUMNS)
    same = " AND ".join(f"t.before ->> '$.{name}' IS NOT DISTINCT FROM m.{name}" for name in _WORDS)
    db.execute(
        f"""
        INSERT INTO temp.past (row, reworded, {", ".join(COLUMNS)})
        SELECT m.row, CASE WHEN {same} THEN 0 ELSE 1 END, {then} FROM (
            SELECT m.row, CASE WHEN e.before ->> '$.scope' = m.scope THEN e.before END AS before
            FROM events e CROSS JOIN memories m INDEXED BY memories_id ON m.id = e.memory_id WHERE {FIRST_SINCE}
        ) t JOIN memories m ON m.row = t.row""",
        (seq, seq),
    )
    db.execute("CREATE INDEX temp.past_id ON past (id)")
    reworded = f"SELECT m.row, {SELECTED} FROM temp.past m WHERE m.reworded = 1 AND m.id IS NOT NULL"
    for (row,), memory, _ in MEMORIES.rows(db, reworded):
        fulltext.add(db, row, memory, PAST)
