"""The ledger's changes, in the order in which an index follows them."""

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.record import Memory, MemoryId


class FeedItem(Struct, frozen=True, gc=False):
    """The present state of a changed record: with its vector, or None if it was erased."""

    seq: int
    id: MemoryId
    memory: Memory | None
    vector: Vector | None
    row: int = 0
    """Where the ledger keeps it: a number that no other record has, as long as it exists."""


class ChangeFeed(Protocol):
    """A sequence of changes, of memories or of passages."""

    def tip(self) -> int:
        """Return the newest sequence number."""
        ...

    def behind(self, seq: int) -> int:
        """Count the records touched after a sequence number."""
        ...

    def landmark(self) -> str:
        """Return an identifier for the present point in the ledger's history."""
        ...

    def has_landmark(self, landmark: str) -> bool:
        """Return whether a landmark belongs to this ledger's history. A restored backup lacks those made after it."""
        ...

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        """Yield the id and content hash of every record, ordered by id."""
        ...


class Feed(ChangeFeed, Protocol):
    """The changes of memories: every record once, at the sequence number of its last change."""

    def since(self, seq: int, space: Space, limit: int) -> list[FeedItem]:
        """Return the changes after a sequence number, in order."""
        ...
