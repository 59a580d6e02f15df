"""Conversations in a ledger: messages, summaries and decisions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.adapters.sql import dependents, receipts
from satchel.adapters.sql.conversations import erase_messages, message_passages
from satchel.adapters.sql.conversations.rows import CLAUSES, DECISIONS, LEDGER, messages
from satchel.adapters.sql.conversations.transcripts import SqlTranscripts
from satchel.adapters.sql.engine import Connection, Database, first, next_seq
from satchel.adapters.sql.passages.rows import found_by_id, put_passage
from satchel.adapters.sql.records import decodable_rows
from satchel.adapters.sql.scope_seeds import seeds_of
from satchel.adapters.sql.where import all_of, id_batches, one_of, reach_clause, upsert
from satchel.domain.canonical import digest
from satchel.domain.conversation import (
    Clause,
    Conversation,
    Decision,
    DecisionId,
    Message,
    OpenConversation,
    Summary,
)
from satchel.domain.moment import iso
from satchel.domain.passage import PassageId
from satchel.domain.record import Trust
from satchel.domain.scope import Reach
from satchel.ports.damage import report

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.view import View

MESSAGES = messages(LEDGER)


class SqlConversations(SqlTranscripts):
    """Implements ports.ConversationStore."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    def open(self, name: str, scope: str, title: str | None, at: int) -> OpenConversation:
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO conversations (session_id, title, created_at, updated_at, scope) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (scope, session_id) DO UPDATE SET title = coalesce(excluded.title, conversations.title)",
                (name, title, iso(at), iso(at), scope),
            )
            query = (
                "SELECT (SELECT coalesce(max(seq), 0) FROM messages x WHERE x.conversation_id = m.conversation_id), seed, "
                f"coalesce(seed_name, session_id), {self._conversation.selected} "
                "FROM conversations m WHERE scope = ? AND session_id = ?"
            )
            [((last, seed, seed_name), kept, damage)] = self._conversation.rows(db, query, (scope, name))
            if damage is not None:
                report(damage)
            ids_from = (seeds_of(db, scope).own if seed is None else seed, seed_name)
            times = kept.created_at, kept.updated_at
            return OpenConversation(kept.id, name, scope, kept.title, *times, last, ids_from=ids_from)

    def conversation_of(self, ref: str, view: View) -> Conversation | None:
        where, values = all_of(reach_clause(view.reach), ("m.ref = ?", [ref]))
        query = (
            f"SELECT c.session_id, m.scope FROM messages m JOIN conversations c USING (conversation_id) WHERE {where}"
        )
        with self._database.reading() as db:
            row = first(db.execute(query, values))
        return None if row is None else self.find(row[0], replace(view, reach=Reach((row[1],))))

    def refs(self, conversation: int) -> list[str]:
        query = "SELECT ref FROM messages WHERE conversation_id = ? AND erased = 0 ORDER BY seq"
        with self._database.reading() as db:
            return [ref for (ref,) in decodable_rows(db, query, (conversation,))]

    def said_at(self, conversation: Conversation, moments: Sequence[int]) -> list[Message]:
        found: list[Message] = []
        with self._database.reading() as db:
            for among, times in id_batches("m.created_at", sorted({iso(one) for one in moments})):
                where = f"WHERE m.conversation_id = ? AND m.erased = 0 AND {among} ORDER BY m.seq"
                found += self._messages(db, where, [conversation.id, *times])
        return found

    def append(self, conversation: Conversation, messages: Sequence[Message], receipt: Receipt) -> None:
        with self._database.writing() as db:
            for one in messages:
                db.execute(
                    "INSERT INTO messages (conversation_id, seq, role, content, token_count, identity_hash, created_at, "
                    "ref, scope, trust, said_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
                        one.by,
                    ),
                )
                message_passages.put(db, conversation.name, conversation.scope, one)
            db.execute(
                "UPDATE conversations SET updated_at = ? WHERE conversation_id = ?", (iso(receipt.at), conversation.id)
            )
            receipts.append(db, receipt)

    def confirm(self, refs: Sequence[str]) -> None:
        with self._database.writing() as db:
            for ref in refs:
                db.execute("UPDATE messages SET trust = ? WHERE ref = ? AND erased = 0", (Trust.TRUSTED, ref))
                for found in found_by_id(db, [PassageId(ref)]):
                    put_passage(db, replace(found.record, trust=Trust.TRUSTED))

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
            return _decisions(db, f"{where} ORDER BY m.at, m.row", values)

    def decision(self, id: DecisionId, reach: Reach) -> Decision | None:
        where, values = all_of(("m.id = ?", [id]), reach_clause(reach))
        with self._database.reading() as db:
            return next(iter(_decisions(db, where, values)), None)

    def contains(self, fragment: str, *, scope: str, excluding: Sequence[str]) -> bool:
        erased = " OR ".join(["instr(content, ?) > 0"] * len(excluding)) or "false"
        in_messages = f"SELECT 1 FROM messages WHERE instr(content, ?) > 0 AND NOT (scope = ? AND ({erased})) LIMIT 1"
        # Decisions added by hand have no message.
        in_decisions = (
            "SELECT 1 FROM decisions m LEFT JOIN decision_clauses c ON c.decision_id = m.id WHERE m.message_ref IS NULL "
            "AND (instr(m.choice, ?1) > 0 OR instr(m.topic, ?1) > 0 OR instr(coalesce(c.text, ''), ?1) > 0) LIMIT 1"
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
            query = f"SELECT m.ref FROM messages m WHERE m.ref = ? AND m.erased = 0 AND {within}"
            targets = [ref for ref in refs if first(db.execute(query, [ref, *values])) is not None]
            dependents.erase_dependents(db, targets, receipt)
            decisions = sum(erase_messages.erase_message(db, ref) for ref in targets)
            for ref in targets:
                query = "INSERT INTO tombstones (id, scope, forgotten_at, touched) SELECT ref, scope, ?, ? FROM messages WHERE ref = ? ON CONFLICT DO NOTHING"
                db.execute(query, (receipt.at, next_seq(db), ref))
            receipts.append(db, receipt)
            return len(targets), decisions


def _tokens(text: str) -> int:
    return max(1, (len(text) + 3) // 4)


_SUMMARY_COLUMNS = (
    "summary_id",
    "conversation_id",
    "kind",
    "depth",
    "content",
    "token_count",
    "earliest_at",
    "latest_at",
    "descendant_count",
    "created_at",
    "scope",
    "trust",
    "stale",
)


def _write_summary(db: Connection, conversation: Conversation, one: Summary) -> None:
    db.execute(
        upsert("summaries", _SUMMARY_COLUMNS, ("summary_id",)),
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
            0,
        ),
    )
    db.executemany(
        "INSERT INTO summary_messages SELECT ?, message_id, ? FROM messages WHERE ref = ? ON CONFLICT DO NOTHING",
        [(one.id, place, ref) for place, ref in enumerate(one.messages)],
    )
    db.executemany(
        "INSERT INTO summary_parents VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(one.id, source, place) for place, source in enumerate(one.sources)],
    )


def _write_decision(db: Connection, conversation: Conversation, one: Decision) -> None:
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
        "trust = excluded.trust, topic = excluded.topic, replaces = coalesce(decisions.replaces, excluded.replaces)",
        (one.id, *values),
    )
    db.execute("DELETE FROM decision_clauses WHERE decision_id = ?", (one.id,))
    db.executemany(
        "INSERT INTO decision_clauses VALUES (?, ?, ?, ?, ?)",
        [(one.id, place, part.kind.value, part.text, part.message) for place, part in enumerate(one.clauses)],
    )


def _decisions(db: Connection, condition: str, values: list[object]) -> list[Decision]:
    clauses: dict[str, list[Clause]] = {}
    found = list(DECISIONS.read(db, f"SELECT {DECISIONS.selected} FROM decisions m WHERE {condition}", values))
    for among, ids in id_batches("m.decision_id", [one.id for one in found]):
        query = f"SELECT {CLAUSES.selected} FROM decision_clauses m WHERE {among} ORDER BY m.decision_id, m.ordinal"
        for id, clause in CLAUSES.read(db, query, ids):
            clauses.setdefault(id, []).append(clause)
    return [replace(one, clauses=tuple(clauses.get(one.id, ()))) for one in found]
