"""Duplicates: two texts that say the same in slightly other words. In doubt they are two: a wrong merge loses a rule."""

import re
from functools import cache

from msgspec import Struct

from satchel.domain.text import normalised
from satchel.domain.words import telling_terms, text_terms

# More of a text than this is in no packet, so more is not compared.
COMPARED_CHARS = 4_000
# What one text adds to the other may be a third of it, no more.
LEAST_SHARED = 0.7
# Words that begin alike are taken for forms of one word.
STEM_CHARS = 4
STEM_SHARE = 0.6
# A summary that holds so much of an episode's words carries the same signal.
CARRIED_SHARE = 0.8

_NUMBERS = re.compile(r"\d+")
# What turns a rule into another one, or around.
_TURNING = (
    "no not never none nor neither without cannot dont doesnt didnt wont isnt arent shouldnt mustnt cant "
    "except unless until before after always only kein keine nicht nie ohne pas jamais sans nunca sin"
)
_TURNING_WORDS = frozenset(_TURNING.split())
_TURNING_CHARACTERS = re.compile("[不没沒未勿别別非无無莫否前后後]")
_WORD = re.compile(r"\w+")


class _Gist(Struct, frozen=True):
    plain: str
    terms: frozenset[str]
    turns: tuple[tuple[str, ...], ...]


class Comparison:
    """Compares texts with each other, reading each only once."""

    def __init__(self) -> None:
        self._gist = cache(_gist)
        self._held = cache(lambda text: text_terms(text[:COMPARED_CHARS]))

    def same(self, one: str, other: str) -> bool:
        """Say whether two texts differ in nothing but small matters of wording."""
        first, second = self._gist(one), self._gist(other)
        if first.plain == second.plain:
            return True
        # A number or a negation changed is another rule, however alike the rest is.
        return first.turns == second.turns and (_contained(first, second) or _reworded(first.terms, second.terms))

    def carries(self, summary: str, episode: str) -> bool:
        """Say whether a summary holds what an episode tells."""
        told, held = self._gist(episode), self._held(summary)
        if not told.terms or not set(told.turns[0]) <= set(self._gist(summary).turns[0]):
            # A number that the summary leaves out is what somebody may need.
            return False
        return len(told.terms & held) >= CARRIED_SHARE * len(told.terms)


def _gist(text: str) -> _Gist:
    read = text[:COMPARED_CHARS]
    plain = normalised(read)
    words = _WORD.findall(plain.replace("'", "").replace("’", ""))
    turning = tuple(sorted(word for word in words if word in _TURNING_WORDS))
    turns = (tuple(_NUMBERS.findall(plain)), turning, tuple(_TURNING_CHARACTERS.findall(plain)))
    return _Gist(plain, frozenset(telling_terms(read)), turns)


def _contained(first: _Gist, second: _Gist) -> bool:
    shorter, longer = sorted((first.plain, second.plain), key=len)
    return len(shorter) >= LEAST_SHARED * len(longer) and shorter.rstrip(".!。！ ") in longer


def _reworded(first: frozenset[str], second: frozenset[str]) -> bool:
    only_first, only_second = first - second, second - first
    if not only_first or not only_second:
        return min(len(first), len(second)) >= LEAST_SHARED * max(len(first), len(second)) > 0
    # Where words were exchanged, each must be another form of one on the other side.
    return len(only_first) == len(only_second) and all(
        any(_same_stem(word, other) for other in only_second) for word in only_first
    )


def _same_stem(one: str, other: str) -> bool:
    shared = max(STEM_CHARS, round(STEM_SHARE * max(len(one), len(other))))
    return min(len(one), len(other)) >= shared and one[:shared] == other[:shared]
