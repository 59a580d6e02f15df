"""Scope tags: [SCOPE: name] or [ISO: name] in front of a line says where it belongs.

A tag counts in what the writer says himself: not inside a code fence, nor inside a block of memories that a host put
in front of a prompt. Names come back as they stand; whether one is a scope is for `domain/scope` to say.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct

from satchel.domain.spoken import Line, Tag, spoken_lines

# A scope is said at the top; a long paste below it is not searched for one.
MAX_TAGGED_LINES = 200


class ScopedLine(Struct, frozen=True):
    """What one line says, and the scope that a tag files it under."""

    text: str
    """Its words, without tags and layout."""
    layout: str
    """The quote marks, bullets, numbers and check boxes before its words."""
    scope: str | None
    opens: bool
    """Whether something else stands before it: an empty line, or what was left out."""


def tagged_scope(text: str) -> str | None:
    """Return the name that a text as a whole is tagged with: the first ISO tag, else the first SCOPE tag."""
    head = islice(text.splitlines(keepends=True), MAX_TAGGED_LINES)
    return _chosen(tag for line in spoken_lines("".join(head)) for tag in line.tags)


def without_tags(text: str) -> str:
    """Return a text without its tags. A line that held nothing else goes with them."""
    pieces, kept = [], 0
    for line in spoken_lines(text):
        if line.tags:
            alone = line.words == line.end
            pieces += [text[kept : line.start], "" if alone else _layout(text, line)]
            kept = line.following if alone else line.words
    return "".join([*pieces, text[kept:]])


def scoped_lines(text: str) -> Iterator[ScopedLine]:
    """Return what a text says line by line. A tag governs its own line; alone on a line, the next one; nothing else."""
    above: tuple[Tag, ...] = ()
    # Where the next line has to begin, to follow directly on the one before that said something, or had a tag.
    adjoining = 0
    for line in spoken_lines(text):
        follows = line.start == adjoining
        if line.words < line.end:
            governing = line.tags or (above if follows else ())
            words = text[line.words : line.end].rstrip()
            yield ScopedLine(words, _layout(text, line), _chosen(governing), opens=not follows)
            above, adjoining = (), line.following
        elif line.tags:
            above, adjoining = line.tags, line.following


def _chosen(tags: Iterable[Tag]) -> str | None:
    first: dict[str, str] = {}
    for tag in tags:
        first.setdefault(tag.keyword, tag.name)
    return first.get("iso", first.get("scope"))


def _layout(text: str, line: Line) -> str:
    """Return what stands before a line's words, without the tags."""
    pieces, kept = [], line.start
    for tag in line.tags:
        pieces.append(text[kept : tag.start])
        kept = tag.end
    return "".join([*pieces, text[kept : line.words]])
