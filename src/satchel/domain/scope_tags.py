"""Scope tags: [SCOPE: name] or [ISO: name] at the beginning of a line sets its scope.

Tags count only in text that the author wrote: not in code fences or in blocks that a host injected into a prompt. Names
are returned as written; `domain/scope` validates them.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct

from satchel.domain.authored import AuthoredLine, ScopeTag, authored_lines

# Maximum number of lines searched for a tag: a tag stands at the top, not below a long paste.
MAX_TAGGED_LINES = 200


class ScopedLine(Struct, frozen=True):
    """One line of text, and the scope that a tag sets for it."""

    text: str
    """Its text, without tags and layout."""
    layout: str
    """The quote marks, bullets, numbers and check boxes before the text."""
    scope: str | None
    opens: bool
    """Whether it starts a new block, after an empty line or skipped text."""


def tagged_scope(text: str) -> str | None:
    """Return the scope name that a whole text is tagged with: the first ISO tag, else the first SCOPE tag."""
    head = islice(text.splitlines(keepends=True), MAX_TAGGED_LINES)
    return _chosen(tag for line in authored_lines("".join(head)) for tag in line.tags)


def remove_tags(text: str) -> str:
    """Return a text without its tags. A line with nothing but tags is removed."""
    pieces, kept = [], 0
    for line in authored_lines(text):
        if line.tags:
            alone = line.words == line.end
            pieces += [text[kept : line.start], "" if alone else _layout(text, line)]
            kept = line.following if alone else line.words
    return "".join([*pieces, text[kept:]])


def scoped_lines(text: str) -> Iterator[ScopedLine]:
    """Yield the lines of a text with their scope. A tag applies to its own line or, if alone on a line, to the next."""
    above: tuple[ScopeTag, ...] = ()
    # Where the next line begins if it directly follows the last line with text or a tag.
    adjoining = 0
    for line in authored_lines(text):
        follows = line.start == adjoining
        if line.words < line.end:
            governing = line.tags or (above if follows else ())
            words = text[line.words : line.end].rstrip()
            yield ScopedLine(words, _layout(text, line), _chosen(governing), opens=not follows)
            above, adjoining = (), line.following
        elif line.tags:
            above, adjoining = line.tags, line.following


def _chosen(tags: Iterable[ScopeTag]) -> str | None:
    first: dict[str, str] = {}
    for tag in tags:
        first.setdefault(tag.keyword, tag.name)
    return first.get("iso", first.get("scope"))


def _layout(text: str, line: AuthoredLine) -> str:
    """Return the characters before a line's text, without the tags."""
    pieces, kept = [], line.start
    for tag in line.tags:
        pieces.append(text[kept : tag.start])
        kept = tag.end
    return "".join([*pieces, text[kept : line.words]])
