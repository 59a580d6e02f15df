"""The truth: several ports over one database."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct

from satchel.domain.answers import Finding
from satchel.domain.canonical import Json
from satchel.domain.outcome import Outcome, failed_if
from satchel.domain.receipt import Receipt
from satchel.domain.record import MemoryId
from satchel.ports.attention import DetailsBook, Packets, Shelves
from satchel.ports.conversations import Conversations
from satchel.ports.documents import DocumentBook
from satchel.ports.edges import Edges
from satchel.ports.facts import Facts
from satchel.ports.feed import Feed
from satchel.ports.graph import Graph
from satchel.ports.history import History
from satchel.ports.memories import Memories
from satchel.ports.observations import Lives, ObservationalLog, Observations
from satchel.ports.passages import Passages
from satchel.ports.vectors import Vectors


class KeptReceipt(Struct, frozen=True):
    """A receipt as the ledger holds it."""

    seq: int
    digest: str
    operation: str
    at: int
    duration_ms: float
    body: Mapping[str, Json]


class ChainState(Struct, frozen=True):
    """The result of walking the receipt chain."""

    receipts: int
    broken_at: int | None
    """The sequence number of the first receipt that does not fit, or None."""
    problem: str = ""

    @property
    def outcome(self) -> Outcome:
        """Failed when the chain is broken."""
        return failed_if(self.broken_at is not None)


class Receipts(Protocol):
    """The book of receipts, chained so that tampering shows."""

    def keep(self, receipt: Receipt, used: Sequence[MemoryId]) -> bool:
        """Keep the receipt of a read and count the use of what it returned. Never waits long: False if not kept."""
        ...

    def recent(self, limit: int, operation: str | None = None, scope: str | None = None) -> list[KeptReceipt]:
        """Return the newest receipts, newest first; of one operation, and of what was asked in one scope, if named."""
        ...

    def find(self, name: str, scope: str | None = None) -> list[KeptReceipt]:
        """Return the receipts whose digest begins so, newest first, at most a handful; of one scope, if named."""
        ...

    def verify(self) -> ChainState:
        """Walk the whole chain and recompute every digest."""
        ...


class Ledger(Protocol):
    """The truth: several ports over one database."""

    @property
    def memories(self) -> Memories: ...
    @property
    def receipts(self) -> Receipts: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def edges(self) -> Edges: ...
    @property
    def details(self) -> DetailsBook: ...
    @property
    def shelves(self) -> Shelves: ...
    @property
    def packets(self) -> Packets: ...
    @property
    def observations(self) -> Observations: ...
    @property
    def lives(self) -> Lives: ...
    @property
    def log(self) -> ObservationalLog: ...
    @property
    def passages(self) -> Passages: ...
    @property
    def documents(self) -> DocumentBook: ...
    @property
    def graph(self) -> Graph: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def history(self) -> History: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def location(self) -> str:
        """Where it is."""
        ...

    def as_of(self, seq: int) -> AbstractContextManager["Ledger"]:
        """Look at the memories as they were after a sequence number. Only finding and fetching them, and their vectors, is of then."""
        ...

    def check_up(self, *, fix: bool = False) -> list[Finding]:
        """Examine the database itself, and mend what can be mended."""
        ...

    def close(self) -> None: ...
