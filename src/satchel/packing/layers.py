"""Shorten texts to the parts relevant to a query; an ellipsis marks what was left out."""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache

from satchel.domain.words import text_terms

TokenCounter = Callable[[str], float]
"""Counts the tokens of a text, or of a part of a longer one."""

ELLIPSIS = "…"
# Only the beginning of a long text is searched for relevant sentences.
MAX_READ_CHARS = 20_000
MAX_SENTENCES = 200


def flat(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def abstract(text: str, max_tokens: int, count: TokenCounter) -> str:
    """Return the beginning of a text on one line, within a number of tokens."""
    return clip(flat(text[:MAX_READ_CHARS]), max_tokens, count)


def overview(text: str, terms: AbstractSet[str], max_tokens: int, count: TokenCounter) -> str:
    """Return the sentences that contain most of the terms, in order, within a number of tokens."""
    whole = flat(text[:MAX_READ_CHARS])
    if count(whole) <= max_tokens and len(text) <= MAX_READ_CHARS:
        return whole
    sentences = _sentences(whole)
    if len(sentences) == 1:
        return clip(_around(whole, terms, max_tokens), max_tokens, count)
    chosen: list[int] = []
    for place in _telling_first(sentences, terms):
        if count(_joined(sentences, sorted([*chosen, place]))) <= max_tokens:
            chosen.append(place)
    if not chosen:
        best = sentences[_telling_first(sentences, terms)[0]]
        return clip(_around(best, terms, max_tokens), max_tokens, count)
    return _joined(sentences, sorted(chosen))


def clip(text: str, max_tokens: int, count: TokenCounter) -> str:
    """Return the beginning of a text within a number of tokens, cut between words if possible."""
    if count(text) <= max_tokens:
        return text
    least, beyond = 0, len(text)
    while beyond - least > 1:
        middle = (least + beyond) // 2
        if count(text[:middle] + ELLIPSIS) <= max_tokens:
            least = middle
        else:
            beyond = middle
    if least == 0:
        return ""
    space = text.rfind(" ", least // 2, least)
    return text[: space if space > 0 else least].rstrip() + ELLIPSIS


@cache
def _ends() -> re.Pattern[str]:
    # A full stop ends a sentence only before a space, as in 3.11. Chinese punctuation needs none.
    return re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")


def _sentences(text: str) -> list[str]:
    return [part for part in _ends().split(text, maxsplit=MAX_SENTENCES) if part]


def _telling_first(sentences: Sequence[str], terms: AbstractSet[str]) -> list[int]:
    """Return the indexes of sentences, most terms first, then in order."""
    shared = [len(terms & text_terms(sentence)) for sentence in sentences]
    return sorted(range(len(sentences)), key=lambda place: (-shared[place], place))


def _joined(sentences: Sequence[str], places: Sequence[int]) -> str:
    parts: list[str] = []
    expected = 0
    for place in places:
        if place != expected:
            parts.append(ELLIPSIS)
        parts.append(sentences[place])
        expected = place + 1
    if expected != len(sentences):
        parts.append(ELLIPSIS)
    return " ".join(parts)


def _around(text: str, terms: AbstractSet[str], max_tokens: int) -> str:
    """Return a long text from shortly before the first term, if that would be cut off otherwise."""
    room = max_tokens * 2
    lower = text.lower()
    first = min((place for term in terms if (place := lower.find(term)) >= 0), default=0)
    if first < room:
        return text
    start = text.rfind(" ", first - room, first - room // 2)
    return ELLIPSIS + text[(start + 1 if start > 0 else first - room // 2) :]
