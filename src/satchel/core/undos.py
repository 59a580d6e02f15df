"""Find the undo that retired a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.domain.automatic_tags import UNDO

if TYPE_CHECKING:
    from satchel.ports import Ledger

EVENTS_PER_PAGE = 500
# Beyond these, 'satchel undo list' finds it.
MAX_PAGES = 20


def undo_of(ledger: Ledger, id: str) -> str | None:
    """Return the receipt of the last undo of a memory, which names the change to take back; None if it is too old."""
    before: int | None = None
    for _ in range(MAX_PAGES):
        page = ledger.changes.memory_events(before, EVENTS_PER_PAGE)
        if not page:
            return None
        for event in page:
            if event.record_id == id and event.operation == UNDO:
                return event.receipt
        before = page[-1].seq
    return None
