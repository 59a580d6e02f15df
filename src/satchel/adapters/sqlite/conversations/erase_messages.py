"""Unsaid: how the words of messages are forgotten, with the summaries and decisions that repeat them."""

import json
from collections.abc import Sequence

import apsw

from satchel.adapters.sqlite import receipts
from satchel.adapters.sqlite.database import Row, first
from satchel.adapters.sqlite.facts import sources
from satchel.adapters.sqlite.facts import store as facts
from satchel.domain.canonical import Json
from satchel.domain.receipt import Receipt
from satchel.domain.words import segmented

# A shorter text stands in too much that has nothing to do with it.
MIN_TEXT_BYTES = 8


def erase_dependents(db: apsw.Connection, ids: Sequence[str]) -> None:
    """Forget the messages of the same scope that hold a forgotten record's words, and what rests on them."""
    for id in ids:
        record = None if id.startswith("msg:") else sources.text_by_id(db, id)
        if record is None or len(record[1].encode()) < MIN_TEXT_BYTES:
            continue
        query = "SELECT ref FROM messages WHERE scope = ? AND NOT erased AND instr(content, ?) ORDER BY message_id"
        refs = [ref for (ref,) in list[Row](db.execute(query, record))]
        if refs:
            facts.erase_dependents(db, refs)
            decisions = sum(erase_message(db, ref) for ref in refs)
            # Part of somebody else's write, which tells the time itself: the newest moment the ledger knows will do.
            at = db.execute("SELECT coalesce(max(at), 0) FROM receipts").get
            decided: dict[str, Json] = {"messages": refs, "decisions": decisions}
            receipts.append(db, Receipt("conversation forget", {"source": id}, decided=decided, at=at))


def erase_message(db: apsw.Connection, ref: str) -> int:
    """Forget a message's words; its place stays. Return how many decisions went with it."""
    row = first(db.execute("SELECT message_id, content FROM messages WHERE ref = ? AND NOT erased", (ref,)))
    if row is None:
        return 0
    message_id, content = row
    words = segmented(content)
    db.execute("INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', ?, ?)", (message_id, words))
    db.execute(
        "UPDATE messages SET content = '', token_count = 0, identity_hash = '', erased = 1 WHERE message_id = ?",
        (message_id,),
    )
    _spoil_summaries(db, message_id)
    made = [id for (id,) in list[Row](db.execute("SELECT id FROM decisions WHERE message_ref = ?", (ref,)))]
    for id in made:
        _erase_decision(db, id)
    _erase_clauses(db, ref)
    return len(made)


def index(db: apsw.Connection, message_id: int, content: str) -> None:
    """Let a message be found by its words."""
    db.execute("INSERT INTO messages_fts (rowid, content) VALUES (?, ?)", (message_id, segmented(content)))


def missing_from_full_text(db: apsw.Connection) -> int:
    """Count the messages that are not found by their words, and the words that are no message's."""
    db.execute("INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')")
    said, found = "SELECT message_id FROM messages WHERE NOT erased", "SELECT id FROM messages_fts_docsize"
    query = f"SELECT (SELECT count(*) FROM ({said} EXCEPT {found})) + (SELECT count(*) FROM ({found} EXCEPT {said}))"
    return int(db.execute(query).get)


def rebuild_full_text(db: apsw.Connection) -> None:
    """Index every message anew."""
    db.execute("INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')")
    for message_id, content in list[Row](db.execute("SELECT message_id, content FROM messages WHERE NOT erased")):
        index(db, message_id, content)


def _spoil_summaries(db: apsw.Connection, message_id: int) -> None:
    """Empty every summary that tells of a message, however far above: it is told anew with the next message."""
    db.execute(
        """
        WITH RECURSIVE telling (id) AS (
            SELECT summary_id FROM summary_messages WHERE message_id = ?
            UNION SELECT p.summary_id FROM summary_parents p JOIN telling ON p.parent_summary_id = telling.id
        )
        UPDATE summaries SET content = '', token_count = 0, stale = 1 WHERE summary_id IN (SELECT id FROM telling)""",
        (message_id,),
    )


def _erase_decision(db: apsw.Connection, id: str) -> None:
    """Take a decision out of every chain: what it replaced is then replaced by what replaced it."""
    db.execute(
        "UPDATE decisions SET replaces = (SELECT replaces FROM decisions WHERE id = ?1) WHERE replaces = ?1", (id,)
    )
    query = "SELECT id, caused_by FROM decisions WHERE instr(caused_by, ?)"
    for other, caused_by in list[Row](db.execute(query, (id,))):
        left = [cause for cause in json.loads(caused_by) if cause != id]
        db.execute("UPDATE decisions SET caused_by = ? WHERE id = ?", (json.dumps(left), other))
    db.execute("DELETE FROM decision_clauses WHERE decision_id = ?", (id,))
    db.execute("DELETE FROM decisions WHERE id = ?", (id,))


def _erase_clauses(db: apsw.Connection, ref: str) -> None:
    # What a decision is about may be told by a question in another message.
    db.execute(
        "UPDATE decisions SET topic = '' WHERE instr(statement, topic) = 0 AND id IN "
        "(SELECT decision_id FROM decision_clauses WHERE message_ref = ? AND kind = 'question')",
        (ref,),
    )
    db.execute("DELETE FROM decision_clauses WHERE message_ref = ?", (ref,))
