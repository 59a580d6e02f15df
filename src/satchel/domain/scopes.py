"""What each scope contains, what deleting one erased, and what moving one to another name moved."""

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


class ScopeSeeds(Struct, frozen=True):
    """What the ids of records are derived from, besides their content.

    The seed of a scope is its name. When its records move to another scope, their ids stay. The name then gets a seed
    that was never used, so that new ids cannot be taken; both scopes inherit the old one, by which they still recognise
    what arrives again.
    """

    own: str
    """Of new records."""
    inherited: tuple[str, ...] = ()
    """Of records that came from other scopes, and of those that left."""

    @property
    def all(self) -> tuple[str, ...]:
        """Every seed by which a record of the scope may be known."""
        return self.own, *self.inherited


def seed_after_move(scope: str, move: int) -> str:
    """Return the seed of a scope whose records moved away. No scope is called so: names have no line breaks."""
    return f"{scope}\n{move}"


def scope_of_seed(seed: str) -> str:
    """Return the name of the scope that a seed was made for."""
    return seed.partition("\n")[0]


class MovedRecords(Struct, frozen=True):
    """What a batch of a move did."""

    moved: Mapping[str, int]
    dropped: Mapping[str, int]
    """Not moved, since the target has its own: copies of files, and what was read from them."""
    renamed: tuple[str, ...] = ()
    """Conversations that got another name, since the target has one of the same name."""

    @property
    def count(self) -> int:
        """How many records it dealt with."""
        return sum(self.moved.values()) + sum(self.dropped.values())


class ScopesMoved(Struct, frozen=True):
    """The records of scopes were moved to another scope, or would be."""

    action: str
    """moved; planned in a dry run; declined if the person said no"""
    sources: tuple[str, ...]
    target: str
    records: Mapping[str, int]
    retired: int
    """Memories that say the same as one of the target, and were retired for it."""
    dropped: Mapping[str, int]
    renamed: tuple[str, ...]
    left: Mapping[str, int]
    """Damaged records, which stay where they are."""
    still_named: tuple[str, ...]
    """Settings and tokens that name a scope that is empty now."""
    tag: str = ""
    """The tag made before, by which 'satchel undo' knows the move."""
