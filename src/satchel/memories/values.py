"""Results of the memory operations."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from satchel.domain.history import RecordEvent
from satchel.domain.record import Label, Memory, SourceKind, State, Trust


class MemoryShown(Struct, frozen=True):
    """One memory, with its history."""

    memory: Memory
    history: tuple[RecordEvent, ...]
    last_used_at: int | None = None
    """When it was last put before a prompt."""


class Edited(Struct, frozen=True):
    """A memory was replaced by a changed one or moved to another scope, or nothing was changed."""

    action: str
    """replaced, moved or unchanged"""
    id: str
    """The memory that holds now."""
    old_id: str
    scope: str
    old_scope: str


class MemoryPage(Struct, frozen=True):
    """A page of memories, newest first."""

    memories: tuple[Memory, ...]
    next: str | None
    """Pass this as `after` to get the next page; None on the last page."""


class ReviewItem(Struct, frozen=True):
    """A record to look at and confirm."""

    id: str
    record: str
    """memory, observation, episode, document or message"""
    text: str
    title: str | None
    kind: str
    label: Label
    scope: str
    trust: Trust
    state: State
    source_kind: SourceKind
    source_ref: str | None
    """Who or what stored it: a client, a tool, an address, a file."""
    session: str | None
    created_at: int
    used_at: int | None
    """When it was last put before a prompt."""


class ReviewPage(Struct, frozen=True):
    """A page of records that are not trusted: untrusted ones newest first, then quarantined ones."""

    items: tuple[ReviewItem, ...]
    untrusted: int
    """How many there are in all, on every page."""
    quarantined: int
    """How many there are in all, on every page."""
    next: str | None
    """Pass this as `after` to get the next page; None on the last page."""


class ConfirmedRecord(Struct, frozen=True):
    """A record that is trusted now."""

    id: str
    scope: str
    was: Trust


class Confirmed(Struct, frozen=True):
    """Records were confirmed."""

    confirmed: tuple[ConfirmedRecord, ...]
    already_trusted: tuple[str, ...]


class ExportFormat(StrEnum):
    """One object per line, one list, one Markdown document, or a folder with a Markdown note for each memory."""

    JSONL = "jsonl"
    JSON = "json"
    MARKDOWN = "markdown"
    NOTES = "notes"


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
    state: str | None = None
    """Digest of what a signed export holds; stores with the same digest hold the same. None if it is not signed."""
