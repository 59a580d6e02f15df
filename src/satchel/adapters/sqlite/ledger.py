"""The SQLite ledger: all stores over one file, and its health checks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from functools import cached_property
from pathlib import Path

import apsw

from satchel.adapters.sqlite.attention.edges import SqliteEdges, count_dangling, remove_dangling
from satchel.adapters.sqlite.attention.store import SqliteCandidateLists, SqliteDetails, SqlitePackets
from satchel.adapters.sqlite.conversations.store import SqliteConversations
from satchel.adapters.sqlite.database import Database, sqlite_version
from satchel.adapters.sqlite.documents.store import SqliteDocuments
from satchel.adapters.sqlite.facts import store as facts
from satchel.adapters.sqlite.facts.store import SqliteFacts
from satchel.adapters.sqlite.feed import SqliteFeed
from satchel.adapters.sqlite.graph.store import SqliteGraph
from satchel.adapters.sqlite.lost_ledger import mark_made
from satchel.adapters.sqlite.memories import fulltext
from satchel.adapters.sqlite.memories.as_of import open_as_of
from satchel.adapters.sqlite.memories.changes import SqliteChangeLog
from satchel.adapters.sqlite.memories.history import SqliteHistory
from satchel.adapters.sqlite.memories.store import SqliteMemories
from satchel.adapters.sqlite.memories.usage import SqliteUsage
from satchel.adapters.sqlite.migrations import migrate
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
from satchel.domain.passage import EvidenceLane
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach
from satchel.errors import Corrupt, Unavailable
from satchel.ports import Ledger
from satchel.ports.damage import DamagedRecord, name_damaged

# Earlier versions can corrupt a WAL database when two connections write and checkpoint at the same time.
MIN_SQLITE = (3, 51, 3)

# Each full-text table with the rows that it must have.
_FULL_TEXTS = {
    "memories_text": "SELECT row FROM memories",
    "observations_text": "SELECT row FROM observations",
    "facts_text": "SELECT row FROM facts",
    **{f"{lane}_text": f"SELECT row FROM passages WHERE lane = '{lane}'" for lane in EvidenceLane},
}


class SqliteLedger:
    """Implements ports.Ledger over a file, or in memory without a path."""

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self._database = Database(path, read_only=read_only)
        try:
            migrate(self._database)
            if path is not None and not self._database.read_only:
                mark_made(path)
        except BaseException:  # also a signal: nobody else can close the database
            self._database.close()
            raise
        self.memories = SqliteMemories(self._database)
        self.receipts = SqliteReceipts(self._database)
        self.vectors = SqliteVectors(self._database)
        self.feed = SqliteFeed(self._database)
        self.usage = SqliteUsage(self._database)
        # Finishes the scrub of a forget that was interrupted or held up by a reader; without waiting.
        if not self.read_only and self.memories.unscrubbed():
            self.memories.scrub(timeout_ms=0)

    # Stores that most operations do not use

    @cached_property
    def edges(self) -> SqliteEdges:
        return SqliteEdges(self._database)

    @cached_property
    def details(self) -> SqliteDetails:
        return SqliteDetails(self._database)

    @cached_property
    def candidate_lists(self) -> SqliteCandidateLists:
        return SqliteCandidateLists(self._database)

    @cached_property
    def packets(self) -> SqlitePackets:
        return SqlitePackets(self._database)

    @cached_property
    def observations(self) -> SqliteObservations:
        return SqliteObservations(self._database)

    @cached_property
    def log(self) -> SqliteLog:
        return SqliteLog(self._database)

    @cached_property
    def passages(self) -> SqlitePassages:
        return SqlitePassages(self._database)

    @cached_property
    def documents(self) -> SqliteDocuments:
        return SqliteDocuments(self._database)

    @cached_property
    def graph(self) -> SqliteGraph:
        return SqliteGraph(self._database)

    @cached_property
    def facts(self) -> SqliteFacts:
        return SqliteFacts(self._database)

    @cached_property
    def conversations(self) -> SqliteConversations:
        return SqliteConversations(self._database)

    @cached_property
    def history(self) -> SqliteHistory:
        return SqliteHistory(self._database)

    @cached_property
    def scopes(self) -> SqliteScopes:
        return SqliteScopes(self._database)

    @cached_property
    def scope_moves(self) -> SqliteScopeMoves:
        return SqliteScopeMoves(self._database)

    @cached_property
    def changes(self) -> SqliteChangeLog:
        return SqliteChangeLog(self._database)

    @property
    def read_only(self) -> bool:
        return self._database.read_only

    @property
    def location(self) -> str:
        return ":memory:" if self._database.path is None else str(self._database.path)

    @contextmanager
    def as_of(self, seq: int) -> Iterator[Ledger]:
        with open_as_of(self._database, seq) as (memories, vectors):
            then = copy(self)
            then.memories, then.vectors = memories, vectors
            yield then

    def damaged(self, reach: Reach) -> list[DamagedRecord]:
        with self._database.reading() as db:
            return [one for one in damaged_records(db) if reach.everywhere or one.scope in reach.scopes]

    def quarantine_damaged(self, actor: str, receipt: Callable[[Sequence[DamagedRecord]], Receipt]) -> None:
        if self.read_only:
            return
        # First: a record whose index entries are missing cannot be changed.
        self._rebuild_indexes()
        with self._database.reading() as db:
            damaged, unknown = damaged_records(db), count_unknown_states(db)
        if unknown:
            with self._database.writing() as db:
                reset_unknown_states(db)
        if damaged:
            with self._database.writing() as db:
                quarantine_damaged(db, actor, receipt(damaged))

    def _rebuild_indexes(self) -> None:
        """Make the indexes agree with the tables if the integrity check fails. A damaged table stays as it is."""
        if self._examined("ledger pages", _pages_finding).status == "bad":
            with suppress(Corrupt), self._database.writing() as db:
                db.execute("REINDEX")

    def full_texts(self) -> Sequence[tuple[str, int, int]]:
        with self._database.reading() as db:
            return [
                (
                    table.removesuffix("_text"),
                    int(db.execute(f"SELECT count(*) FROM {table}_docsize").get),
                    fulltext.count_missing(db, table, rows),
                )
                for table, rows in _FULL_TEXTS.items()
            ]

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        examined = [self._examined("ledger pages", _pages_finding), self._examined("memory texts", _hashes_finding)]
        return [
            _library_finding(),
            *examined,
            self._full_text_finding(fix),
            self._edges_finding(fix),
            *self._facts_finding(),
        ]

    def _edges_finding(self, fix: bool) -> HealthFinding:
        with self._database.writing() if fix else self._database.reading() as db:
            dangling = remove_dangling(db) if fix else count_dangling(db)
        if not dangling:
            return HealthFinding("edges", "ok", "every edge joins two memories")
        if fix:
            return HealthFinding("edges", "ok", f"{dangling} led to no memory; removed")
        return HealthFinding("edges", "bad", f"{dangling} lead to no memory", "satchel doctor --fix removes them")

    def _facts_finding(self) -> list[HealthFinding]:
        with self._database.reading() as db:
            stale = facts.count_unsupported(db)
        if not stale:
            return []
        message = f"{stale} facts rest on a source that was changed or forgotten; they are not used in answers"
        return [HealthFinding("facts", "warning", message, "satchel fact stale --apply marks them")]

    def close(self) -> None:
        self._database.close()

    def _examined(self, check: str, finding: Callable[[apsw.Connection], HealthFinding]) -> HealthFinding:
        try:
            with self._database.reading() as db:
                return finding(db)
        except (Corrupt, Unavailable) as error:
            return HealthFinding(check, "bad", error.message, error.hint)

    def _full_text_finding(self, fix: bool) -> HealthFinding:
        if self.read_only:
            return HealthFinding("full text", "warning", "not examined: the store is read-only")
        try:
            # The check needs the write lock, although it changes nothing.
            with self._database.writing(optional=not fix) as db:
                wrong = sum(fulltext.count_mismatches(db, table, rows) for table, rows in _FULL_TEXTS.items())
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
        with self._database.writing() as db:
            for module in (fulltext, observations, passages, facts):
                module.rebuild_full_text(db)
        return HealthFinding("full text", "ok", f"rebuilt ({problem})")


def _library_finding() -> HealthFinding:
    version = sqlite_version()
    if tuple(map(int, version.split("."))) < MIN_SQLITE:
        return HealthFinding("SQLite", "warning", f"{version} can corrupt a WAL database", "upgrade the package apsw")
    return HealthFinding("SQLite", "ok", version)


def _pages_finding(db: apsw.Connection) -> HealthFinding:
    problems = [row[0] for row in db.execute("PRAGMA integrity_check(10)")]
    if problems == ["ok"]:
        return HealthFinding("ledger pages", "ok", "the integrity check passed")
    return HealthFinding("ledger pages", "bad", "; ".join(problems), "restore a backup; keep the damaged file")


def _hashes_finding(db: apsw.Connection) -> HealthFinding:
    if damaged := damaged_records(db):
        message = f"{len(damaged)} records are unreadable or do not match their hash: {name_damaged(damaged)}"
        fix = "restore a backup, or run satchel doctor --fix to quarantine them"
        return HealthFinding("memory texts", "bad", message, fix)
    return HealthFinding("memory texts", "ok", "every text matches its hash")
