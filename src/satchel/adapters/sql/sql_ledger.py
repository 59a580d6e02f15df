"""A ledger over a database: all stores, and the health checks that every engine has."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from typing import TypeVar

from satchel.adapters.sql.attention.edges import SqlEdges, count_dangling, remove_dangling
from satchel.adapters.sql.attention.store import SqlCandidateLists, SqlDetails, SqlPackets
from satchel.adapters.sql.conversations.store import SqlConversations
from satchel.adapters.sql.documents.store import SqlDocuments
from satchel.adapters.sql.engine import Connection, Database
from satchel.adapters.sql.facts import store as facts
from satchel.adapters.sql.facts.store import SqlFacts
from satchel.adapters.sql.feed import SqlFeed
from satchel.adapters.sql.full_text import all_full_texts
from satchel.adapters.sql.graph.store import SqlGraph
from satchel.adapters.sql.memories import fulltext
from satchel.adapters.sql.memories.as_of import open_as_of
from satchel.adapters.sql.memories.changes import SqlChangeLog
from satchel.adapters.sql.memories.history import SqlHistory
from satchel.adapters.sql.memories.store import SqlMemories
from satchel.adapters.sql.memories.usage import SqlUsage
from satchel.adapters.sql.moves.store import SqlScopeMoves
from satchel.adapters.sql.observations import store as observations
from satchel.adapters.sql.observations.log import SqlLog
from satchel.adapters.sql.observations.store import SqlObservations
from satchel.adapters.sql.passages import rows as passages
from satchel.adapters.sql.passages.store import SqlPassages
from satchel.adapters.sql.quarantine import (
    count_unknown_states,
    damaged_records,
    quarantine_damaged,
    reset_unknown_states,
)
from satchel.adapters.sql.receipts import SqlReceipts
from satchel.adapters.sql.scopes import SqlScopes
from satchel.adapters.sql.vectors import SqlVectors
from satchel.domain.answers import HealthFinding
from satchel.domain.receipt import Receipt
from satchel.domain.receipt_sections import ReadsFrom
from satchel.domain.scope import Reach
from satchel.errors import Corrupt, Unavailable
from satchel.ports import Files, Ledger
from satchel.ports.damage import DamagedRecord, name_damaged

T = TypeVar("T")


class SqlLedger:
    """Implements ports.Ledger over a database. What only one engine has is left to its own class."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.memories = SqlMemories(self.database)
        self.receipts = SqlReceipts(self.database)
        self.vectors = SqlVectors(self.database)
        self.feed = SqlFeed(self.database)
        self.usage = SqlUsage(self.database)
        # Finishes the scrub of a forget that was interrupted or held up by a reader; without waiting.
        if not self.read_only and self.memories.unscrubbed():
            self.memories.scrub(timeout_ms=0)

    def rebuild_derived(self) -> None:
        """Make everything anew that is derived from the records: after they were copied here."""
        with self.database.writing() as db:
            rebuild_full_texts(db)

    # Stores that most operations do not use

    @cached_property
    def edges(self) -> SqlEdges:
        return SqlEdges(self.database)

    @cached_property
    def details(self) -> SqlDetails:
        return SqlDetails(self.database)

    @cached_property
    def candidate_lists(self) -> SqlCandidateLists:
        return SqlCandidateLists(self.database)

    @cached_property
    def packets(self) -> SqlPackets:
        return SqlPackets(self.database)

    @cached_property
    def observations(self) -> SqlObservations:
        return SqlObservations(self.database)

    @cached_property
    def log(self) -> SqlLog:
        return SqlLog(self.database)

    @cached_property
    def passages(self) -> SqlPassages:
        return SqlPassages(self.database)

    @cached_property
    def documents(self) -> SqlDocuments:
        return SqlDocuments(self.database)

    @cached_property
    def graph(self) -> SqlGraph:
        return SqlGraph(self.database)

    @cached_property
    def facts(self) -> SqlFacts:
        return SqlFacts(self.database)

    @cached_property
    def conversations(self) -> SqlConversations:
        return SqlConversations(self.database)

    @cached_property
    def history(self) -> SqlHistory:
        return SqlHistory(self.database)

    @cached_property
    def scopes(self) -> SqlScopes:
        return SqlScopes(self.database)

    @cached_property
    def scope_moves(self) -> SqlScopeMoves:
        return SqlScopeMoves(self.database)

    @cached_property
    def changes(self) -> SqlChangeLog:
        return SqlChangeLog(self.database)

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

    @property
    def is_on_server(self) -> bool:
        return False

    def searched_with(self, files: Files) -> Files:
        """Return these files for a search for erased text, together with what else holds the store."""
        return files

    def read_from_replica(self, read: Callable[[], T]) -> tuple[T, ReadsFrom | None]:
        return read(), None

    def wait_for_write(self, seconds: float) -> bool:
        return self.database.wait_for_write(seconds)

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
            rebuild_full_texts(db)
        return HealthFinding("full text", "ok", f"rebuilt ({problem})")


def rebuild_full_texts(db: Connection) -> None:
    """Index every text again."""
    for module in (fulltext, observations, passages, facts):
        module.rebuild_full_text(db)


def _hashes_finding(db: Connection) -> HealthFinding:
    if damaged := damaged_records(db):
        message = f"{len(damaged)} records are unreadable or do not match their hash: {name_damaged(damaged)}"
        fix = "restore a backup, or run satchel doctor --fix to quarantine them"
        return HealthFinding("memory texts", "bad", message, fix)
    return HealthFinding("memory texts", "ok", "every text matches its hash")
