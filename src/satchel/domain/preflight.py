"""The check right before a write becomes memory: what it is asked, and what it may answer."""

from enum import StrEnum

from msgspec import Struct

from satchel.domain.record import Kind, SourceKind, Trust


class Status(StrEnum):
    """A check's word."""

    ALLOW = "allow"
    QUEUED = "queued"
    REJECTED = "rejected"
    FAILED = "failed"
    """The check itself could not be made: it crashed, took too long, or answered with nonsense."""


class Intent(Struct, frozen=True):
    """A write as it is about to be made."""

    text: str
    source_kind: SourceKind
    trust: Trust
    """The tier that it asks for, or would get."""
    scope: str = "global"
    kind: Kind = Kind.OTHER
    importance: float | None = None


class Reason(Struct, frozen=True):
    """One thing that speaks against a write."""

    code: str
    detail: str
    """Names of rules and ids, never text of the write."""


class Verdict(Struct, frozen=True):
    """What the check says, and why."""

    status: Status
    reasons: tuple[Reason, ...] = ()
