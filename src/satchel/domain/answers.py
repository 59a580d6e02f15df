"""Results that more than one layer uses: of a store, of counting, of a health check."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.canonical import Json
from satchel.domain.record import Kind, Label, MemoryId, Trust
from satchel.domain.scope import Placement


class Stored(Struct, frozen=True):
    """A memory was stored, or an equal one existed already."""

    id: MemoryId
    action: str
    """created; or duplicate, if nothing was written and this is the existing memory"""
    scope: str
    kind: Kind
    label: Label
    importance: float | None
    trust: Trust
    created_at: int
    seq: int
    """The sequence number of the change, which `--as-of` accepts."""
    replaced: MemoryId | None
    embedding_skipped: bool
    embedding_skip_reason: str | None
    placement: Placement
    """How its scope was chosen."""
    preflight: Mapping[str, Json] = field(default_factory=dict)
    """The result of the preflight check."""
    likeness: str | None = None
    """For a duplicate: exact if the existing memory has the same words, near if nearly the same."""


class MemoryCounts(Struct, frozen=True):
    """Counts of the memories in a view."""

    memories: int
    by_scope: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_label: Mapping[str, int]
    by_trust: Mapping[str, int]
    by_state: Mapping[str, int]
    text_chars: int
    shortest: int
    longest: int
    median_chars: int
    oldest: int | None
    newest: int | None
    mean_created_at: int | None


class HealthFinding(Struct, frozen=True):
    """The result of one health check."""

    check: str
    status: str
    """ok, warning or bad"""
    message: str
    fix: str = ""
