"""Results of the memory operations."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.history import RecordEvent
from satchel.domain.record import Memory


class MemoryShown(Struct, frozen=True):
    """One memory, with its history."""

    memory: Memory
    history: tuple[RecordEvent, ...]


class MemoryPage(Struct, frozen=True):
    """A page of memories, newest first."""

    memories: tuple[Memory, ...]
    next: str | None
    """Pass this as `after` to get the next page; None on the last page."""


class Exported(Struct, frozen=True):
    """Memories were written to a file."""

    path: str
    format: str
    matched: int
    """Number of matching memories, regardless of the limit."""
    count: int
    """Number of memories written."""
    bytes: int
    redacted: Mapping[str, int] | None
    """Number of masked secrets by kind; None if masking was off."""


class ImportFailure(Struct, frozen=True):
    """A row that could not be imported."""

    index: int
    """Its line number, or its position in the list, from 1."""
    reason: str


class Imported(Struct, frozen=True):
    """The result of an import, row by row."""

    source: str
    format: str
    dedupe: str
    dry_run: bool
    """Whether nothing was written."""
    parsed: int
    imported: int
    skipped: int
    failed: int
    failures: tuple[ImportFailure, ...]
    """The first failures."""
    failures_unlisted: int
    skipped_by: Mapping[str, int]
    """Number of skipped rows by what matched: id or text."""
    failed_by: Mapping[str, int]
    """Number of failed rows by reason."""
    renamed: int
    """Number of rows that got a new id because theirs was taken."""
    trust_lowered: int
    """Number of rows that claimed more trust than an import can grant."""
    scopes_replaced: int
    """Number of rows with an invalid scope, imported into the default scope."""
    unknown_fields: int

    @property
    def outcome(self) -> Outcome:
        """Failed if a row was refused."""
        return failed_if(self.failed > 0)
