"""What a write-back was asked, and its result."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if

DEFAULT_LIMIT, MAX_LIMIT = 50, 1_000_000
DEFAULT_BATCH, MAX_BATCH = 25, 1_000


class WritebackReport(Struct, frozen=True):
    """The result of a write-back, or of a dry run."""

    table: str
    lancedb: str
    dry_run: bool
    fields: tuple[str, ...]
    """The fields that the table has columns for."""
    absent_fields: tuple[str, ...]
    """Fields that it has no column for; no column is added."""
    force_fields: tuple[str, ...]
    """Fields whose existing values may be replaced; none without --force."""
    checked: int
    """Memories that were looked up in the table."""
    updated: int
    """Rows that were changed, or would be in a dry run."""
    skipped: int
    """Rows that were found and left as they are."""
    eligible: float
    """Share of the checked memories with a row of the same text, from 0 to 1."""
    overwritten: int
    """Rows in which an existing value was replaced."""
    overwritten_fields: Mapping[str, int]
    """How often each field was replaced."""
    missing: int
    """Memories without a row."""
    missing_ids: tuple[str, ...]
    """Some of them: those that came from such a table first."""
    lost: int
    """Memories that came from such a table and are no longer in it."""
    text_differs: int
    """Rows left alone because their text is no longer that of the memory."""
    errors: int
    """Rows that cannot be updated."""
    error_ids: tuple[str, ...]
    """Some of them."""
    more: bool
    """Whether the limit left rows for the next run."""

    @property
    def outcome(self) -> Outcome:
        """Failed if some rows cannot be updated."""
        return failed_if(self.errors > 0)
