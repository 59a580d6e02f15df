"""Erasure of messages, with the passages, summaries and decisions that repeat them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql import receipts
from satchel.adapters.sql.conversations import message_passages
from satchel.adapters.sql.engine import Connection, Row, first
from satchel.adapters.sql.facts import sources
from satchel.adapters.sql.facts import store as facts
from satchel.adapters.sql.records import decodable_rows
from satchel.domain.fragments import stored_forms
from satchel.domain.record import Trust

if TYPE_CHECKING:
    from satchel.domain.canonical import Json
    from satchel.domain.receipt import Receipt

# A shorter text occurs in too many unrelated messages.
MIN_TEXT_BYTES = 8


def erase_dependents(db: Connection, ids: Sequence[str], cause: Receipt) -> None:
    """Erase the messages of the same scope that contain a forgotten record's text, and everything based on them."""
    for id in ids:
        if refs := [ref for ref, _ in _quoting(db, id)]:
            facts.erase_dependents(db, refs, cause)
            decisions = sum(erase_message(db, ref) for ref in refs)
            decided: dict[str, Json] = {"messages": refs, "decisions": decisions}
            receipts.append_follow_up(db, cause, "conversation forget", {"source": id}, decided)


def is_quoted_by_trusted(db: Connection, id: str) -> bool:
    """Return whether erasing a record would erase a trusted message with it."""
    return any(trust == Trust.TRUSTED for _, trust in _quoting(db, id))


def _quoting(db: Connection, id: str) -> list[tuple[str, str]]:
    """Return the messages of the same scope that contain a record's text, each with its trust."""
    record = None if id.startswith("msg:") else sources.text_by_id(db, id)
    if record is None or len(record[1].encode()) < MIN_TEXT_BYTES:
        return []
    scope, text = record
    forms = stored_forms(text)
    among = " OR ".join(["instr(content, ?) > 0"] * len(forms))
    query = f"SELECT ref, trust FROM messages WHERE scope = ? AND erased = 0 AND ({among}) ORDER BY message_id"
    return [(ref, trust) for ref, trust in decodable_rows(db, query, (scope, *forms))]


def erase_message(db: Connection, ref: str) -> int:
    """Erase the text of a message, which keeps its position; return how many decisions were erased with it."""
    row = first(db.execute("SELECT message_id FROM messages WHERE ref = ? AND erased = 0", (ref,)))
    if row is None:
        return 0
    (message_id,) = row
    db.execute(
        "UPDATE messages SET content = '', token_count = 0, identity_hash = '', said_by = NULL, erased = 1 "
        "WHERE message_id = ?",
        (message_id,),
    )
    message_passages.remove(db, ref)
    _empty_summaries(db, message_id)
    decisions = [id for (id,) in list[Row](db.execute("SELECT id FROM decisions WHERE message_ref = ?", (ref,)))]
    for id in decisions:
        _erase_decision(db, id)
    _erase_clauses(db, ref)
    return len(decisions)


def erase_own_texts(db: Connection, conversation: int) -> int:
    """Erase what belongs to a conversation but to no message of it: its title and decisions added by hand."""
    db.execute("UPDATE conversations SET title = NULL WHERE conversation_id = ?", (conversation,))
    by_hand = "SELECT id FROM decisions WHERE conversation_id = ? AND message_ref IS NULL"
    decisions = [id for (id,) in list[Row](db.execute(by_hand, (conversation,)))]
    for id in decisions:
        _erase_decision(db, id)
    return len(decisions)


def _empty_summaries(db: Connection, message_id: int) -> None:
    """Empty every summary that covers a message, at any depth; the next message has them written again."""
    db.execute(
        """
        WITH RECURSIVE telling (id) AS (
            SELECT summary_id FROM summary_messages WHERE message_id = ?
            UNION SELECT p.summary_id FROM summary_parents p JOIN telling ON p.parent_summary_id = telling.id
        )
        UPDATE summaries SET content = '', token_count = 0, stale = 1 WHERE summary_id IN (SELECT id FROM telling)""",
        (message_id,),
    )


def _erase_decision(db: Connection, id: str) -> None:
    """Erase a decision and close the gap in its chain: its successor now replaces its predecessor."""
    db.execute(
        "UPDATE decisions SET replaces = (SELECT replaces FROM decisions WHERE id = ?1) WHERE replaces = ?1", (id,)
    )
    query = "SELECT id, caused_by FROM decisions WHERE instr(caused_by, ?) > 0"
    for other, caused_by in list[Row](db.execute(query, (id,))):
        left = [cause for cause in json.loads(caused_by) if cause != id]
        db.execute("UPDATE decisions SET caused_by = ? WHERE id = ?", (json.dumps(left), other))
    db.execute("DELETE FROM decision_clauses WHERE decision_id = ?", (id,))
    db.execute("DELETE FROM decisions WHERE id = ?", (id,))


def _erase_clauses(db: Connection, ref: str) -> None:
    # The topic of a decision may come from a question in another message.
    db.execute(
        "UPDATE decisions SET topic = '' WHERE instr(statement, topic) = 0 AND id IN "
        "(SELECT decision_id FROM decision_clauses WHERE message_ref = ? AND kind = 'question')",
        (ref,),
    )
    db.execute("DELETE FROM decision_clauses WHERE message_ref = ?", (ref,))
