"""Layers: how much of a text is told. What bears on the question is kept; what is left out leaves a mark."""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache

from satchel.domain.words import text_terms

Counter = Callable[[str], int]
"""Counts the tokens of a text."""

ELLIPSIS = "…"
# Nobody reads further than this to find the sentences that matter.
MAX_READ_CHARS = 20_000
MAX_SENTENCES = 200


def flat(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def abstract(text: str, most: int, count: Counter) -> str:
    """Return the beginning of a text, in one line of at most so many tokens."""
    return clipped(flat(text[:MAX_READ_CHARS]), most, count)


def overview(text: str, terms: AbstractSet[str], most: int, count: Counter) -> str:
    """Return the sentences of a text that bear most on some terms, in their order, within so many tokens."""
    whole = flat(text[:MAX_READ_CHARS])
    if count(whole) <= most and len(text) <= MAX_READ_CHARS:
        return whole
    sentences = _sentences(whole)
    if len(sentences) == 1:
        return clipped(_around(whole, terms, most), most, count)
    chosen: list[int] = []
    for place in _telling_first(sentences, terms):
        if count(_joined(sentences, sorted([*chosen, place]))) <= most:
            chosen.append(place)
    if not chosen:
        best = sentences[_telling_first(sentences, terms)[0]]
        return clipped(_around(best, terms, most), most, count)
    return _joined(sentences, sorted(chosen))


def clipped(text: str, most: int, count: Counter) -> str:
    """Return as much of a text's beginning as so many tokens hold, cut between words where there are any."""
    if count(text) <= most:
        return text
    least, beyond = 0, len(text)
    while beyond - least > 1:
        middle = (least + beyond) // 2
        if count(text[:middle] + ELLIPSIS) <= most:
            least = middle
        else:
            beyond = middle
    if least == 0:
        return ""
    space = text.rfind(" ", least // 2, least)
    return text[: space if space > 0 else least].rstrip() + ELLIPSIS


@cache
def _ends() -> re.Pattern[str]:
    # After a full stop a sentence ends only before a space: 3.11 is one word. Chinese needs no space.
    return re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")


def _sentences(text: str) -> list[str]:
    return [part for part in _ends().split(text, maxsplit=MAX_SENTENCES) if part]


def _telling_first(sentences: Sequence[str], terms: AbstractSet[str]) -> list[int]:
    """Return the places of sentences, those with most of the terms first; the earlier one where two have as many."""
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


def _around(text: str, terms: AbstractSet[str], most: int) -> str:
    """Return a long text from a little before the first of the terms, where that would be cut off otherwise."""
    room = most * 2
    lower = text.lower()
    first = min((place for term in terms if (place := lower.find(term)) >= 0), default=0)
    if first < room:
        return text
    start = text.rfind(" ", first - room, first - room // 2)
    return ELLIPSIS + text[(start + 1 if start > 0 else first - room // 2) :]
