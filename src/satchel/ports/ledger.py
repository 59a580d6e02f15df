"""The ledger: all stores over one database, and the receipt chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.envelope import Outcome, failed_if

if TYPE_CHECKING:
    from satchel.domain.answers import HealthFinding
    from satchel.domain.receipt import Receipt
    from satchel.domain.receipt_sections import ReadsFrom
    from satchel.domain.record import MemoryId
    from satchel.domain.scope import Reach
    from satchel.ports.attention import CandidateLists, DetailsStore, PacketStore
    from satchel.ports.changes import ChangeLog
    from satchel.ports.conversations import ConversationStore
    from satchel.ports.damage import DamagedRecord
    from satchel.ports.documents import DocumentStore
    from satchel.ports.edges import EdgeStore
    from satchel.ports.facts import FactStore
    from satchel.ports.feed import Feed
    from satchel.ports.graph import GraphStore
    from satchel.ports.history import HistoryStore
    from satchel.ports.memories import MemoryStore
    from satchel.ports.observations import ObservationalLog, ObservationStore, UsageStore
    from satchel.ports.passages import PassageStore
    from satchel.ports.scopes import ScopeMoves, ScopeStore
    from satchel.ports.vectors import VectorStore

T = TypeVar("T")


class StoredReceipt(Struct, frozen=True):
    """A receipt in the ledger."""

    seq: int
    digest: str
    operation: str
    at: int
    duration_ms: float
    body: Mapping[str, Json]


class ChainState(Struct, frozen=True):
    """The result of verifying the receipt chain."""

    receipts: int
    broken_at: int | None
    """The sequence number of the first receipt that does not fit the chain, or None."""
    problem: str = ""

    @property
    def outcome(self) -> Outcome:
        """Failed if the chain is broken."""
        return failed_if(self.broken_at is not None)


class ReceiptSize(Struct, frozen=True):
    """How much receipts take."""

    receipts: int
    pruned: int
    """Of those: without a body."""
    chars: int
    """Of all bodies."""
    since: int | None
    """When the first was kept."""


class PrunedReceipts(Struct, frozen=True):
    """The bodies of old receipts were removed; digests and the links of the chain stay."""

    pruned: int
    chars: int
    """Of the removed bodies."""
    pruned_in_all: int
    """With earlier prunes."""
    proof: str
    """The digest of the numbers and digests of all pruned receipts."""


class ReceiptStore(Protocol):
    """Receipts, chained so that tampering is detected."""

    def keep(self, receipt: Receipt, used: Sequence[MemoryId]) -> bool:
        """Store the receipt of a read and count the use of what it returned. Does not wait long: False if not stored."""
        ...

    def recent(
        self,
        limit: int,
        operation: str | Sequence[str] | None = None,
        scope: str | None = None,
        *,
        since: int | None = None,
        until: int | None = None,
        before: int | None = None,
        mentions: str | None = None,
        actor: str | None = None,
        among: int | None = None,
    ) -> list[StoredReceipt]:
        """Return the newest receipts, newest first, optionally of one or some operations and of requests in one scope.

        `since` and `until` limit their time, `until` excluded; `before` their sequence number; `mentions` is an id;
        `among` searches only this many of the newest; `actor` is a user with all its tokens (user:anna) or one of them
        (user:anna/laptop).
        """
        ...

    def find(self, name: str, scope: str | None = None) -> list[StoredReceipt]:
        """Return a few receipts by digest prefix, newest first, optionally of requests in one scope."""
        ...

    def verify(self) -> ChainState:
        """Recompute every digest of the chain."""
        ...

    def size(self) -> ReceiptSize:
        """Return how much the receipts take."""
        ...

    def prunable(self, before: int) -> tuple[int, int]:
        """Return how many receipts from before a moment can be pruned, and the characters of their bodies."""
        ...

    def prune(self, before: int, limit: int, receipt: Callable[[PrunedReceipts], Receipt]) -> Iterator[PrunedReceipts]:
        """Remove the bodies of receipts from before a moment, up to `limit` in each step, and yield what a step removed.

        The receipt of each step accounts for all receipts without a body.
        """
        ...


class Ledger(Protocol):
    """The source of truth: all stores over one database."""

    @property
    def memories(self) -> MemoryStore: ...
    @property
    def receipts(self) -> ReceiptStore: ...
    @property
    def vectors(self) -> VectorStore: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def edges(self) -> EdgeStore: ...
    @property
    def details(self) -> DetailsStore: ...
    @property
    def candidate_lists(self) -> CandidateLists: ...
    @property
    def packets(self) -> PacketStore: ...
    @property
    def observations(self) -> ObservationStore: ...
    @property
    def usage(self) -> UsageStore: ...
    @property
    def log(self) -> ObservationalLog: ...
    @property
    def passages(self) -> PassageStore: ...
    @property
    def documents(self) -> DocumentStore: ...
    @property
    def graph(self) -> GraphStore: ...
    @property
    def facts(self) -> FactStore: ...
    @property
    def conversations(self) -> ConversationStore: ...
    @property
    def history(self) -> HistoryStore: ...
    @property
    def scopes(self) -> ScopeStore: ...
    @property
    def scope_moves(self) -> ScopeMoves: ...
    @property
    def changes(self) -> ChangeLog: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def location(self) -> str:
        """The path of the database."""
        ...

    @property
    def is_on_server(self) -> bool:
        """Whether a database server holds it, whose administrator makes its backups."""
        ...

    def as_of(self, seq: int) -> AbstractContextManager[Ledger]:
        """Open the ledger as of a sequence number. Only search and fetch of memories, and their vectors, are as of then."""
        ...

    def damaged(self, reach: Reach) -> Sequence[DamagedRecord]:
        """Return the damaged records within reach. One whose scope is not known is within reach of everything only."""
        ...

    def quarantine_damaged(self, actor: str, receipt: Callable[[Sequence[DamagedRecord]], Receipt]) -> None:
        """Make what is left of damaged records readable, and quarantine it. Does nothing without any, or if read-only."""
        ...

    def full_texts(self) -> Sequence[tuple[str, int, int]]:
        """Return each full-text table, with how many rows it has and how many of them differ from the records."""
        ...

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        """Check the database, and with `fix` repair what can be repaired."""
        ...

    def read_from_replica(self, read: Callable[[], T]) -> tuple[T, ReadsFrom | None]:
        """Call what only reads, answered by a replica of the store if one may; say which server was used.

        It may be called twice, if a replica fails. None if the store has no replicas.
        """
        ...

    def wait_for_write(self, seconds: float) -> bool:
        """Wait for a write of any process, some seconds at most; return whether there may have been one."""
        ...

    def close(self) -> None: ...
