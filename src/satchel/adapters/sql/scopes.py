"""All records of a scope in a ledger, whatever their kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql import receipts
from satchel.adapters.sql.attention import store as attention
from satchel.adapters.sql.engine import Connection, Database, Row, first
from satchel.adapters.sql.facts import store as facts
from satchel.adapters.sql.graph import store as graph
from satchel.adapters.sql.memories import erase_working_set
from satchel.adapters.sql.memories.erase import erase_record
from satchel.adapters.sql.memories.rows import MEMORIES
from satchel.adapters.sql.memories.rows import SELECTED as OF_MEMORIES
from satchel.adapters.sql.observations import store as observations
from satchel.adapters.sql.passages.rows import PASSAGES, remove_passage
from satchel.adapters.sql.passages.rows import SELECTED as OF_PASSAGES
from satchel.adapters.sql.records import decodable_rows
from satchel.adapters.sql.scope_seeds import moved_to, seeds_of
from satchel.domain.passage import EvidenceLane
from satchel.domain.record import WORKING_SET
from satchel.domain.scopes import ScopeContents, ScopeSeeds

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt

_OWN = f"id NOT BETWEEN '{WORKING_SET}' AND '{WORKING_SET}\U0010ffff'"
# Each kind of record with its table, and the condition on what counts as one.
_KINDS: Mapping[str, tuple[str, str]] = {
    "memories": ("memories", _OWN),
    "observations": ("observations", "true"),
    "log lines": ("log_lines", "true"),
    "episodes": ("passages", f"lane = '{EvidenceLane.EPISODES}'"),
    "documents": ("documents", "true"),
    "conversations": ("conversations", "true"),
    "decisions": ("decisions", "true"),
    "facts": ("facts", "true"),
    "graph sources": ("graph_sources", "true"),
    "packets": ("packets", "true"),
}
# Each table with a text, that text, and the number of its rows.
_TEXTS: Mapping[str, tuple[str, str]] = {
    "memories": ("text", "row"),
    "observations": ("text", "row"),
    "passages": ("text", "row"),
    "messages": ("content", "message_id"),
    "decisions": ("choice", "row"),
    "facts": ("assertion", "row"),
}
_OF_CONVERSATIONS = (
    "DELETE FROM summary_messages WHERE summary_id IN (SELECT summary_id FROM summaries WHERE scope = ?)",
    "DELETE FROM summary_parents WHERE summary_id IN (SELECT summary_id FROM summaries WHERE scope = ?)",
    "DELETE FROM decision_clauses WHERE decision_id IN (SELECT id FROM decisions WHERE scope = ?)",
    "DELETE FROM decisions WHERE scope = ?",
    "DELETE FROM summaries WHERE scope = ?",
    "DELETE FROM messages WHERE scope = ?",
    "DELETE FROM conversations WHERE scope = ?",
)
_OTHER_TABLES = ("documents", "documents_forgotten", "document_collections", "log_lines", "fact_events")


class SqlScopes:
    """Implements ports.ScopeStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def contents(self) -> Sequence[ScopeContents]:
        found: dict[str, dict[str, int]] = defaultdict(dict)
        newest: dict[str, int] = {}
        with self._database.reading() as db:
            for kind, (table, condition) in _KINDS.items():
                query = f"SELECT scope, count(*) FROM {table} WHERE {condition} GROUP BY scope"
                for scope, count in decodable_rows(db, query):
                    found[scope][kind] = count
            for table, column, condition in (("memories", "created_at", _OWN), ("observations", "at", "true")):
                query = f"SELECT scope, max({column}) FROM {table} WHERE {condition} GROUP BY scope"
                for scope, at in decodable_rows(db, query):
                    newest[scope] = max(at, newest.get(scope, at))
        return [ScopeContents(scope, found[scope], newest.get(scope)) for scope in sorted(found)]

    def seeds(self, scope: str) -> ScopeSeeds:
        with self._database.reading() as db:
            return seeds_of(db, scope)

    def moved_to(self, scope: str, at: int) -> str:
        with self._database.reading() as db:
            return moved_to(db, scope, at)

    def sample(self, scope: str, limit: int) -> Sequence[str]:
        with self._database.reading() as db:
            return [
                text
                for table, (column, number) in _TEXTS.items()
                for (text,) in decodable_rows(
                    db, f"SELECT {column} FROM {table} WHERE scope = ? ORDER BY {number} DESC LIMIT ?", (scope, limit)
                )
            ]

    def is_elsewhere(self, fragment: str, scope: str) -> bool:
        with self._database.reading() as db:
            return any(
                first(
                    db.execute(
                        f"SELECT 1 FROM {table} WHERE scope <> ? AND instr({column}, ?) > 0 LIMIT 1", (scope, fragment)
                    )
                )
                for table, (column, _) in _TEXTS.items()
            )

    def own_payloads(self, scope: str) -> Sequence[str]:
        query = """
            SELECT DISTINCT payload FROM observations m WHERE scope = ?1 AND payload IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM observations o WHERE o.payload = m.payload AND o.scope <> ?1) ORDER BY payload"""
        with self._database.reading() as db:
            return [str(payload) for (payload,) in decodable_rows(db, query, (scope,))]

    def erase_batch(self, scope: str, limit: int, actor: str, receipt: Receipt) -> int:
        with self._database.writing() as db:
            erased = (
                _erase_memories(db, scope, limit, actor, receipt)
                or _erase_observations(db, scope, limit, actor, receipt)
                or _erase_passages(db, scope, limit)
            )
            if erased:
                receipts.append(db, receipt)
            return erased

    def erase_rest(self, scope: str, receipt: Receipt) -> Mapping[str, int]:
        with self._database.writing() as db:
            before = {
                kind: int(db.execute(f"SELECT count(*) FROM {table} WHERE scope = ? AND {condition}", (scope,)).get)
                for kind, (table, condition) in _KINDS.items()
            }
            facts.erase_scope(db, scope)
            graph.erase_scope(db, scope)
            attention.erase_scope(db, scope)
            erase_working_set.erase_scope(db, scope, receipt)
            for statement in _OF_CONVERSATIONS:
                db.execute(statement, (scope,))
            for table in _OTHER_TABLES:
                db.execute(f"DELETE FROM {table} WHERE scope = ?", (scope,))
            receipts.append(db, receipt)
            return before


def _erase_memories(db: Connection, scope: str, limit: int, actor: str, receipt: Receipt) -> int:
    query = f"SELECT m.row, {OF_MEMORIES} FROM memories m WHERE m.scope = ? AND m.{_OWN} ORDER BY m.row LIMIT ?"
    found = [*MEMORIES.rows(db, query, (scope, limit))]
    for (row,), memory, damage in found:
        erase_record(db, row, memory, actor, receipt, damaged=damage is not None)
    return len(found)


def _erase_observations(db: Connection, scope: str, limit: int, actor: str, receipt: Receipt) -> int:
    query = "SELECT id FROM observations WHERE scope = ? ORDER BY row LIMIT ?"
    ids = [id for (id,) in list[Row](db.execute(query, (scope, limit)))]
    return sum(observations.erase_one(db, id, actor, receipt) for id in ids)


def _erase_passages(db: Connection, scope: str, limit: int) -> int:
    query = f"SELECT m.row, {OF_PASSAGES} FROM passages m WHERE m.scope = ? ORDER BY m.row LIMIT ?"
    found = [*PASSAGES.rows(db, query, (scope, limit))]
    for one in found:
        # The passage of a message may come again with another message in its place.
        remove_passage(db, one, forgotten=one.record.lane is not EvidenceLane.CONVERSATIONS)
    return len(found)
