"""Retold: what the working set of a scope repeats of a memory that is forgotten, now and in its history.

A working set says other memories whole. Its id is taken for good, so it is not erased itself: it is emptied and put
away, until the next turn makes it anew.
"""

from collections.abc import Sequence

import apsw
from msgspec.structs import replace

from satchel.adapters.sqlite import receipts
from satchel.adapters.sqlite.database import Row, first
from satchel.adapters.sqlite.facts import sources
from satchel.adapters.sqlite.memories import fulltext
from satchel.adapters.sqlite.memories.rows import SELECTED, changed_values, from_json, from_row
from satchel.adapters.sqlite.memories.text_keys import gist_key, text_key
from satchel.adapters.sqlite.sequence import next_seq
from satchel.domain.pieces import Trace
from satchel.domain.receipt import Receipt
from satchel.domain.record import WORKING_SET, Memory, State

EMPTIED = "(made anew with the next turn)"


def erase_dependents(db: apsw.Connection, ids: Sequence[str]) -> None:
    """Take the words of forgotten records out of the working set of their scope, and out of what it was."""
    for id in ids:
        record = None if id.startswith(WORKING_SET) else sources.text_by_id(db, id)
        if record is not None:
            scope, text = record
            _erase(db, WORKING_SET + scope, Trace(text))


def _erase(db: apsw.Connection, id: str, trace: Trace) -> None:
    events = list[Row](db.execute("SELECT seq, before FROM events WHERE memory_id = ? AND before NOTNULL", (id,)))
    told = [seq for seq, before in events if _tells(from_json(before), trace)]
    # Without what was before, the working set was not there at that time, as far as anybody can tell.
    db.executemany("UPDATE events SET before = NULL, reason = NULL WHERE seq = ?", [(seq,) for seq in told])
    row = first(db.execute(f"SELECT m.row, {SELECTED} FROM memories m WHERE m.id = ?", (id,)))
    if row is not None and _tells(memory := from_row(row[1:]), trace):
        _empty(db, row[0], memory)


def _tells(memory: Memory, trace: Trace) -> bool:
    return bool(trace.among([(0, memory.text)]))


def _empty(db: apsw.Connection, row: int, memory: Memory) -> None:
    emptied = replace(memory, text=EMPTIED, state=State.ARCHIVED, content_hash="")
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
    fulltext.add(db, row, emptied)
    # Part of somebody else's write, which tells the time itself: the newest moment the ledger knows will do.
    at = db.execute("SELECT coalesce(max(at), 0) FROM receipts").get
    receipt = Receipt("working set forget", {"scope": memory.scope}, decided={"id": memory.id}, at=at)
    # Without what was before: no moment that has passed may be told by what it says now.
    db.execute(
        "INSERT INTO events (seq, memory_id, operation, actor, receipt, at) VALUES (?, ?, 'forget', 'satchel', ?, ?)",
        (next_seq(db), memory.id, receipt.digest, at),
    )
    receipts.append(db, receipt)
