"""The truth: several ports over one database."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from satchel.domain.answers import Finding
from satchel.domain.canonical import Json
from satchel.domain.embedding import Space, Vector
from satchel.domain.outcome import Outcome, failed_if
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.ports.attention import DetailsBook, Packets, Shelves
from satchel.ports.conversations import Conversations
from satchel.ports.edges import Edges
from satchel.ports.facts import Facts
from satchel.ports.memories import Memories
from satchel.ports.observations import Lives, ObservationalLog, Observations


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

    def recent(self, limit: int, operation: str | None = None) -> list[KeptReceipt]:
        """Return the newest receipts, newest first."""
        ...

    def find(self, name: str) -> list[KeptReceipt]:
        """Return the receipts whose digest begins so, newest first, at most a handful."""
        ...

    def verify(self) -> ChainState:
        """Walk the whole chain and recompute every digest."""
        ...


class Unembedded(Struct, frozen=True):
    """A text that has no vector in a space yet."""

    id: MemoryId
    text: str
    content_hash: str


class Embedded(Struct, frozen=True):
    """The vector made for a text, or why there is none."""

    id: MemoryId
    content_hash: str
    vector: Vector | None
    skipped: str | None = None


class Vectors(Protocol):
    """Vectors, kept in the ledger with the space they belong to, so that an index can be rebuilt without a model."""

    def space(self) -> Space | None:
        """Return the store's embedding space, or None before the first vector."""
        ...

    def adopt(self, space: Space) -> None:
        """Make a space the store's own and drop the vectors of any other."""
        ...

    def waiting(self, space: Space, limit: int, *, retry: bool = False) -> list[Unembedded]:
        """Return texts without a vector in the space, newest first; those skipped before only with `retry`."""
        ...

    def backlog(self, space: Space | None) -> tuple[int, int]:
        """Return how many texts wait for a vector in the space, and how many were skipped there with a reason.

        None asks for the store's own space, be there one or not.
        """
        ...

    def count(self, space: Space) -> int:
        """Return how many vectors of a space are kept."""
        ...

    def put(self, space: Space, made: Sequence[Embedded], *, seconds: float | None = None) -> None:
        """Keep vectors, and reasons for their absence. One whose text has changed or gone meanwhile is dropped.

        Waits for other writers at most so long, or as long as a store does.
        """
        ...

    def get(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, Vector]:
        """Return the vectors of these records."""
        ...


class FeedItem(Struct, frozen=True):
    """The newest state of one record for an index: the record with its vector, or None when it was erased."""

    seq: int
    id: MemoryId
    memory: Memory | None
    vector: Vector | None


class Feed(Protocol):
    """What an index follows: every record once, at the sequence number that last touched it."""

    def tip(self) -> int:
        """Return the newest sequence number."""
        ...

    def behind(self, seq: int) -> int:
        """Count the records touched after a sequence number."""
        ...

    def since(self, seq: int, space: Space, limit: int) -> list[FeedItem]:
        """Return what was touched after a sequence number, in order."""
        ...

    def landmark(self) -> str:
        """Return a name for this point of the ledger's history."""
        ...

    def remembers(self, landmark: str) -> bool:
        """Say whether a point of history is one of this ledger's; a restored backup knows nothing of what came after."""
        ...

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        """Yield id and content hash of every record, ordered by id."""
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
    def facts(self) -> Facts: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def location(self) -> str:
        """Where it is."""
        ...

    def check_up(self, *, fix: bool = False) -> list[Finding]:
        """Examine the database itself, and mend what can be mended."""
        ...

    def close(self) -> None: ...
