"""Reads transcripts from lossless-claw's tables, in the ledger or in a database of that program."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple, Protocol

import apsw

from satchel.adapters.sqlite.database import Row
from satchel.adapters.sqlite.where import Clause, all_of, one_of
from satchel.domain.conversation import Conversation, Message, Speaker, Summary
from satchel.domain.moment import parse_moment
from satchel.domain.record import Trust
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View
from satchel.errors import InvalidRequest


class Dialect(NamedTuple):
    """The columns that differ between the two databases, as SQL over the alias `m`."""

    ref: str
    name: str
    scope: str
    trust: str
    erased: str
    stale: str
    descendants: str


LEDGER = Dialect("m.ref", "m.session_id", "m.scope", "m.trust", "m.erased", "m.stale", "m.descendant_count")
# The other program's database has neither scope nor trust: it is read as untrusted, in the scope of the request.
LOSSLESS_CLAW = Dialect(
    "'lcm:' || m.message_id",
    "coalesce(m.session_key, m.session_id)",
    "''",
    "'untrusted'",
    "0",
    "0",
    "coalesce(m.descendant_count, 0)",
)


class ReadableDatabase(Protocol):
    """A database that can be read."""

    def reading(self) -> AbstractContextManager[apsw.Connection]: ...


class SqliteTranscripts:
    """Implements ports.Transcripts."""

    def __init__(self, source: ReadableDatabase, dialect: Dialect = LEDGER) -> None:
        self._source = source
        self._dialect = dialect

    def conversations(self, view: View, limit: int) -> list[Conversation]:
        where, values = self._within(view)
        query = f"{self._conversation} WHERE {where} ORDER BY m.updated_at DESC, m.conversation_id DESC LIMIT ?"
        with self._source.reading() as db:
            return [self._as_conversation(row, view) for row in db.execute(query, [*values, limit])]

    def find(self, name: str, view: View) -> Conversation | None:
        where, values = all_of(self._within(view), (f"{self._dialect.name} = ?", [name]))
        query = f"{self._conversation} WHERE {where} ORDER BY m.conversation_id DESC LIMIT 1"
        with self._source.reading() as db:
            rows = db.execute(query, values).fetchall()
            return self._as_conversation(rows[0], view) if rows else None

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
            columns = f"m.conversation_id, {self._columns}"
            query = f"SELECT {columns} FROM messages m WHERE {where} ORDER BY m.message_id DESC LIMIT ?"
            for id, *row in db.execute(query, [*values, limit]):
                found.setdefault(id, []).append(_message(tuple(row)))
            among, ids = one_of("m.conversation_id", [str(id) for id in found])
            rows = db.execute(f"{self._conversation} WHERE {among} ORDER BY m.conversation_id", ids) if found else ()
            known = [self._as_conversation(row, view) for row in rows]
        return [(one, sorted(found[one.id], key=lambda message: message.seq)) for one in known]

    @property
    def _conversation(self) -> str:
        counted = "(SELECT count(*) FROM messages x WHERE x.conversation_id = m.conversation_id)"
        columns = f"m.conversation_id, {self._dialect.name}, {self._dialect.scope}, m.title, m.created_at, m.updated_at"
        return f"SELECT {columns}, {counted} FROM conversations m"

    @property
    def _columns(self) -> str:
        return f"{self._dialect.ref}, m.seq, m.role, m.content, m.created_at, {self._dialect.trust}, {self._dialect.erased}"

    def _within(self, view: View) -> Clause:
        if self._dialect is LOSSLESS_CLAW or view.reach.everywhere:
            return "1", []
        return one_of("m.scope", view.reach.scopes)

    def _seen(self, view: View) -> Clause:
        return all_of(self._within(view), one_of(self._dialect.trust, view.trusts))

    def _messages(self, db: apsw.Connection, condition: str, values: list[object]) -> Iterator[Message]:
        for row in list[Row](db.execute(f"SELECT {self._columns} FROM messages m {condition}", values)):
            yield _message(row)

    def _summaries(self, db: apsw.Connection, condition: str, values: list[object]) -> Iterator[Summary]:
        columns = (
            "m.summary_id, m.kind, m.depth, m.content, m.earliest_at, m.latest_at, m.created_at, "
            f"{self._dialect.trust}, {self._dialect.descendants}, {self._dialect.stale}"
        )
        for row in list[Row](db.execute(f"SELECT {columns} FROM summaries m {condition}", values)):
            id, kind, depth, content, earliest, latest, created, trust, descendants, stale = row
            yield Summary(
                id=id,
                kind=kind,
                depth=depth,
                content=replace_undecodable(content) if isinstance(content, str) else "",
                earliest_at=moment_of(earliest or created),
                latest_at=moment_of(latest or created),
                trust=Trust(trust),
                messages=tuple(ref for (ref,) in list[Row](db.execute(self._refs, (id,)))),
                sources=tuple(source for (source,) in list[Row](db.execute(_SOURCES, (id,)))),
                descendants=descendants,
                stale=bool(stale),
            )

    @property
    def _refs(self) -> str:
        return (
            f"SELECT {self._dialect.ref} FROM summary_messages p JOIN messages m ON m.message_id = p.message_id "
            "WHERE p.summary_id = ? ORDER BY p.ordinal"
        )

    def _as_conversation(self, row: Row, view: View) -> Conversation:
        id, name, scope, title, created_at, updated_at, messages = row
        within = scope or view.reach.name
        return Conversation(id, name, within, title, moment_of(created_at), moment_of(updated_at), messages)


_SOURCES = "SELECT parent_summary_id FROM summary_parents WHERE summary_id = ? ORDER BY ordinal"


def moment_of(text: object) -> int:
    """Parse a time of either database: ISO 8601, or SQLite's format in UTC. Returns 0 if there is none."""
    try:
        return parse_moment(datetime.fromisoformat(str(text)).isoformat(), "time")
    except (ValueError, InvalidRequest):
        return 0


def _message(row: Row) -> Message:
    ref, seq, role, content, created_at, trust, erased = row
    # The other program may have roles and contents that are unknown here.
    speaker = Speaker(role) if role in tuple(Speaker) else Speaker.TOOL
    text = replace_undecodable(content) if isinstance(content, str) else ""
    return Message(ref, seq, speaker, text, moment_of(created_at), Trust(trust), bool(erased))
