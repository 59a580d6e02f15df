"""History: moments that have a name, how the memories of now differ from those of then, and what the answers say of it."""

import re
import unicodedata

from msgspec import Struct

from satchel.domain.record import Memory, MemoryId, State
from satchel.errors import InvalidRequest

MAX_NAME_CHARS = 64
# Longer numbers are no sequence numbers, and no database could compare them.
_MAX_DIGITS = 15

# It begins with a letter, so that no name can be taken for a number.
_NAME = re.compile(rf"[^\W\d_][\w.:/-]{{0,{MAX_NAME_CHARS - 1}}}")
_NUMBER = re.compile(rf"#?([0-9]{{1,{_MAX_DIGITS}}})")


class Tag(Struct, frozen=True):
    """A name for a moment: the store as it was after a sequence number."""

    name: str
    seq: int
    at: int
    """When the tag was made."""
    actor: str
    note: str | None = None


class Point(Struct, frozen=True):
    """A moment of the history."""

    seq: int
    """The last change that had happened."""
    at: int
    """The time by which validity is judged: when the tag was made, or the last change before the number."""
    name: str | None = None
    """The tag it was named by."""


class Difference(Struct, frozen=True):
    """A memory that was changed since a moment: as it is, and as it was; None if it was not there yet."""

    now: Memory
    then: Memory | None


class Differences(Struct, frozen=True):
    """How many memories differ from what they were, by what a restore does with them."""

    as_then: int = 0
    """Were otherwise: become what they were."""
    revived: int = 0
    """Of those: do not hold now and did then."""
    created_since: int = 0
    """Were not there yet: are archived."""
    put_away_since: int = 0
    """Were not there yet, and are archived or retired by now: left alone."""
    erased_since: int = 0
    """Were there and have been forgotten: stay erased."""
    edges: int = 0
    """What memories say of each other, where it was otherwise: becomes what it was."""


class RestoredMemory(Struct, frozen=True):
    """What a restore does with one memory, and by which rule."""

    id: MemoryId
    rule: str
    """as_then or created_since"""
    from_state: State
    to_state: State


class Tagged(Struct, frozen=True):
    """A tag was made."""

    tag: Tag


class Untagged(Struct, frozen=True):
    """A tag was taken away; the moment it named can be named again by its number."""

    tag: Tag


class TagList(Struct, frozen=True):
    """The tags there are, newest moment first."""

    tags: tuple[Tag, ...]
    seq: int
    """The sequence number of now."""


class Compared(Struct, frozen=True):
    """How the memories of a scope differ from what they were at a moment."""

    point: Point
    scope: str
    seq: int
    """The sequence number of now."""
    differences: Differences
    note: str | None = None


class Restored(Struct, frozen=True):
    """What a restore did, or would do."""

    dry_run: bool
    """Whether nothing was written."""
    point: Point
    scope: str
    before: int
    """The sequence number just before it: restoring that takes this back."""
    seq: int
    """The sequence number after it."""
    differences: Differences
    examples: tuple[RestoredMemory, ...]
    """The first of the memories that it changes."""


def tag_name(text: str) -> str:
    """Return the name of a tag, or refuse what can be none."""
    name = unicodedata.normalize("NFC", text) if isinstance(text, str) else ""
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            f"invalid tag {str(text)[:80]!r}",
            code="invalid_tag",
            hint=f"a tag begins with a letter and has up to {MAX_NAME_CHARS} letters, digits and . _ : / -",
        )
    return name


def sequence_number(text: str) -> int | None:
    """Return the sequence number that a text is, with or without a # before it; None if it is none."""
    found = _NUMBER.fullmatch(text)
    return int(found[1]) if found else None
