"""Conversations in a SQLite ledger: messages, summaries and decisions."""

import json
from collections.abc import Sequence

import apsw
from msgspec.structs import replace

from satchel.adapters.sqlite import dependents, receipts
from satchel.adapters.sqlite.conversations import erase_messages
from satchel.adapters.sqlite.conversations.transcripts import SqliteTranscripts, moment_of
from satchel.adapters.sqlite.database import Database, Row, first, next_seq
from satchel.adapters.sqlite.memories.fulltext import count_matches, match_expression
from satchel.adapters.sqlite.where import all_of, one_of, reach_clause
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
from satchel.domain.moment import iso
from satchel.domain.receipt import Receipt
from satchel.domain.record import Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.ports.memories import Frequencies

_DECISION = (
    "m.id, m.scope, m.conversation, m.choice, m.topic, m.statement, m.message_ref, m.at, m.trust, m.rule, m.replaces, "
    "m.caused_by, m.reverses"
)


class SqliteConversations(SqliteTranscripts):
    """Implements ports.ConversationStore."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    def open(self, name: str, scope: str, title: str | None, at: int) -> Conversation:
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO conversations (session_id, title, created_at, updated_at, scope) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (scope, session_id) DO UPDATE SET title = coalesce(excluded.title, title)",
                (name, title, iso(at), iso(at), scope),
            )
            query = (
                "SELECT conversation_id, title, created_at, updated_at, (SELECT coalesce(max(seq), 0) FROM messages x "
                "WHERE x.conversation_id = m.conversation_id) FROM conversations m WHERE scope = ? AND session_id = ?"
            )
            row = first(db.execute(query, (scope, name)))
            assert row is not None
            id, kept_title, created_at, updated_at, last = row
            return Conversation(id, name, scope, kept_title, moment_of(created_at), moment_of(updated_at), last)

    def conversation_of(self, ref: str, view: View) -> Conversation | None:
        where, values = all_of(reach_clause(view.reach), ("m.ref = ?", [ref]))
        query = (
            f"SELECT c.session_id, m.scope FROM messages m JOIN conversations c USING (conversation_id) WHERE {where}"
        )
        with self._database.reading() as db:
            row = first(db.execute(query, values))
        return None if row is None else self.find(row[0], replace(view, reach=Reach((row[1],))))

    def append(self, conversation: Conversation, messages: Sequence[Message], receipt: Receipt) -> None:
        with self._database.writing() as db:
            for one in messages:
                db.execute(
                    "INSERT INTO messages (conversation_id, seq, role, content, token_count, identity_hash, created_at, "
                    "ref, scope, trust) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        conversation.id,
                        one.seq,
                        one.role,
                        one.content,
                        _tokens(one.content),
                        digest(one.content),
                        iso(one.at),
                        one.ref,
                        conversation.scope,
                        one.trust,
                    ),
                )
                erase_messages.index(db, db.last_insert_rowid(), one.content)
            db.execute(
                "UPDATE conversations SET updated_at = ? WHERE conversation_id = ?", (iso(receipt.at), conversation.id)
            )
            receipts.append(db, receipt)

    def keep_summaries(self, conversation: Conversation, summaries: Sequence[Summary]) -> None:
        with self._database.writing() as db:
            for one in summaries:
                _write_summary(db, conversation, one)

    def keep_decisions(self, conversation: Conversation, decisions: Sequence[Decision]) -> None:
        with self._database.writing() as db:
            for one in decisions:
                _write_decision(db, conversation, one)

    def decide(self, conversation: Conversation, decision: Decision, receipt: Receipt) -> None:
        with self._database.writing() as db:
            _write_decision(db, conversation, decision)
            receipts.append(db, receipt)

    def decisions(self, view: View, conversation: int | None = None) -> list[Decision]:
        clauses = [reach_clause(view.reach), one_of("m.trust", view.trusts)]
        if conversation is not None:
            clauses.append(("m.conversation_id = ?", [conversation]))
        where, values = all_of(*clauses)
        with self._database.reading() as db:
            rows = list[Row](
                db.execute(f"SELECT {_DECISION} FROM decisions m WHERE {where} ORDER BY m.at, m.row", values)
            )
            parts = _clauses(db, where, values)
            return [_decision(row, parts.get(row[0], ())) for row in rows]

    def decision(self, id: DecisionId, reach: Reach) -> Decision | None:
        where, values = all_of(("m.id = ?", [id]), reach_clause(reach))
        with self._database.reading() as db:
            row = first(db.execute(f"SELECT {_DECISION} FROM decisions m WHERE {where}", values))
            return None if row is None else _decision(row, _clauses(db, where, values).get(id, ()))

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Message]:
        if not terms:
            return []
        where, values = all_of(reach_clause(view.reach), one_of("m.trust", view.trusts), ("NOT m.erased", []))
        query = f"""
            SELECT m.ref, m.seq, m.role, m.content, m.created_at, m.trust
            FROM messages_fts CROSS JOIN messages m ON m.message_id = messages_fts.rowid
            WHERE messages_fts MATCH ? AND {where} ORDER BY bm25(messages_fts), m.ref LIMIT ?"""
        with self._database.reading() as db:
            rows = db.execute(query, [match_expression(terms), *values, limit])
            return [
                Message(ref, seq, Speaker(role), content, moment_of(at), Trust(trust))
                for ref, seq, role, content, at, trust in rows
            ]

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        with self._database.reading() as db:
            return Frequencies(
                count_matches(db, "messages_fts", terms),
                int(db.execute("SELECT coalesce(max(message_id), 0) FROM messages").get),
            )

    def contains(self, fragment: str, *, scope: str, excluding: Sequence[str]) -> bool:
        erased = " OR ".join(["instr(content, ?)"] * len(excluding)) or "0"
        in_messages = f"SELECT 1 FROM messages WHERE instr(content, ?) AND NOT (scope = ? AND ({erased})) LIMIT 1"
        # Decisions added by hand have no message.
        in_decisions = (
            "SELECT 1 FROM decisions m LEFT JOIN decision_clauses c ON c.decision_id = m.id WHERE m.message_ref IS NULL "
            "AND (instr(m.choice, ?1) OR instr(m.topic, ?1) OR instr(coalesce(c.text, ''), ?1)) LIMIT 1"
        )
        with self._database.reading() as db:
            if first(db.execute(in_messages, [fragment, scope, *excluding])) is not None:
                return True
            return first(db.execute(in_decisions, (fragment,))) is not None

    def is_quoted_by_trusted(self, id: str) -> bool:
        with self._database.reading() as db:
            return erase_messages.is_quoted_by_trusted(db, id)

    def erase_own_texts(self, conversation: Conversation) -> int:
        with self._database.writing() as db:
            return erase_messages.erase_own_texts(db, conversation.id)

    def erase(self, refs: Sequence[str], reach: Reach, receipt: Receipt) -> tuple[int, int]:
        with self._database.writing() as db:
            within, values = reach_clause(reach)
            query = f"SELECT m.ref FROM messages m WHERE m.ref = ? AND NOT m.erased AND {within}"
            targets = [ref for ref in refs if first(db.execute(query, [ref, *values])) is not None]
            dependents.erase_dependents(db, targets)
            decisions = sum(erase_messages.erase_message(db, ref) for ref in targets)
            for ref in targets:
                query = "INSERT OR IGNORE INTO tombstones (id, scope, forgotten_at, touched) SELECT ref, scope, ?, ? FROM messages WHERE ref = ?"
                db.execute(query, (receipt.at, next_seq(db), ref))
            receipts.append(db, receipt)
            return len(targets), decisions


def _tokens(text: str) -> int:
    return max(1, (len(text) + 3) // 4)


def _write_summary(db: apsw.Connection, conversation: Conversation, one: Summary) -> None:
    db.execute(
        "INSERT OR REPLACE INTO summaries (summary_id, conversation_id, kind, depth, content, token_count, earliest_at, "
        "latest_at, descendant_count, created_at, scope, trust, stale) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
        (
            one.id,
            conversation.id,
            one.kind,
            one.depth,
            one.content,
            _tokens(one.content),
            iso(one.earliest_at),
            iso(one.latest_at),
            one.descendants,
            iso(one.latest_at),
            conversation.scope,
            one.trust,
        ),
    )
    db.executemany(
        "INSERT OR IGNORE INTO summary_messages SELECT ?, message_id, ? FROM messages WHERE ref = ?",
        [(one.id, place, ref) for place, ref in enumerate(one.messages)],
    )
    db.executemany(
        "INSERT OR IGNORE INTO summary_parents VALUES (?, ?, ?)",
        [(one.id, source, place) for place, source in enumerate(one.sources)],
    )


def _write_decision(db: apsw.Connection, conversation: Conversation, one: Decision) -> None:
    values = (
        conversation.id,
        one.conversation,
        one.scope,
        one.trust,
        one.message,
        one.at,
        one.choice,
        one.topic,
        one.statement,
        one.rule,
        int(one.reverses),
        one.replaces,
        json.dumps(one.caused_by),
    )
    db.execute(
        "INSERT INTO decisions (id, conversation_id, conversation, scope, trust, message_ref, at, choice, topic, statement, "
        "rule, reverses, replaces, caused_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
        "trust = excluded.trust, topic = excluded.topic, replaces = coalesce(replaces, excluded.replaces)",
        (one.id, *values),
    )
    db.execute("DELETE FROM decision_clauses WHERE decision_id = ?", (one.id,))
    db.executemany(
        "INSERT INTO decision_clauses VALUES (?, ?, ?, ?, ?)",
        [(one.id, place, part.kind.value, part.text, part.message) for place, part in enumerate(one.clauses)],
    )


def _clauses(db: apsw.Connection, where: str, values: list[object]) -> dict[str, list[Clause]]:
    """Return the clauses of the decisions that match a condition on `m`, by decision."""
    query = (
        "SELECT c.decision_id, c.kind, c.text, c.message_ref FROM decisions m JOIN decision_clauses c "
        f"ON c.decision_id = m.id WHERE {where} ORDER BY c.decision_id, c.ordinal"
    )
    found: dict[str, list[Clause]] = {}
    for id, kind, text, ref in db.execute(query, values):
        found.setdefault(id, []).append(Clause(ClauseKind(kind), text, ref))
    return found


def _decision(row: Row, clauses: Sequence[Clause]) -> Decision:
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
        tuple(clauses),
        None if replaces is None else DecisionId(replaces),
        tuple(map(DecisionId, json.loads(caused_by))),
        bool(reverses),
    )
