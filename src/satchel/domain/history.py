"""History: tags, points in time, and the differences between then and now."""

import re
import unicodedata

from msgspec import Struct

from satchel.domain.record import Memory, MemoryId, State
from satchel.errors import InvalidRequest

MAX_NAME_CHARS = 64
# Longer numbers do not fit a database integer.
_MAX_DIGITS = 15

# Begins with a letter, so that a name cannot be mistaken for a number.
_NAME = re.compile(rf"[^\W\d_][\w.:/-]{{0,{MAX_NAME_CHARS - 1}}}")
_NUMBER = re.compile(rf"#?([0-9]{{1,{_MAX_DIGITS}}})")


class RecordEvent(Struct, frozen=True):
    """One change of a memory or an observation."""

    seq: int
    operation: str
    actor: str
    reason: str | None
    receipt: str | None
    at: int


class Tag(Struct, frozen=True):
    """A name for the state of the store after a sequence number."""

    name: str
    seq: int
    at: int
    """When the tag was created."""
    actor: str
    note: str | None = None


class Point(Struct, frozen=True):
    """A point in the history."""

    seq: int
    """The last change before it."""
    at: int
    """The time that validity is checked against: when the tag was created, or the time of the last change."""
    name: str | None = None
    """The tag that names it, if any."""


class Difference(Struct, frozen=True):
    """A memory that changed since a point: as it is now, and as it was; None if it did not exist."""

    now: Memory
    then: Memory | None


class Differences(Struct, frozen=True):
    """Number of memories that differ from a point, by what a restore does with them."""

    as_then: int = 0
    """Changed since: restored to their earlier state."""
    revived: int = 0
    """Of those: inactive now, active then."""
    created_since: int = 0
    """Created since: archived."""
    put_away_since: int = 0
    """Created since, and archived or retired by now: left unchanged."""
    erased_since: int = 0
    """Forgotten since: stay erased."""
    edges: int = 0
    """Edges that changed since: restored."""


class RestoredMemory(Struct, frozen=True):
    """The change that a restore makes to one memory, and the rule for it."""

    id: MemoryId
    rule: str
    """as_then or created_since"""
    from_state: State
    to_state: State


class Tagged(Struct, frozen=True):
    """A tag was created."""

    tag: Tag


class Untagged(Struct, frozen=True):
    """A tag was deleted; its point can still be named by sequence number."""

    tag: Tag


class TagList(Struct, frozen=True):
    """All tags, newest point first."""

    tags: tuple[Tag, ...]
    seq: int
    """The current sequence number."""


class Compared(Struct, frozen=True):
    """The differences between the memories of a scope now and at a point."""

    point: Point
    scope: str
    seq: int
    """The current sequence number."""
    differences: Differences
    note: str | None = None


class ChangedMemory(Struct, frozen=True):
    """What happened to one memory between two points."""

    id: MemoryId
    what: str
    """added, changed, retired (or archived), revived"""
    scope: str
    text: str
    fields: tuple[str, ...]
    """The fields that differ."""
    from_state: State | None
    to_state: State


class PointCounts(Struct, frozen=True):
    """How many memories were added, changed, retired, revived and forgotten between two points."""

    added: int = 0
    changed: int = 0
    retired: int = 0
    revived: int = 0
    forgotten: int = 0


class PointDiff(Struct, frozen=True):
    """The differences between two points."""

    start: Point
    end: Point
    scope: str
    counts: PointCounts
    memories: tuple[ChangedMemory, ...]
    """The first ones, in the order of the changes."""


class Restored(Struct, frozen=True):
    """The result of a restore, or of its dry run."""

    dry_run: bool
    """Whether nothing was written."""
    point: Point
    scope: str
    before: int
    """The sequence number before the restore; restoring that undoes it."""
    seq: int
    """The sequence number after the restore."""
    differences: Differences
    examples: tuple[RestoredMemory, ...]
    """The first changed memories."""
    tag: str | None = None
    """The tag that was made before it."""


def tag_name(text: str) -> str:
    """Return a valid tag name in NFC, or raise InvalidRequest."""
    name = unicodedata.normalize("NFC", text) if isinstance(text, str) else ""
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            f"invalid tag {str(text)[:80]!r}",
            code="invalid_tag",
            hint=f"a tag begins with a letter and has up to {MAX_NAME_CHARS} letters, digits and . _ : / -",
        )
    return name


def sequence_number(text: str) -> int | None:
    """Return the sequence number in a text such as 12 or #12, or None."""
    found = _NUMBER.fullmatch(text)
    return int(found[1]) if found else None
