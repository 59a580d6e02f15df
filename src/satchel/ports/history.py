"""The history of the records: named moments, and what has changed since one."""

from collections.abc import Iterator
from typing import Protocol

from satchel.domain.history import Difference, Tag
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach


class History(Protocol):
    """Named moments, and what has changed since one."""

    def tags(self) -> list[Tag]:
        """Return every tag, the newest moment first."""
        ...

    def tag(self, name: str) -> Tag | None:
        """Return the tag of a name."""
        ...

    def put(self, tag: Tag, receipt: Receipt) -> None:
        """Keep a tag and the receipt as one. Raises Conflict when the name is taken."""
        ...

    def remove(self, name: str, receipt: Receipt) -> None:
        """Take a tag away; the history it named stays."""
        ...

    def last_change_at(self, seq: int) -> int | None:
        """Return when the last change up to a sequence number was made; None before the first."""
        ...

    def differences(self, seq: int, reach: Reach) -> Iterator[Difference]:
        """Yield every memory within reach that was changed after a sequence number, in the order of the changes.

        Few are held at a time, and changing them meanwhile is seen by none that follows.
        """
        ...

    def reworded_since(self, seq: int, reach: Reach) -> int:
        """Count the memories within reach whose text is not what it was at a sequence number."""
        ...

    def edges_changed_since(self, seq: int, reach: Reach) -> int:
        """Count the edges of memories within reach that differ from what they were at a sequence number."""
        ...

    def restore_edges(self, seq: int, reach: Reach) -> None:
        """Bring those edges back to what they were. Within `Memories.alone` it is part of that write."""
        ...

    def erased_since(self, seq: int, reach: Reach) -> int:
        """Count the memories within reach that were there at a sequence number and have been forgotten after it."""
        ...
