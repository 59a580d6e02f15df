"""Erase a memory from a ledger, with everything that depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.adapters.sql import dependents
from satchel.adapters.sql.attention import edges
from satchel.adapters.sql.attention import store as attention
from satchel.adapters.sql.engine import first, next_seq
from satchel.adapters.sql.memories import erase_working_set, fulltext
from satchel.adapters.sql.memories.store import write_event
from satchel.domain.record import WORKING_SET

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection
    from satchel.domain.receipt import Receipt
    from satchel.domain.record import Memory


def erase_record(
    db: Connection,
    row: int,
    memory: Memory,
    actor: str,
    receipt: Receipt,
    *,
    damaged: bool,
    everywhere: bool = True,
) -> None:
    """Erase a memory with everything that depends on it, leaving a tombstone."""
    seq = next_seq(db)
    _erase_content(db, row, memory, receipt, damaged=damaged, everywhere=everywhere)
    db.execute(
        "INSERT INTO tombstones (id, scope, forgotten_at, touched) VALUES (?, ?, ?, ?)",
        (memory.id, memory.scope, receipt.at, seq),
    )
    write_event(db, seq, memory.id, ("forget", actor, None), receipt, before=None)


def _erase_content(
    db: Connection, row: int, memory: Memory, receipt: Receipt, *, damaged: bool, everywhere: bool
) -> None:
    dependents.erase_dependents(db, [memory.id], receipt, everywhere=everywhere)
    if not damaged:
        fulltext.remove(db, row, memory)
    db.execute("DELETE FROM vectors WHERE row = ?", (row,))
    db.execute("DELETE FROM use WHERE memory_id = ?", (memory.id,))
    attention.erase(db, memory, everywhere=everywhere)
    edges.erase(db, memory.id)
    db.execute("DELETE FROM selections WHERE record_id = ?", (memory.id,))
    db.execute("DELETE FROM grades WHERE memory_id = ?", (memory.id,))
    db.execute("UPDATE events SET before = NULL, reason = NULL WHERE memory_id = ?", (memory.id,))
    db.execute("DELETE FROM memories WHERE row = ?", (row,))
    if not _has_memories(db, memory.scope):
        attention.erase_scope(db, memory.scope)
        erase_working_set.erase_scope(db, memory.scope, receipt)
    if damaged:
        # The words that were indexed are not known any more.
        fulltext.rebuild_full_text(db)


def _has_memories(db: Connection, scope: str) -> bool:
    """Return whether a scope has memories, apart from the working set that is made of them."""
    others = "SELECT 1 FROM memories WHERE scope = ? AND id <> ? LIMIT 1"
    return first(db.execute(others, (scope, WORKING_SET + scope))) is not None
