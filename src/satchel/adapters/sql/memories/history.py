"""Tags in a ledger, and what has changed since a sequence number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql import receipts
from satchel.adapters.sql.attention import edges
from satchel.adapters.sql.engine import Connection, Database, first
from satchel.adapters.sql.facts import sources
from satchel.adapters.sql.memories.rows import MEMORIES, SELECTED, from_json
from satchel.adapters.sql.records import RecordFormat, decodable_rows
from satchel.adapters.sql.where import reach_clause
from satchel.domain.fragments import FragmentSearch
from satchel.domain.history import Difference, Tag
from satchel.errors import Conflict
from satchel.ports.damage import report

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach

ROWS_PER_PAGE = 500
_TAG = "name, seq, at, actor, note"
TAGS = RecordFormat(
    "tag",
    {"id": "m.name", "scope": "''", **{name: f"m.{name}" for name in _TAG.split(", ")}},
    from_row=lambda row: Tag(*row[2:]),
)

# Each event has the record as it was before, so the first event after a moment has the state at that moment.
FIRST_SINCE = (
    "e.seq > ? AND NOT EXISTS "
    "(SELECT 1 FROM events earlier WHERE earlier.memory_id = e.memory_id AND earlier.seq > ? AND earlier.seq < e.seq)"
)


class SqlHistory:
    """Implements ports.HistoryStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def tags(self) -> list[Tag]:
        with self._database.reading() as db:
            return list(TAGS.read(db, f"SELECT {TAGS.selected} FROM tags m ORDER BY m.seq DESC, m.at DESC, m.name"))

    def tag(self, name: str) -> Tag | None:
        with self._database.reading() as db:
            found = list(TAGS.read(db, f"SELECT {TAGS.selected} FROM tags m WHERE m.name = ?", (name,)))
            return found[0] if found else None

    def put(self, tag: Tag, receipt: Receipt) -> None:
        with self._database.writing() as db:
            if first(db.execute("SELECT 1 FROM tags WHERE name = ?", (tag.name,))) is not None:
                raise Conflict(f"tag {tag.name!r} exists already", hint="choose another name, or delete that tag")
            db.execute(
                f"INSERT INTO tags ({_TAG}, receipt) VALUES (?, ?, ?, ?, ?, ?)",
                (tag.name, tag.seq, tag.at, tag.actor, tag.note, receipt.digest),
            )
            receipts.append(db, receipt)

    def remove(self, name: str, receipt: Receipt) -> None:
        with self._database.writing() as db:
            db.execute("DELETE FROM tags WHERE name = ?", (name,))
            receipts.append(db, receipt)

    def last_change_at(self, seq: int) -> int | None:
        with self._database.reading() as db:
            row = first(db.execute("SELECT at FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT 1", (seq,)))
            return None if row is None else int(row[0])

    def last_change_by(self, at: int) -> int:
        with self._database.reading() as db:
            row = first(db.execute("SELECT seq FROM events WHERE at <= ? ORDER BY seq DESC LIMIT 1", (at,)))
            return 0 if row is None else int(row[0])

    def differences(self, seq: int, reach: Reach) -> Iterator[Difference]:
        within, scopes = reach_clause(reach)
        # The order of the join matters: the events of a page first, then the record of each.
        query = f"""
            SELECT e.seq, e.before, {SELECTED}
            FROM events e CROSS JOIN memories m INDEXED BY memories_id ON m.id = e.memory_id
            WHERE {FIRST_SINCE} AND e.seq > ? AND e.seq <= ? AND {within} ORDER BY e.seq LIMIT {ROWS_PER_PAGE}"""
        with self._database.reading() as db:
            tip = db.execute("SELECT value FROM sequence").get
        last = seq
        while True:
            with self._database.reading() as db:
                page = sorted(MEMORIES.rows(db, query, [seq, seq, last, tip, *scopes]), key=lambda one: one.extra[0])
            for (_, before), memory, damage in page:
                if damage is None:
                    yield Difference(memory, None if before is None else from_json(before))
                else:
                    report(damage)
            if len(page) < ROWS_PER_PAGE:
                return
            last = page[-1].extra[0]

    def erased_since(self, seq: int, reach: Reach, until: int | None = None) -> int:
        within, scopes = reach_clause(reach)
        before = "true" if until is None else f"m.touched <= {until:d}"
        query = f"""
            SELECT count(*) FROM tombstones m WHERE m.touched > ? AND {within} AND {before}
            AND EXISTS (SELECT 1 FROM events e WHERE e.memory_id = m.id AND e.seq <= ?)"""
        with self._database.reading() as db:
            return int(db.execute(query, [seq, *scopes, seq]).get)

    def reworded_since(self, seq: int, reach: Reach) -> int:
        within, scopes = reach_clause(reach)
        query = f"""
            SELECT count(*) FROM events e CROSS JOIN memories m INDEXED BY memories_id ON m.id = e.memory_id
            WHERE {FIRST_SINCE} AND {within} AND e.before ->> '$.content_hash' <> m.content_hash"""
        with self._database.reading() as db:
            return int(db.execute(query, [seq, seq, *scopes]).get)

    def edges_changed_since(self, seq: int, reach: Reach) -> int:
        with self._database.reading() as db:
            return edges.changed_since(db, seq, reach)

    def restore_edges(self, seq: int, reach: Reach) -> None:
        with self._database.writing() as db:
            edges.restore(db, seq, reach)


def erase_notes(db: Connection, ids: Sequence[str]) -> None:
    """Empty the notes of tags that repeat forgotten text."""
    for id in ids:
        record = sources.text_by_id(db, id)
        notes = list(decodable_rows(db, "SELECT name, note FROM tags WHERE note IS NOT NULL"))
        if record is not None and notes:
            trace = FragmentSearch(record[1])
            names = [name for name, note in notes if trace.among([(0, note)])]
            db.executemany("UPDATE tags SET note = NULL WHERE name = ?", [(name,) for name in names])
