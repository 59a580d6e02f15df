"""What the hooks around a turn answer."""

from msgspec import Struct

from satchel.domain.record import Kind, MemoryId, Trust


class Injected(Struct, frozen=True):
    """A memory that goes in front of a prompt."""

    id: MemoryId
    relevance: float
    tier: str


class TurnBefore(Struct, frozen=True):
    """What goes in front of a prompt."""

    block: str
    """The text to prepend; empty when there is nothing to say."""
    skipped: bool
    skip_reason: str | None
    """Why nothing was looked for, or why it could not be."""
    scope: str
    mode: str
    """By words, or by words and meaning."""
    memories: tuple[Injected, ...] = ()
    working_set: MemoryId | None = None
    documents: tuple[str, ...] = ()
    """Citations of the pieces of documents that go with them, where memories had too little."""


class Captured(Struct, frozen=True):
    """A sentence of the turn that was worth keeping."""

    id: MemoryId | None
    """None when it was not kept after all."""
    action: str
    """created, duplicate, or why it was not kept"""
    kind: Kind
    scope: str
    trust: Trust | None
    cue: str
    replaced: MemoryId | None = None
    could_replace: tuple[MemoryId, ...] = ()
    """Where it was to replace a rule and it could not be told which: the ones it could mean."""


class TurnAfter(Struct, frozen=True):
    """What of a turn was kept."""

    captured: tuple[Captured, ...]
    skipped: bool
    skip_reason: str | None
