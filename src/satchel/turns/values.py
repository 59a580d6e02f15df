"""Results of the hooks around a turn."""

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.record import Kind, MemoryId, Trust

DISABLED = "disabled"
"""The reason to skip a turn that is no error: the settings say so."""


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
    """None if it was not stored."""
    action: str
    """created, duplicate, the reason of rejection, or the code of the error"""
    kind: Kind
    scope: str
    trust: Trust | None
    cue: str
    replaced: MemoryId | None = None
    could_replace: tuple[MemoryId, ...] = ()
    """What it could replace, if that is ambiguous."""
    contradicts: tuple[MemoryId, ...] = ()
    """What it contradicts without saying that it replaces it."""


class NotKept(Struct, frozen=True):
    """Something that should have been stored, and could not be."""

    cue: str
    """The cue of its sentence."""
    code: str
    """The code of the error."""
    what: str = "memory"
    """memory; or link, if only the links to what it contradicts are missing"""


class TurnAfter(Struct, frozen=True):
    """The sentences captured from a turn."""

    captured: tuple[CapturedTurn, ...]
    skipped: bool
    skip_reason: str | None
    scope: str
    """The scope of sentences that name none."""
    not_kept: tuple[NotKept, ...] = ()
    """What an error kept from being stored. What a rule rejected is not here."""

    @property
    def outcome(self) -> Outcome:
        """Failed if an error kept anything of the turn from being stored."""
        return failed_if(bool(self.not_kept) or (self.skipped and self.skip_reason != DISABLED))
