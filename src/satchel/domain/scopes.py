"""What each scope contains, and what deleting one erased."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.erasure import ErasureCheck


class ScopeContents(Struct, frozen=True):
    """How many records of each kind a scope has."""

    scope: str
    records: Mapping[str, int]
    """By kind, in the order of SCOPE_KINDS; kinds without a record are left out."""
    newest: int | None
    """When its newest memory or event was made."""


class ScopeList(Struct, frozen=True):
    """The scopes of a store, in order."""

    scopes: tuple[ScopeContents, ...]
    default: str


class ScopeDeleted(Struct, frozen=True):
    """A scope was erased, or would be."""

    action: str
    """deleted; planned in a dry run; declined if the person said no"""
    scope: str
    records: Mapping[str, int]
    erased_from: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    """Places that could not be cleared yet: another process is using them."""
    check: ErasureCheck | None = None
    """A search through all files for pieces of what was erased."""

    @property
    def outcome(self) -> Outcome:
        """Failed if a piece of it was found again."""
        return failed_if(self.check is not None and bool(self.check.found_after))
