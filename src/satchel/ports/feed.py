"""What an index follows: the ledger's records in the order in which they were last touched."""

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.record import Memory, MemoryId


class FeedItem(Struct, frozen=True):
    """The newest state of one record for an index: the record with its vector, or None when it was erased."""

    seq: int
    id: MemoryId
    memory: Memory | None
    vector: Vector | None


class Followed(Protocol):
    """What an index needs of whatever it follows, be it memories or passages."""

    def tip(self) -> int:
        """Return the newest sequence number."""
        ...

    def behind(self, seq: int) -> int:
        """Count the records touched after a sequence number."""
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


class Feed(Followed, Protocol):
    """What an index follows: every record once, at the sequence number that last touched it."""

    def since(self, seq: int, space: Space, limit: int) -> list[FeedItem]:
        """Return what was touched after a sequence number, in order."""
        ...
