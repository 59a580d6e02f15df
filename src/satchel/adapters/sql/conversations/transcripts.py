"""Reads transcripts from lossless-claw's tables, in the ledger or in a database of that program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from satchel.adapters.sql.conversations import rows
from satchel.adapters.sql.conversations.rows import LEDGER, LOSSLESS_CLAW, Dialect
from satchel.adapters.sql.records import decodable_rows, read_page
from satchel.adapters.sql.where import Clause, all_of, one_of
from satchel.ports.damage import report

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection
    from satchel.domain.conversation import Conversation, Message, Summary
    from satchel.domain.view import View


class ReadableDatabase(Protocol):
    """A database that can be read."""

    def reading(self) -> AbstractContextManager[Connection]: ...


class SqlTranscripts:
    """Implements ports.Transcripts."""

    def __init__(self, source: ReadableDatabase, dialect: Dialect = LEDGER) -> None:
        self._source = source
        self._dialect = dialect
        self._conversation = rows.conversations(dialect)
        self._message = rows.messages(dialect)
        self._summary = rows.summaries(dialect)

    def conversations(self, view: View, limit: int) -> list[Conversation]:
        where, values = self._within(view)
        query = f"{self._conversations} WHERE {where} ORDER BY m.updated_at DESC, m.conversation_id DESC LIMIT ?"
        with self._source.reading() as db:
            return [_placed(one, view) for one in read_page(self._conversation, db, query, values, limit)]

    def find(self, name: str, view: View) -> Conversation | None:
        where, values = all_of(self._within(view), (f"{self._dialect.name} = ?", [name]))
        query = f"{self._conversations} WHERE {where} ORDER BY m.conversation_id DESC LIMIT 1"
        with self._source.reading() as db:
            # A damaged title or time does not keep the messages from being read.
            found = next(iter(list(self._conversation.rows(db, query, values))), None)
        if found is None:
            return None
        if found.damage is not None:
            report(found.damage)
        return _placed(found.record, view)

    def messages(self, conversation: int, view: View, first: int, last: int | None = None) -> list[Message]:
        clauses = [self._seen(view), ("m.conversation_id = ? AND m.seq >= ?", [conversation, first])]
        if last is not None:
            clauses.append(("m.seq <= ?", [last]))
        where, values = all_of(*clauses)
        with self._source.reading() as db:
            return list(self._messages(db, f"WHERE {where} ORDER BY m.seq", values))

    def summaries(self, conversation: int, view: View) -> list[Summary]:
        where, values = all_of(self._seen(view), ("m.conversation_id = ?", [conversation]))
        with self._source.reading() as db:
            order = "ORDER BY m.earliest_at, m.depth DESC, m.summary_id"
            return list(self._summaries(db, f"WHERE {where} {order}", values))

    def summary(self, id: str, view: View) -> Summary | None:
        where, values = all_of(self._seen(view), ("m.summary_id = ?", [id]))
        with self._source.reading() as db:
            return next(iter(list(self._summaries(db, f"WHERE {where}", values))), None)

    def parts_of(self, summary: Summary, view: View) -> tuple[list[Summary], list[Message]]:
        seen, values = self._seen(view)
        parts = "JOIN summary_parents p ON p.parent_summary_id = m.summary_id WHERE p.summary_id = ?"
        direct = "JOIN summary_messages p ON p.message_id = m.message_id WHERE p.summary_id = ?"
        with self._source.reading() as db:
            lower = self._summaries(db, f"{parts} AND {seen} ORDER BY p.ordinal", [summary.id, *values])
            messages = self._messages(db, f"{direct} AND {seen} ORDER BY p.ordinal", [summary.id, *values])
            return list(lower), list(messages)

    def newest(self, view: View, limit: int) -> list[tuple[Conversation, list[Message]]]:
        where, values = self._seen(view)
        found: dict[int, list[Message]] = {}
        with self._source.reading() as db:
            columns = f"m.conversation_id, {self._message.selected}"
            query = f"SELECT {columns} FROM messages m WHERE {where} ORDER BY m.message_id DESC LIMIT ?"
            for (id,), stored, damage in self._message.rows(db, query, [*values, limit]):
                if damage is None:
                    found.setdefault(id, []).append(stored.message)
                else:
                    report(damage)
            among, ids = one_of("m.conversation_id", [str(id) for id in found])
            query = f"{self._conversations} WHERE {among} ORDER BY m.conversation_id"
            known = [_placed(one, view) for one in self._conversation.read(db, query, ids)] if found else []
        return [(one, sorted(found[one.id], key=lambda message: message.seq)) for one in known]

    @property
    def _conversations(self) -> str:
        return f"SELECT {self._conversation.selected} FROM conversations m"

    def _within(self, view: View) -> Clause:
        if self._dialect is LOSSLESS_CLAW or view.reach.everywhere:
            return "true", []
        return one_of("m.scope", view.reach.scopes)

    def _seen(self, view: View) -> Clause:
        return all_of(self._within(view), one_of(self._dialect.trust, view.trusts))

    def _messages(self, db: Connection, condition: str, values: list[object]) -> Iterator[Message]:
        query = f"SELECT {self._message.selected} FROM messages m {condition}"
        return (stored.message for stored in list(self._message.read(db, query, values)))

    def _summaries(self, db: Connection, condition: str, values: list[object]) -> Iterator[Summary]:
        for one in list(
            self._summary.read(db, f"SELECT {self._summary.selected} FROM summaries m {condition}", values)
        ):
            refs, sources = (decodable_rows(db, query, (one.id,)) for query in (self._refs, _SOURCES))
            yield replace(one, messages=tuple(ref for (ref,) in refs), sources=tuple(id for (id,) in sources))

    @property
    def _refs(self) -> str:
        return (
            f"SELECT {self._dialect.ref} FROM summary_messages p JOIN messages m ON m.message_id = p.message_id "
            "WHERE p.summary_id = ? ORDER BY p.ordinal"
        )


def _placed(conversation: Conversation, view: View) -> Conversation:
    return conversation if conversation.scope else replace(conversation, scope=view.reach.name)


_SOURCES = "SELECT parent_summary_id FROM summary_parents WHERE summary_id = ? ORDER BY ordinal"
