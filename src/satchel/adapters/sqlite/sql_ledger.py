"""A ledger over a database: all stores, and the health checks that every engine has."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property

from satchel.adapters.sqlite.attention.edges import SqliteEdges, count_dangling, remove_dangling
from satchel.adapters.sqlite.attention.store import SqliteCandidateLists, SqliteDetails, SqlitePackets
from satchel.adapters.sqlite.conversations.store import SqliteConversations
from satchel.adapters.sqlite.documents.store import SqliteDocuments
from satchel.adapters.sqlite.engine import Connection, Database
from satchel.adapters.sqlite.facts import store as facts
from satchel.adapters.sqlite.facts.store import SqliteFacts
from satchel.adapters.sqlite.feed import SqliteFeed
from satchel.adapters.sqlite.full_text import all_full_texts
from satchel.adapters.sqlite.graph.store import SqliteGraph
from satchel.adapters.sqlite.memories import fulltext
from satchel.adapters.sqlite.memories.as_of import open_as_of
from satchel.adapters.sqlite.memories.changes import SqliteChangeLog
from satchel.adapters.sqlite.memories.history import SqliteHistory
from satchel.adapters.sqlite.memories.store import SqliteMemories
from satchel.adapters.sqlite.memories.usage import SqliteUsage
from satchel.adapters.sqlite.moves.store import SqliteScopeMoves
from satchel.adapters.sqlite.observations import store as observations
from satchel.adapters.sqlite.observations.log import SqliteLog
from satchel.adapters.sqlite.observations.store import SqliteObservations
from satchel.adapters.sqlite.passages import rows as passages
from satchel.adapters.sqlite.passages.store import SqlitePassages
from satchel.adapters.sqlite.quarantine import (
    count_unknown_states,
    damaged_records,
    quarantine_damaged,
    reset_unknown_states,
)
from satchel.adapters.sqlite.receipts import SqliteReceipts
from satchel.adapters.sqlite.scopes import SqliteScopes
from satchel.adapters.sqlite.vectors import SqliteVectors
from satchel.domain.answers import HealthFinding
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach
from satchel.errors import Corrupt, Unavailable
from satchel.ports import Ledger
from satchel.ports.damage import DamagedRecord, name_damaged


class SqlLedger:
    """Implements ports.Ledger over a database. What only one engine has is left to its own class."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.memories = SqliteMemories(self.database)
        self.receipts = SqliteReceipts(self.database)
        self.vectors = SqliteVectors(self.database)
        self.feed = SqliteFeed(self.database)
        self.usage = SqliteUsage(self.database)
        # Finishes the scrub of a forget that was interrupted or held up by a reader; without waiting.
        if not self.read_only and self.memories.unscrubbed():
            self.memories.scrub(timeout_ms=0)

    def rebuild_derived(self) -> None:
        """Make everything anew that is derived from the records: after they were copied here."""
        with self.database.writing() as db:
            for module in (fulltext, observations, passages, facts):
                module.rebuild_full_text(db)

    # Stores that most operations do not use

    @cached_property
    def edges(self) -> SqliteEdges:
        return SqliteEdges(self.database)

    @cached_property
    def details(self) -> SqliteDetails:
        return SqliteDetails(self.database)

    @cached_property
    def candidate_lists(self) -> SqliteCandidateLists:
        return SqliteCandidateLists(self.database)

    @cached_property
    def packets(self) -> SqlitePackets:
        return SqlitePackets(self.database)

    @cached_property
    def observations(self) -> SqliteObservations:
        return SqliteObservations(self.database)

    @cached_property
    def log(self) -> SqliteLog:
        return SqliteLog(self.database)

    @cached_property
    def passages(self) -> SqlitePassages:
        return SqlitePassages(self.database)

    @cached_property
    def documents(self) -> SqliteDocuments:
        return SqliteDocuments(self.database)

    @cached_property
    def graph(self) -> SqliteGraph:
        return SqliteGraph(self.database)

    @cached_property
    def facts(self) -> SqliteFacts:
        return SqliteFacts(self.database)

    @cached_property
    def conversations(self) -> SqliteConversations:
        return SqliteConversations(self.database)

    @cached_property
    def history(self) -> SqliteHistory:
        return SqliteHistory(self.database)

    @cached_property
    def scopes(self) -> SqliteScopes:
        return SqliteScopes(self.database)

    @cached_property
    def scope_moves(self) -> SqliteScopeMoves:
        return SqliteScopeMoves(self.database)

    @cached_property
    def changes(self) -> SqliteChangeLog:
        return SqliteChangeLog(self.database)

    @property
    def read_only(self) -> bool:
        return self.database.read_only

    @property
    def location(self) -> str:
        return self.database.location

    @contextmanager
    def as_of(self, seq: int) -> Iterator[Ledger]:
        with open_as_of(self.database, seq) as (memories, vectors):
            then = copy(self)
            then.memories, then.vectors = memories, vectors
            yield then

    def damaged(self, reach: Reach) -> list[DamagedRecord]:
        with self.database.reading() as db:
            return [one for one in damaged_records(db) if reach.everywhere or one.scope in reach.scopes]

    def quarantine_damaged(self, actor: str, receipt: Callable[[Sequence[DamagedRecord]], Receipt]) -> None:
        if self.read_only:
            return
        # First: a record whose index entries are missing cannot be changed.
        self._rebuild_indexes()
        with self.database.reading() as db:
            damaged, unknown = damaged_records(db), count_unknown_states(db)
        if unknown:
            with self.database.writing() as db:
                reset_unknown_states(db)
        if damaged:
            with self.database.writing() as db:
                quarantine_damaged(db, actor, receipt(damaged))

    def _rebuild_indexes(self) -> None:
        """Make the indexes agree with the tables if they do not."""

    def _engine_findings(self) -> list[HealthFinding]:
        """Check what only this engine has."""
        return []

    def full_texts(self) -> Sequence[tuple[str, int, int]]:
        with self.database.reading() as db:
            return [
                (one.table.removesuffix("_text"), db.count_indexed(one), db.count_missing(one))
                for one in all_full_texts()
            ]

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        return [
            *self._engine_findings(),
            self._examined("memory texts", _hashes_finding),
            self._full_text_finding(fix),
            self._edges_finding(fix),
            *self._facts_finding(),
        ]

    def _edges_finding(self, fix: bool) -> HealthFinding:
        with self.database.writing() if fix else self.database.reading() as db:
            dangling = remove_dangling(db) if fix else count_dangling(db)
        if not dangling:
            return HealthFinding("edges", "ok", "every edge joins two memories")
        if fix:
            return HealthFinding("edges", "ok", f"{dangling} led to no memory; removed")
        return HealthFinding("edges", "bad", f"{dangling} lead to no memory", "satchel doctor --fix removes them")

    def _facts_finding(self) -> list[HealthFinding]:
        with self.database.reading() as db:
            stale = facts.count_unsupported(db)
        if not stale:
            return []
        message = f"{stale} facts rest on a source that was changed or forgotten; they are not used in answers"
        return [HealthFinding("facts", "warning", message, "satchel fact stale --apply marks them")]

    def close(self) -> None:
        self.database.close()

    def _examined(self, check: str, finding: Callable[[Connection], HealthFinding]) -> HealthFinding:
        try:
            with self.database.reading() as db:
                return finding(db)
        except (Corrupt, Unavailable) as error:
            return HealthFinding(check, "bad", error.message, error.hint)

    def _full_text_finding(self, fix: bool) -> HealthFinding:
        if self.read_only:
            return HealthFinding("full text", "warning", "not examined: the store is read-only")
        try:
            # The check needs the write lock, although it changes nothing.
            with self.database.writing(optional=not fix) as db:
                wrong = sum(map(db.count_mismatches, all_full_texts()))
            problem = f"{wrong} records differ from their full text" if wrong else ""
        except Corrupt as error:
            problem = error.message
        except Unavailable as error:
            if fix:
                raise
            return HealthFinding("full text", "warning", f"not examined: {error.message}", error.hint)
        if not problem:
            return HealthFinding("full text", "ok", "every record is in the full text")
        if not fix:
            return HealthFinding("full text", "bad", problem, "satchel doctor --fix rebuilds it")
        with self.database.writing() as db:
            for module in (fulltext, observations, passages, facts):
                module.rebuild_full_text(db)
        return HealthFinding("full text", "ok", f"rebuilt ({problem})")


def _hashes_finding(db: Connection) -> HealthFinding:
    if damaged := damaged_records(db):
        message = f"{len(damaged)} records are unreadable or do not match their hash: {name_damaged(damaged)}"
        fix = "restore a backup, or run satchel doctor --fix to quarantine them"
        return HealthFinding("memory texts", "bad", message, fix)
    return HealthFinding("memory texts", "ok", "every text matches its hash")
