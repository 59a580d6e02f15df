"""Erasure of forgotten memories from the working set of their scope, now and in its history.

A working set quotes other memories in full. Its id cannot be reused after an erasure, so it is emptied and archived
instead; the next turn fills it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.adapters.sql import receipts
from satchel.adapters.sql.engine import Connection, Row, next_seq
from satchel.adapters.sql.facts import sources
from satchel.adapters.sql.memories import fulltext
from satchel.adapters.sql.memories.rows import MEMORIES, SELECTED, changed_values, from_json
from satchel.adapters.sql.memories.text_keys import gist_key, text_key
from satchel.domain.fragments import FragmentSearch
from satchel.domain.record import WORKING_SET, Memory, State

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt

EMPTIED = "(made anew with the next turn)"


def erase_dependents(db: Connection, ids: Sequence[str], cause: Receipt) -> None:
    """Empty the working set of each record's scope, and its past versions, where they quote the record."""
    for id in ids:
        record = None if id.startswith(WORKING_SET) else sources.text_by_id(db, id)
        if record is not None:
            scope, text = record
            _erase(db, WORKING_SET + scope, FragmentSearch(text), cause)


def erase_scope(db: Connection, scope: str, cause: Receipt) -> None:
    """Empty the working set of a scope that has no memory left: its goal came from a prompt."""
    _erase(db, WORKING_SET + scope, None, cause)


def _erase(db: Connection, id: str, trace: FragmentSearch | None, cause: Receipt) -> None:
    """Empty a working set and its past versions where they quote a text; without a trace, whatever they quote."""
    events = list[Row](db.execute("SELECT seq, before FROM events WHERE memory_id = ? AND before IS NOT NULL", (id,)))
    quoting = [seq for seq, before in events if _quotes(from_json(before), trace)]
    # Without its earlier version, the working set counts as absent at that time.
    db.executemany("UPDATE events SET before = NULL, reason = NULL WHERE seq = ?", [(seq,) for seq in quoting])
    for (row,), memory, damage in [
        *MEMORIES.rows(db, f"SELECT m.row, {SELECTED} FROM memories m WHERE m.id = ?", (id,))
    ]:
        # Where a damaged one quotes the record cannot be known.
        if damage is not None or _quotes(memory, trace):
            _empty(db, row, memory, cause, damaged=damage is not None)


def _quotes(memory: Memory, trace: FragmentSearch | None) -> bool:
    return memory.text != EMPTIED and (trace is None or bool(trace.among([(0, memory.text)])))


def _empty(db: Connection, row: int, memory: Memory, cause: Receipt, *, damaged: bool) -> None:
    emptied = replace(memory, text=EMPTIED, state=State.ARCHIVED, content_hash="")
    if not damaged:
        fulltext.remove(db, row, memory)
    db.execute("DELETE FROM vectors WHERE row = ?", (row,))
    db.execute("DELETE FROM packet_items WHERE memory_id = ?", (memory.id,))
    changed = changed_values(emptied, memory) | {
        "text_key": text_key(EMPTIED),
        "gist_key": gist_key(EMPTIED),
        "embedding": "waiting",
    }
    assigned = ", ".join(f"{name} = ?" for name in (*changed, "touched"))
    db.execute(f"UPDATE memories SET {assigned} WHERE row = ?", [*changed.values(), next_seq(db), row])
    if damaged:
        fulltext.rebuild_full_text(db)
    else:
        fulltext.add(db, row, emptied)
    asked = {"scope": memory.scope}
    receipt = receipts.append_follow_up(db, cause, "working set forget", asked, {"id": memory.id})
    # Without `before`: the event must not keep the text either.
    db.execute(
        "INSERT INTO events (seq, memory_id, operation, actor, receipt, at) VALUES (?, ?, 'forget', 'satchel', ?, ?)",
        (next_seq(db), memory.id, receipt.digest, receipt.at),
    )
