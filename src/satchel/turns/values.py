"""Results of the hooks around a turn."""

from msgspec import Struct

from satchel.domain.record import Kind, MemoryId, Trust


class Injected(Struct, frozen=True):
    """A memory injected before a prompt."""

    id: MemoryId
    relevance: float
    tier: str
    trust: Trust
    found_by: tuple[str, ...] = ()
    """fts (words), vec (meaning), or both."""


class TurnBefore(Struct, frozen=True):
    """The block to inject before a prompt."""

    block: str
    """The text to prepend; empty if there is nothing to inject."""
    skipped: bool
    skip_reason: str | None
    """Why the block is empty: why recall was skipped or failed, or that nothing relevant was found."""
    scope: str
    mode: str
    """hybrid or lexical."""
    memories: tuple[Injected, ...] = ()
    working_set: MemoryId | None = None
    documents: tuple[str, ...] = ()
    """Citations of injected document passages, used when memories had too little."""
    observations: tuple[str, ...] = ()
    """Ids of injected observations, which are evidence."""


class TurnStart(Struct, frozen=True):
    """The block to inject at the start of a session."""

    block: str
    """The text to inject; empty if there is nothing."""
    skipped: bool
    skip_reason: str | None
    """Why the block is empty."""
    scope: str
    memories: tuple[MemoryId, ...] = ()


class CapturedTurn(Struct, frozen=True):
    """A sentence of the turn chosen for storing."""

    id: MemoryId | None
    """None if it was rejected."""
    action: str
    """created, duplicate, or the reason of rejection"""
    kind: Kind
    scope: str
    trust: Trust | None
    cue: str
    replaced: MemoryId | None = None
    could_replace: tuple[MemoryId, ...] = ()
    """What it could replace, if that is ambiguous."""
    contradicts: tuple[MemoryId, ...] = ()
    """What it contradicts without saying that it replaces it."""


class TurnAfter(Struct, frozen=True):
    """The sentences captured from a turn."""

    captured: tuple[CapturedTurn, ...]
    skipped: bool
    skip_reason: str | None
    scope: str
    """The scope of sentences that name none."""
