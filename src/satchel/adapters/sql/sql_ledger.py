"""A ledger over a database: all stores, each loaded when it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from satchel.adapters.sql.feed import SqlFeed
from satchel.adapters.sql.memories.store import SqlMemories
from satchel.adapters.sql.memories.usage import SqlUsage
from satchel.adapters.sql.receipts import SqlReceipts
from satchel.adapters.sql.vectors import SqlVectors

if TYPE_CHECKING:
    from satchel.adapters.sql.attention.edges import SqlEdges
    from satchel.adapters.sql.attention.store import SqlCandidateLists, SqlDetails, SqlPackets
    from satchel.adapters.sql.conversations.store import SqlConversations
    from satchel.adapters.sql.documents.store import SqlDocuments
    from satchel.adapters.sql.engine import Database
    from satchel.adapters.sql.facts.store import SqlFacts
    from satchel.adapters.sql.graph.store import SqlGraph
    from satchel.adapters.sql.memories.changes import SqlChangeLog
    from satchel.adapters.sql.memories.history import SqlHistory
    from satchel.adapters.sql.moves.store import SqlScopeMoves
    from satchel.adapters.sql.observations.log import SqlLog
    from satchel.adapters.sql.observations.store import SqlObservations
    from satchel.adapters.sql.passages.store import SqlPassages
    from satchel.adapters.sql.scopes import SqlScopes
    from satchel.domain.answers import HealthFinding
    from satchel.domain.receipt import Receipt
    from satchel.domain.receipt_sections import ReadsFrom
    from satchel.domain.scope import Reach
    from satchel.ports import Files, Ledger
    from satchel.ports.damage import DamagedRecord

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
        """Rebuild everything derived from the records, after they were copied here."""
        from satchel.adapters.sql.health import rebuild_full_texts

        with self.database.writing() as db:
            rebuild_full_texts(db)

    # Stores that most operations do not use, loaded when one does

    @cached_property
    def edges(self) -> SqlEdges:
        from satchel.adapters.sql.attention.edges import SqlEdges

        return SqlEdges(self.database)

    @cached_property
    def details(self) -> SqlDetails:
        from satchel.adapters.sql.attention.store import SqlDetails

        return SqlDetails(self.database)

    @cached_property
    def candidate_lists(self) -> SqlCandidateLists:
        from satchel.adapters.sql.attention.store import SqlCandidateLists

        return SqlCandidateLists(self.database)

    @cached_property
    def packets(self) -> SqlPackets:
        from satchel.adapters.sql.attention.store import SqlPackets

        return SqlPackets(self.database)

    @cached_property
    def observations(self) -> SqlObservations:
        from satchel.adapters.sql.observations.store import SqlObservations

        return SqlObservations(self.database)

    @cached_property
    def log(self) -> SqlLog:
        from satchel.adapters.sql.observations.log import SqlLog

        return SqlLog(self.database)

    @cached_property
    def passages(self) -> SqlPassages:
        from satchel.adapters.sql.passages.store import SqlPassages

        return SqlPassages(self.database)

    @cached_property
    def documents(self) -> SqlDocuments:
        from satchel.adapters.sql.documents.store import SqlDocuments

        return SqlDocuments(self.database)

    @cached_property
    def graph(self) -> SqlGraph:
        from satchel.adapters.sql.graph.store import SqlGraph

        return SqlGraph(self.database)

    @cached_property
    def facts(self) -> SqlFacts:
        from satchel.adapters.sql.facts.store import SqlFacts

        return SqlFacts(self.database)

    @cached_property
    def conversations(self) -> SqlConversations:
        from satchel.adapters.sql.conversations.store import SqlConversations

        return SqlConversations(self.database)

    @cached_property
    def history(self) -> SqlHistory:
        from satchel.adapters.sql.memories.history import SqlHistory

        return SqlHistory(self.database)

    @cached_property
    def scopes(self) -> SqlScopes:
        from satchel.adapters.sql.scopes import SqlScopes

        return SqlScopes(self.database)

    @cached_property
    def scope_moves(self) -> SqlScopeMoves:
        from satchel.adapters.sql.moves.store import SqlScopeMoves

        return SqlScopeMoves(self.database)

    @cached_property
    def changes(self) -> SqlChangeLog:
        from satchel.adapters.sql.memories.changes import SqlChangeLog

        return SqlChangeLog(self.database)

    @property
    def read_only(self) -> bool:
        return self.database.read_only

    @property
    def location(self) -> str:
        return self.database.location

    @contextmanager
    def as_of(self, seq: int) -> Iterator[Ledger]:
        from satchel.adapters.sql.memories.as_of import open_as_of

        with open_as_of(self.database, seq) as (memories, vectors):
            then = copy(self)
            then.memories, then.vectors = memories, vectors
            yield then

    def damaged(self, reach: Reach) -> list[DamagedRecord]:
        from satchel.adapters.sql.quarantine import damaged_records

        with self.database.reading() as db:
            return [one for one in damaged_records(db) if reach.everywhere or one.scope in reach.scopes]

    def quarantine_damaged(self, actor: str, receipt: Callable[[Sequence[DamagedRecord]], Receipt]) -> None:
        if self.read_only:
            return
        from satchel.adapters.sql import quarantine

        # First: a record whose index entries are missing cannot be changed.
        self._rebuild_indexes()
        with self.database.reading() as db:
            damaged, unknown = quarantine.damaged_records(db), quarantine.count_unknown_states(db)
        if unknown:
            with self.database.writing() as db:
                quarantine.reset_unknown_states(db)
        if damaged:
            with self.database.writing() as db:
                quarantine.quarantine_damaged(db, actor, receipt(damaged))

    def _rebuild_indexes(self) -> None:
        """Make the indexes agree with the tables if they do not."""

    def _engine_findings(self) -> list[HealthFinding]:
        """Check what only this engine has."""
        return []

    def full_texts(self) -> Sequence[tuple[str, int, int]]:
        from satchel.adapters.sql.full_text import all_full_texts

        with self.database.reading() as db:
            return [
                (one.table.removesuffix("_text"), db.count_indexed(one), db.count_missing(one))
                for one in all_full_texts()
            ]

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        from satchel.adapters.sql.health import check_records

        return [*self._engine_findings(), *check_records(self.database, fix=fix)]

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
