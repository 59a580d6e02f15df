"""The results of a forget."""

from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.record import Kind, MemoryId


class ForgetReason(StrEnum):
    """Why a record is forgotten. A fixed list: free text could repeat what is erased."""

    WRONG = "wrong"
    OUTDATED = "outdated"
    PRIVATE = "private"
    SECRET = "secret"
    REQUESTED = "requested"
    OTHER = "other"


class ErasureCheck(Struct, frozen=True):
    """The result of searching the store's files for the erased text."""

    conclusive: bool
    fragments: int
    """Number of fragments that were searched for."""
    files: int
    bytes: int
    found_before: int
    """Number of files that held a fragment before the erasure, which shows that the search works."""
    found_after: tuple[str, ...]
    """Files, or tables of a database, that still hold a fragment."""
    note: str = ""
    tables: int | UnsetType = UNSET
    """Number of tables that were searched, for a store in a database."""
    unseen: str | UnsetType = UNSET
    """What a search cannot see in a database."""

    @property
    def proves(self) -> bool:
        """Whether the check proves that nothing is left."""
        return self.conclusive and not self.found_after


class ForgetCandidate(Struct, frozen=True):
    """A memory that matches a forget by query."""

    id: MemoryId
    text: str
    kind: Kind
    score: float
    created_at: int


class Forgotten(Struct, frozen=True):
    """The result of a forget: one memory erased, or candidates listed and nothing erased."""

    action: str
    """deleted or candidates"""
    id: MemoryId | None = None
    erased_from: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    """Places that another process still uses; `index build` or `doctor --fix` clears them later."""
    candidates: tuple[ForgetCandidate, ...] = ()
    check: ErasureCheck | None = None
    observations: int = 0
    """Number of observations erased with a memory because they held its text."""
    versions: tuple[MemoryId, ...] = ()
    """Earlier versions that were erased with it, newest first."""
    earlier: tuple[MemoryId, ...] = ()
    """Memories that it had replaced other than by an edit, and that were kept with what they replaced themselves."""

    @property
    def outcome(self) -> Outcome:
        """Failed while a place is pending, or if the check could not prove the erasure."""
        return failed_if(bool(self.pending) or (self.check is not None and not self.check.proves))
