"""Changes: what one operation did to memories and observations, and taking it back."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.observation import ObservationId
from satchel.domain.record import Memory, State, Trust

_SHORT = len("sha256:") + 12
UNDONE = "its storing was taken back"
"""The reason of a memory that an undo of its storing retired."""


class RecordedEvent(Struct, frozen=True):
    """One event of the history of a memory or an observation."""

    seq: int
    """Of the store's sequence for a memory, of the observations' own for an observation."""
    record_id: str
    scope: str
    operation: str
    actor: str
    reason: str | None
    receipt: str
    at: int
    is_memory: bool = True
    from_state: State | None = None
    to_state: State | None = None


class Versions(Struct, frozen=True):
    """A memory around a change: before it, after it and now. None: it did not exist, or is forgotten."""

    before: Memory | None
    after: Memory | None
    now: Memory | None


class TrustBefore(Struct, frozen=True):
    """The trust that an observation had before an event that changed it."""

    id: ObservationId
    seq: int
    """The number of that event."""
    trust: Trust


class PastChange(Struct, frozen=True):
    """What one operation changed, or all batches of a bulk operation together."""

    id: str
    """The digest of its receipt; for a bulk change the name of the tag that was made before it."""
    operation: str
    """What happened to the records: store, edit, retire, confirm, import, archive, …"""
    at: int
    actor: str
    memories: int
    observations: int
    scopes: tuple[str, ...]
    undone: bool = False
    problem: str = ""
    """Why it cannot be taken back; empty if it can."""


class LeftAlone(Struct, frozen=True):
    """A record of a change that was not taken back, and why."""

    id: str
    reason: str
    """changed_since, forgotten, grade_of_observation"""


class PastOperation(Struct, frozen=True):
    """Something done since that `undo` cannot take back, and why or what can."""

    operation: str
    at: int
    reason: str
    actor: str = ""


class UndoneMemory(Struct, frozen=True):
    """What taking a change back does to one memory."""

    id: str
    from_state: State
    to_state: State


class StayingRecords(Struct, frozen=True):
    """Records other than memories that an import brought, and that `undo` leaves."""

    record: str
    """turns, documents, entities or relations"""
    count: int
    erased_by: str
    """The command that erases them."""


class Undone(Struct, frozen=True):
    """A change was taken back, or would be."""

    action: str
    """undone; planned in a dry run; declined if the person said no"""
    change: PastChange
    receipt: str | None
    """The name of the undo, by which it can be taken back itself: its digest, or the tag made before a large one."""
    memories: int
    retired: int
    """Of those: created by the change, and now retired."""
    observations: int
    edges: int
    left: tuple[LeftAlone, ...]
    left_unlisted: int
    examples: tuple[UndoneMemory, ...]
    skipped: tuple[PastOperation, ...]
    """Done since the change, and not taken back."""
    moved: Mapping[str, int] = {}
    """Records other than memories that go back to the scope they came from, by kind."""
    stays: tuple[StayingRecords, ...] = ()
    """What the import that is taken back brought besides memories."""


def short_name(change: str) -> str:
    """Return a short name of a change that `undo` accepts."""
    return change[:_SHORT] if change.startswith("sha256:") else change


class ChangeList(Struct, frozen=True):
    """Changes, newest first."""

    changes: tuple[PastChange, ...]
    more: bool
