"""Conversations, messages, summaries and decisions as rows, in the ledger or in a database of lossless-claw."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import convert

from satchel.adapters.sql.records import READABLE_TEXT, ReadableColumn, RecordFormat
from satchel.domain.canonical import digest
from satchel.domain.conversation import (
    Clause,
    ClauseKind,
    Conversation,
    Decision,
    DecisionId,
    Message,
    Speaker,
    Summary,
)
from satchel.domain.moment import parse_moment
from satchel.domain.record import Trust
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Row


class Dialect(NamedTuple):
    """The columns that differ between the two databases, as SQL over the alias `m`."""

    ref: str
    name: str
    scope: str
    trust: str
    erased: str
    stale: str
    descendants: str
    hash: str
    by: str


LEDGER = Dialect(
    "m.ref",
    "m.session_id",
    "m.scope",
    "m.trust",
    "m.erased",
    "m.stale",
    "m.descendant_count",
    "m.identity_hash",
    "m.said_by",
)
# The other program's database has neither scope, trust nor hash: it is read as untrusted, in the scope of the request.
LOSSLESS_CLAW = Dialect(
    "'lcm:' || m.message_id",
    "coalesce(m.session_key, m.session_id)",
    "''",
    "'untrusted'",
    "0",
    "0",
    "coalesce(m.descendant_count, 0)",
    "NULL",
    "NULL",
)
# The ledger before messages had speakers.
WITHOUT_SPEAKERS = LEDGER._replace(by="NULL")


class StoredMessage(NamedTuple):
    """A message, and the hash that its content had."""

    message: Message
    hash: str | None


def moment_of(text: object) -> int:
    """Parse a time of either database: ISO 8601, or SQLite's format in UTC. Returns 0 if there is none."""
    try:
        return parse_moment(datetime.fromisoformat(str(text)).isoformat(), "time")
    except (ValueError, InvalidRequest):
        return 0


def conversations(dialect: Dialect) -> RecordFormat[Conversation]:
    """Return the format of conversations. Without a scope of its own, one has an empty scope."""
    counted = "(SELECT count(*) FROM messages x WHERE x.conversation_id = m.conversation_id)"
    columns = {
        "number": "m.conversation_id",
        "id": dialect.name,
        "scope": dialect.scope,
        "title": "m.title",
        "created_at": "m.created_at",
        "updated_at": "m.updated_at",
        "messages": counted,
    }
    return RecordFormat("conversation", columns, from_row=_conversation)


def messages(dialect: Dialect) -> RecordFormat[StoredMessage]:
    """Return the format of messages."""
    columns = {
        "id": dialect.ref,
        "scope": dialect.scope,
        "seq": "m.seq",
        "role": "m.role",
        "content": "m.content",
        "created_at": "m.created_at",
        "trust": dialect.trust,
        "erased": dialect.erased,
        "identity_hash": dialect.hash,
        "said_by": dialect.by,
    }
    readable = {
        "role": ReadableColumn(Speaker, Speaker.TOOL.value),
        "trust": ReadableColumn(Trust, Trust.QUARANTINED.value),
        "content": READABLE_TEXT,
    }
    return RecordFormat("message", columns, from_row=_message, is_intact=_has_own_hash, readable=readable)


def summaries(dialect: Dialect) -> RecordFormat[Summary]:
    """Return the format of summaries, without the messages and summaries that they cover."""
    columns = {
        "id": "m.summary_id",
        "scope": dialect.scope,
        "kind": "m.kind",
        "depth": "m.depth",
        "content": "m.content",
        "earliest_at": "m.earliest_at",
        "latest_at": "m.latest_at",
        "created_at": "m.created_at",
        "trust": dialect.trust,
        "descendants": dialect.descendants,
        "stale": dialect.stale,
    }
    readable = {"trust": ReadableColumn(Trust, Trust.QUARANTINED.value)}
    return RecordFormat("summary", columns, from_row=_summary, readable=readable)


def _conversation(row: Row) -> Conversation:
    id, name, scope, title, created_at, updated_at, messages = row
    return Conversation(id, name, scope, title, moment_of(created_at), moment_of(updated_at), messages)


def _message(row: Row) -> StoredMessage:
    ref, _, seq, role, content, created_at, trust, erased, hash, by = row
    # The other program may have roles and contents that are unknown here.
    speaker = Speaker(role) if hash is not None or role in tuple(Speaker) else Speaker.TOOL
    text = replace_undecodable(content) if isinstance(content, str) else ""
    message = Message(ref, seq, speaker, text, moment_of(created_at), Trust(trust), bool(erased), by)
    return StoredMessage(message, hash)


def _has_own_hash(stored: StoredMessage) -> bool:
    return stored.hash is None or stored.message.erased or digest(stored.message.content) == stored.hash


def _summary(row: Row) -> Summary:
    id, _, kind, depth, content, earliest, latest, created, trust, descendants, stale = row
    return Summary(
        id=id,
        kind=kind,
        depth=depth,
        content=replace_undecodable(content) if isinstance(content, str) else "",
        earliest_at=moment_of(earliest or created),
        latest_at=moment_of(latest or created),
        trust=Trust(trust),
        descendants=descendants,
        stale=bool(stale),
    )


def _decision(row: Row) -> Decision:
    id, scope, conversation, choice, topic, statement, message, at, trust, rule, replaces, caused_by, reverses = row
    return Decision(
        DecisionId(id),
        scope,
        conversation,
        choice,
        topic,
        statement,
        message,
        at,
        Trust(trust),
        rule,
        replaces=None if replaces is None else DecisionId(replaces),
        caused_by=_causes(caused_by),
        reverses=bool(reverses),
    )


def _causes(text: str) -> tuple[DecisionId, ...]:
    return convert(json.loads(text), tuple[DecisionId, ...])


DECISIONS = RecordFormat(
    "decision",
    {
        name: f"m.{name}"
        for name in (
            "id", "scope", "conversation", "choice", "topic", "statement", "message_ref", "at", "trust", "rule", "replaces",
            "caused_by", "reverses",
        )
    },
    from_row=_decision,
    readable={
        "trust": ReadableColumn(Trust, Trust.QUARANTINED.value),
        "caused_by": ReadableColumn(_causes, "[]"),
    },
)  # fmt: skip


def _clause(row: Row) -> tuple[str, Clause]:
    id, _, kind, text, ref = row
    return id, Clause(ClauseKind(kind), text, ref)


# A clause has the scope of its decision.
CLAUSES = RecordFormat(
    "decision clause",
    {"id": "m.decision_id", "scope": "''", "kind": "m.kind", "text": "m.text", "message_ref": "m.message_ref"},
    from_row=_clause,
    readable={"kind": ReadableColumn(ClauseKind, ClauseKind.EVIDENCE.value)},
)


def quarantined_message(values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a damaged message as they are stored from now on."""
    return {**values, "trust": Trust.QUARANTINED.value, "identity_hash": digest(values["content"])}


def outdated_summary(values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a damaged summary so that the next message has it written again."""
    kind = "condensed" if values["depth"] else "leaf"
    return {**values, "kind": kind, "content": "", "stale": 1}
