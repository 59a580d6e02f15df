"""The changes of all records in the order in which they were made, for taking one back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.record import MemoryId
    from satchel.domain.undo import RecordedEvent, TrustBefore, Versions


class ChangeLog(Protocol):
    """Events of memories and observations, newest first, and what they changed."""

    def memory_events(self, before: int | None, limit: int) -> Sequence[RecordedEvent]:
        """Return the newest events of memories before a sequence number, except those of working sets."""
        ...

    def observation_events(self, before: int | None, limit: int) -> Sequence[RecordedEvent]:
        """Return the newest events of observations before one of their own numbers."""
        ...

    def versions(self, id: MemoryId, first: int, last: int) -> Versions:
        """Return a memory before its event `first`, after its event `last`, and now."""
        ...

    def take_back_edges(self, last: int, *, dry_run: bool) -> int:
        """Restore the edges that changed with the event `last`, unless they changed since; return how many."""
        ...

    def restore_trusts(self, trusts: Sequence[TrustBefore], receipt: Receipt, actor: str, reason: str) -> int:
        """Restore the trust of observations, unless it changed again since; return of how many."""
        ...
