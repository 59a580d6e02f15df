"""New memories: record, full text and event of each, written together for many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql.engine import Connection, next_seqs
from satchel.adapters.sql.full_text import MEMORIES as TEXT
from satchel.adapters.sql.memories import fulltext
from satchel.adapters.sql.memories.rows import COLUMNS, to_row
from satchel.adapters.sql.memories.text_keys import text_keys
from satchel.adapters.sql.where import id_batches
from satchel.domain.record import Memory, MemoryId
from satchel.errors import Conflict

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.ports import Change

_INSERTED = ("row", *COLUMNS, "text_key", "gist_key", "embedding", "touched")
_INSERT = f"INSERT INTO memories ({', '.join(_INSERTED)}) VALUES ({', '.join('?' * len(_INSERTED))})"
_INSERT_EVENT = """
    INSERT INTO events (seq, memory_id, operation, actor, reason, receipt, at, before) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""

EventRow = tuple[int, MemoryId, str, str, str | None, str, int, str | None]


def insert_new(db: Connection, changes: Sequence[Change], receipt: Receipt) -> int:
    """Insert new memories in order, as if one by one; return the sequence number of the last."""
    memories = [one.memory for one in changes]
    # First: where several can write at once, the holder of the sequence is the only one that inserts.
    seqs = next_seqs(db, len(memories))
    _require_new(db, memories)
    # What SQLite would choose: one more than the highest row, for each.
    numbered = list(enumerate(memories, start=db.highest_row(TEXT) + 1))
    db.executemany(
        _INSERT,
        (
            [row, *to_row(memory), *text_keys(memory.text), _embedding(change), seq]
            for (row, memory), change, seq in zip(numbered, changes, seqs, strict=True)
        ),
    )
    fulltext.add_all(db, numbered)
    digest = receipt.digest
    write_events(
        db,
        [
            (seq, one.memory.id, one.operation, one.actor, one.reason, digest, receipt.at, None)
            for one, seq in zip(changes, seqs, strict=True)
        ],
    )
    return seqs[-1]


def _embedding(change: Change) -> str:
    return "made" if change.embedded else "waiting"


def write_events(db: Connection, events: Sequence[EventRow]) -> None:
    """Add events to the history of memories."""
    db.executemany(_INSERT_EVENT, events)


def changed_meanwhile(id: MemoryId) -> Conflict:
    """Return the error for a change that was decided on another state of a memory."""
    return Conflict(f"memory {id} has changed since this change was decided", hint="look at it again, then decide")


def _require_new(db: Connection, memories: Sequence[Memory]) -> None:
    """Raise Conflict if there is, or was, a memory with one of these ids."""
    seen = set[MemoryId]()
    for memory in memories:
        if memory.id in seen:
            raise changed_meanwhile(memory.id)
        seen.add(memory.id)
    for among, ids in id_batches("id", [memory.id for memory in memories]):
        for table in ("memories", "tombstones"):
            for (id,) in db.execute(f"SELECT id FROM {table} WHERE {among} LIMIT 1", ids).fetchall():
                raise changed_meanwhile(MemoryId(str(id)))
