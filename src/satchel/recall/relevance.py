"""Relevance: how likely a record is about what was asked, from 0 to 1, whatever else was found. No part of the ranking.

A record can be right by its meaning or by its words, so the value is the chance that at least one of the two holds.
Words count by how telling they are: one that many records hold says little. `docs/relevance.md` tells what the value
means and how far to trust it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from msgspec import Struct

from satchel.domain.record import Memory
from satchel.domain.words import segmented

# The one embedding space whose cosines were calibrated: elsewhere the same number means something else.
CALIBRATED_SPACE = "all-MiniLM-L6-v2-int8"
# A long record holds any word by accident, and cutting it takes time.
MAX_CHARS = 4_000
MAX_LABEL_CHARS = 1_000
# Beyond this, more shared words make a record no more certain.
MOST_WEIGHT = 3.0
# So many records that hold none of the words are imagined beside the store's: in a small store every word seems common.
IMAGINED_RECORDS = 1_000
# Prints the same everywhere, and never claims to be certain.
DIGITS = 4
LEAST, MOST = 0.0001, 0.9999

_BEYOND_LATIN = "\u0250"
_ENDINGS = ("s", "es", "d", "ed", "ing")
_LEAST_STEM = 3


class Words(Struct, frozen=True):
    """What the words shared with the question say: log-odds that rise with their share of it and with their weight."""

    base: float
    share: float
    weight: float


class Meaning(Struct, frozen=True):
    """What the cosine says: log-odds that rise with it."""

    base: float
    cosine: float


# Fitted by `python -m bench.run --only relevance`.
BY_MEANING = Meaning(base=-7.03, cosine=12.85)
BESIDE_MEANING = Words(base=-7.74, share=3.78, weight=3.84)
WORDS_ALONE = Words(base=-4.58, share=4.56, weight=2.16)


class Signals(Struct, frozen=True):
    """What a hit is judged by."""

    share: float
    """Of the question's words, by weight, how much the record holds: 0 to 1."""
    weight: float
    """The summed weight of the words it holds: 0 to MOST_WEIGHT."""
    cosine: float | None
    """How near it is in meaning; None where that cannot be told, or cannot be relied on."""


def of_hit(
    terms: Sequence[str],
    words: AbstractSet[str],
    cosine: float | None,
    space: str | None,
    weights: Mapping[str, float],
) -> float:
    """Return how likely a record is about what was asked, given the question's terms and the record's words."""
    return value(signals(terms, words, cosine, space, weights))


def of_answer(hits: Iterable[float]) -> float:
    """Return how likely an answer holds a record that is about what was asked: as likely as for its best hit."""
    return max(hits, default=0.0)


def words_of(memory: Memory) -> frozenset[str]:
    """Return the words a record is judged by: its labels, and its text as far as it is looked at."""
    labels = " ".join((memory.title or "", *memory.tags, *memory.keywords))
    return frozenset(segmented(f"{labels[:MAX_LABEL_CHARS]} {memory.text[:MAX_CHARS]}").split())


def weights(holding: Mapping[str, int], records: int) -> dict[str, float]:
    """Return how telling each term is, from how many of a store's records hold it: 1 for none, towards 0 for all."""
    full = math.log(1 + records + IMAGINED_RECORDS)
    return {term: (1 - math.log(1 + min(held, records)) / full) ** 2 for term, held in holding.items()}


def signals(
    terms: Sequence[str],
    words: AbstractSet[str],
    cosine: float | None,
    space: str | None,
    weights: Mapping[str, float],
) -> Signals:
    """Return what a record is judged by. A term without a weight counts in full."""
    asked = math.fsum(weights.get(term, 1.0) for term in terms)
    held = math.fsum(weights.get(term, 1.0) for term in terms if not words.isdisjoint(_forms(term)))
    return Signals(
        share=held / asked if asked else 0.0,
        weight=min(held, MOST_WEIGHT),
        cosine=cosine if understands(space, terms) else None,
    )


def value(found: Signals) -> float:
    """Return the chance that a record is right by its meaning or by its words."""
    if found.cosine is None:
        chance = _by_words(WORDS_ALONE, found)
    else:
        by_meaning = _chance(BY_MEANING.base + BY_MEANING.cosine * found.cosine)
        chance = 1 - (1 - by_meaning) * (1 - _by_words(BESIDE_MEANING, found))
    return min(MOST, max(LEAST, round(chance, DIGITS)))


def _by_words(constants: Words, found: Signals) -> float:
    return _chance(constants.base + constants.share * found.share + constants.weight * found.weight)


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def understands(space: str | None, terms: Sequence[str]) -> bool:
    """Say whether a cosine of this space means something known: the space is calibrated, and its model reads the question.

    It was taught English: any two texts in a script it cannot read seem near to it, so most of a question has to be in
    Latin letters.
    """
    return space == CALIBRATED_SPACE and 2 * sum(_is_latin(term) for term in terms) > len(terms)


def _is_latin(term: str) -> bool:
    return term.isascii() or all(letter < _BEYOND_LATIN for letter in term)


@lru_cache(maxsize=1024)
def _forms(term: str) -> frozenset[str]:
    """Return a term with the endings that English words take. The engines stem, so a hit may hold any of them."""
    if len(term) <= _LEAST_STEM or not (term.isascii() and term.isalpha()):
        return frozenset({term})
    stems = {term} | {term.removesuffix(ending) for ending in ("e", *_ENDINGS)}
    long_enough = {stem for stem in stems if len(stem) >= _LEAST_STEM}
    regular = {stem + ending for stem in long_enough for ending in ("", "e", *_ENDINGS)}
    return frozenset(regular | _with_y(term))


def _with_y(term: str) -> set[str]:
    if term.endswith("ies"):
        return {term[:-3] + "y"}
    return {term[:-1] + "ies"} if term.endswith("y") else set()
