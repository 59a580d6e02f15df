"""Values of the preflight check before a write: its input and its verdict."""

from enum import StrEnum

from msgspec import Struct

from satchel.domain.record import Kind, SourceKind, Trust


class PreflightStatus(StrEnum):
    """The status of a preflight check."""

    ALLOW = "allow"
    QUEUED = "queued"
    REJECTED = "rejected"
    FAILED = "failed"
    """The check itself failed: it crashed, timed out, or returned an invalid answer."""


class WriteIntent(Struct, frozen=True):
    """A write that is about to be made."""

    text: str
    source_kind: SourceKind
    trust: Trust
    """The tier that it requests or would get."""
    scope: str = "global"
    kind: Kind = Kind.OTHER
    importance: float | None = None


class PreflightReason(Struct, frozen=True):
    """One reason against a write."""

    code: str
    detail: str
    """Rule names and ids, never text of the write."""


class Verdict(Struct, frozen=True):
    """The status of a check and its reasons."""

    status: PreflightStatus
    reasons: tuple[PreflightReason, ...] = ()
