"""The passages of messages, by which they are searched. Each repeats its message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satchel.adapters.sql.conversations.rows import LEDGER, Dialect, messages
from satchel.adapters.sql.engine import first
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


def restored_conversation(db: Connection, values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a damaged conversation with its name and scope as the passages of its messages have them."""
    number = values["number"]
    query = """
        SELECT CAST(p."group" AS BLOB), CAST(p.scope AS BLOB) FROM messages m JOIN passages p ON p.id = m.ref
        WHERE m.conversation_id = ? ORDER BY m.message_id DESC"""
    taken = "SELECT 1 FROM conversations WHERE scope = ? AND session_id = ? AND conversation_id <> ?"
    for row in list(db.execute(query, (number,))):
        try:
            name, scope = (bytes(one).decode() for one in row)
        except UnicodeDecodeError:
            continue
        if first(db.execute(taken, (scope, name, number))) is None:
            return {**values, "id": name, "scope": scope}
    return values


def restore(db: Connection, dialect: Dialect = LEDGER) -> None:
    """Store the passage of every message again, as far as it differs from the message."""
    stored_messages = messages(dialect)
    query = f"""
        SELECT c.session_id, m.scope, {stored_messages.selected} FROM messages m JOIN conversations c USING (conversation_id)
        WHERE m.erased = 0 ORDER BY m.message_id"""
    for (conversation, scope), stored, damage in list(stored_messages.rows(db, query)):
        if damage is None:
            put(db, conversation, scope, stored.message)
