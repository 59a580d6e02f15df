"""The changes of all records of a ledger in the order in which they were made, for taking one back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql.attention import edges
from satchel.adapters.sql.engine import Database, Row, first
from satchel.adapters.sql.memories.rows import MEMORIES, SELECTED, from_json
from satchel.adapters.sql.observations.store import write_event
from satchel.adapters.sql.records import RecordFormat, read_page
from satchel.domain.record import WORKING_SET, MemoryId, State
from satchel.domain.undo import RecordedEvent, TrustBefore, Versions

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt

_SHARED = ("seq", "operation", "actor", "reason", "receipt", "at")


class SqlChangeLog:
    """Implements ports.ChangeLog."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def memory_events(self, before: int | None, limit: int) -> Sequence[RecordedEvent]:
        earlier = "true" if before is None else "m.seq < ?"
        query = f"""
            SELECT {_MEMORY_EVENTS.selected} FROM events m
            WHERE {earlier} AND m.memory_id NOT BETWEEN ? AND ? ORDER BY m.seq DESC LIMIT ?"""
        derived = [WORKING_SET, WORKING_SET + "\U0010ffff"]
        with self._database.reading() as db:
            return read_page(_MEMORY_EVENTS, db, query, [*([] if before is None else [before]), *derived], limit)

    def observation_events(self, before: int | None, limit: int) -> Sequence[RecordedEvent]:
        earlier = "true" if before is None else "m.seq < ?"
        query = f"SELECT {_OBSERVATION_EVENTS.selected} FROM observation_events m WHERE {earlier} ORDER BY m.seq DESC LIMIT ?"
        with self._database.reading() as db:
            return read_page(_OBSERVATION_EVENTS, db, query, [] if before is None else [before], limit)

    def versions(self, id: MemoryId, first_seq: int, last_seq: int) -> Versions:
        with self._database.reading() as db:
            current = list(MEMORIES.read(db, f"SELECT {SELECTED} FROM memories m WHERE m.id = ?", (id,)))
            now = current[0] if current else None
            before = first(db.execute("SELECT before FROM events WHERE seq = ?", (first_seq,)))
            query = "SELECT before FROM events WHERE memory_id = ? AND seq > ? ORDER BY seq LIMIT 1"
            following = first(db.execute(query, (id, last_seq)))
            after = now if following is None else None if following[0] is None else from_json(following[0])
            return Versions(None if before is None or before[0] is None else from_json(before[0]), after, now)

    def take_back_edges(self, last: int, *, dry_run: bool) -> int:
        with self._database.reading() if dry_run else self._database.writing() as db:
            return edges.take_back(db, last, dry_run=dry_run)

    def restore_trusts(self, trusts: Sequence[TrustBefore], receipt: Receipt, actor: str, reason: str) -> int:
        later = """
            SELECT 1 FROM observation_events WHERE observation_id = ? AND seq > ? AND from_state IS NULL
            AND operation IN ('confirm', 'undo', 'quarantine')"""
        restored = 0
        with self._database.writing() as db:
            for one in trusts:
                if first(db.execute(later, (one.id, one.seq))) is None:
                    db.execute("UPDATE observations SET trust = ? WHERE id = ?", (one.trust, one.id))
                    write_event(db, one.id, ("undo", actor, reason), receipt)
                    restored += 1
        return restored


def _event(row: Row, *, is_memory: bool) -> RecordedEvent:
    id, scope, seq, operation, actor, reason, receipt, at, *states = row
    moved = [None if one is None else State(one) for one in states]
    return RecordedEvent(seq, id, scope or "", operation, actor, reason, receipt or "", at, is_memory, *moved)


_MEMORY_EVENTS = RecordFormat(
    "change",
    {
        "id": "m.memory_id",
        "scope": "coalesce((SELECT r.scope FROM memories r WHERE r.id = m.memory_id), "
        "(SELECT t.scope FROM tombstones t WHERE t.id = m.memory_id), '')",
        **{name: f"m.{name}" for name in _SHARED},
    },
    from_row=lambda row: _event(row, is_memory=True),
)
_OBSERVATION_EVENTS = RecordFormat(
    "change",
    {
        "id": "m.observation_id",
        "scope": "coalesce((SELECT o.scope FROM observations o WHERE o.id = m.observation_id), "
        "(SELECT t.scope FROM tombstones t WHERE t.id = m.observation_id), '')",
        **{name: f"m.{name}" for name in (*_SHARED, "from_state", "to_state")},
    },
    from_row=lambda row: _event(row, is_memory=False),
)
