"""The lines that the author of a text wrote, without pasted and injected text, and the scope tags in front of them."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct

from satchel.domain.pasted import own_lines
from satchel.domain.safety.compiled import compiled

# Elements that hosts, and Satchel itself, wrap around text the author did not write.
INJECTED_ELEMENTS = (
    "relevant-memories",
    "system-reminder",
    "local-command-stdout",
    "local-command-stderr",
    "command-name",
    "command-message",
    "command-args",
)
MAX_LAYERS = 6

_OPENING = rf"(?i)<(?P<element>{'|'.join(INJECTED_ELEMENTS)})(?:\s[^<>]*+)?>|(?P<comment><!--\s*+openclaw-mem-engine:)"
_LINE_BREAKS = "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"
# White space and invisible characters such as a byte order mark.
_SPACE = "[\\s\u200b\u2060\ufeff]*+"
# A quote mark, a bullet, a number or a check box.
_LAYER = rf"(?:[>＞]|[-*+•·‧▪◦–—]|\d{{1,3}}[.)、．）]|[(（]\d{{1,3}}[)）]|\[[ xX✓✔]?\]){_SPACE}"
_TAG_START = "["
_TAG = rf"(?i)\[\s*+(?P<keyword>scope|iso)\s*+[:：]\s*+(?P<name>[^\[\]\s][^\[\]]*+)\]{_SPACE}"


class ScopeTag(Struct, frozen=True):
    """A scope tag with its offsets in the whole text."""

    keyword: str
    name: str
    start: int
    end: int


class AuthoredLine(Struct, frozen=True):
    """A line, or the part of it before or after an injected block: text[start:end] of the whole."""

    start: int
    end: int
    following: int
    """Where the next line begins; its own end if an injected block follows."""
    tags: tuple[ScopeTag, ...]
    """The tags before its text."""
    words: int
    """Where its text begins, after quote marks, bullets, numbers, check boxes and tags."""


def authored_lines(text: str) -> Iterator[AuthoredLine]:
    """Yield the lines outside pasted and injected blocks. An unclosed block extends to the end."""
    lines = [_read(text, start, end, following) for start, end, following in _outside_injected(text)]
    own = own_lines([text[one.start : one.end] for one in lines], [text[one.words : one.end] for one in lines])
    yield from (line for line, is_own in zip(lines, own, strict=True) if is_own)


def remove_injected(text: str) -> str:
    """Return a text without injected blocks and otherwise unchanged."""
    if compiled(_OPENING).search(text) is None:
        return text
    return "".join(text[start:following] for start, _, following in _outside_injected(text))


def _outside_injected(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, next start) of each line part outside injected blocks."""
    following, closing = 0, None
    for whole in text.splitlines(keepends=True):
        start, end = following, following + len(whole.rstrip(_LINE_BREAKS))
        following += len(whole)
        while True:
            if closing is not None:
                closed = closing.search(text, start, end)
                if closed is None:
                    break
                start, closing = closed.end(), None
            opened = compiled(_OPENING).search(text, start, end)
            if opened is None:
                yield start, end, following
                break
            if opened.start() > start:
                yield start, opened.start(), opened.start()
            start, closing = opened.end(), _closing(opened)


def _closing(opened: re.Match[str]) -> re.Pattern[str]:
    if opened["comment"]:
        return re.compile("-->")
    return re.compile(rf"</{opened['element']}\s*+>", re.IGNORECASE)


def _read(text: str, start: int, end: int, following: int) -> AuthoredLine:
    """Parse a line's tags, which must precede its text, behind at most MAX_LAYERS of layout."""
    tags, layers = [], 0
    place = start
    if blank := compiled(_SPACE).match(text, start, end):
        place = blank.end()
    while True:
        if found := compiled(_TAG).match(text, place, end):
            tags.append(ScopeTag(found["keyword"].lower(), found["name"].strip(), found.start(), found.end()))
        elif layers < MAX_LAYERS and (found := compiled(_LAYER).match(text, place, end)):
            layers += 1
        else:
            return AuthoredLine(start, end, following, tuple(tags), place)
        place = found.end()


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
    if _TAG_START not in text:
        return None
    head = islice(text.splitlines(keepends=True), MAX_TAGGED_LINES)
    return _chosen(tag for line in authored_lines("".join(head)) for tag in line.tags)


def remove_tags(text: str) -> str:
    """Return a text without its tags. A line with nothing but tags is removed."""
    if _TAG_START not in text:
        return text
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
