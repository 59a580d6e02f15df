"""Tags, and what has changed since a sequence number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.history import Difference, Tag
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach


class HistoryStore(Protocol):
    """Tags, and the changes since a sequence number."""

    def tags(self) -> list[Tag]:
        """Return every tag, newest first."""
        ...

    def tag(self, name: str) -> Tag | None:
        """Return the tag with a name."""
        ...

    def put(self, tag: Tag, receipt: Receipt) -> None:
        """Store a tag and the receipt. Raises Conflict if the name is taken."""
        ...

    def remove(self, name: str, receipt: Receipt) -> None:
        """Remove a tag; the history stays."""
        ...

    def last_change_at(self, seq: int) -> int | None:
        """Return the time of the last change up to a sequence number; None before the first."""
        ...

    def last_change_by(self, at: int) -> int:
        """Return the sequence number of the last change up to a time; 0 before the first."""
        ...

    def differences(self, seq: int, reach: Reach) -> Iterator[Difference]:
        """Yield every memory within reach that was changed after a sequence number, in the order of the changes.

        Read in pages; changes made meanwhile are not seen.
        """
        ...

    def reworded_since(self, seq: int, reach: Reach) -> int:
        """Count the memories within reach whose text has changed since a sequence number."""
        ...

    def edges_changed_since(self, seq: int, reach: Reach) -> int:
        """Count the edges of memories within reach that have changed since a sequence number."""
        ...

    def restore_edges(self, seq: int, reach: Reach) -> None:
        """Restore those edges. Within `MemoryStore.transaction` it is part of that write."""
        ...

    def erased_since(self, seq: int, reach: Reach, until: int | None = None) -> int:
        """Count the memories within reach that existed at a sequence number and were forgotten since, or until another."""
        ...
