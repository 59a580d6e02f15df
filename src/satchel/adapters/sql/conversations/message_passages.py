"""The passages of messages, by which they are searched. Each repeats its message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.adapters.sql.conversations.rows import LEDGER, Dialect, messages
from satchel.adapters.sql.passages.rows import found_by_id, put_passage, remove_passage
from satchel.domain.conversation import Message, message_passage
from satchel.domain.passage import PassageId

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection


def put(db: Connection, conversation: str, scope: str, message: Message) -> None:
    """Store the passage of a message."""
    put_passage(db, message_passage(conversation, scope, message))


def remove(db: Connection, ref: str) -> None:
    """Remove the passage of an erased message."""
    for found in found_by_id(db, [PassageId(ref)]):
        remove_passage(db, found, forgotten=True)


def restore(db: Connection, dialect: Dialect = LEDGER) -> None:
    """Store the passage of every message again, as far as it differs from the message."""
    stored_messages = messages(dialect)
    query = f"""
        SELECT c.session_id, m.scope, {stored_messages.selected} FROM messages m JOIN conversations c USING (conversation_id)
        WHERE m.erased = 0 ORDER BY m.message_id"""
    for (conversation, scope), stored, damage in list(stored_messages.rows(db, query)):
        if damage is None:
            put(db, conversation, scope, stored.message)
