"""Relevance: a calibrated probability from 0 to 1 that a record is about the question.

A record can match by meaning or by words, so relevance is the probability that at least one of the two holds. Words are
weighted by rarity: a word that many records hold says little. A question that contains a label of the record (its title, a
tag or a keyword) is also judged as if it asked for that label alone. See `docs/relevance.md`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from msgspec import Struct

from satchel.domain.embedding import BUNDLED_MODEL, MINILM_MODEL
from satchel.domain.record import Memory
from satchel.domain.words import content_terms, text_terms

# Maximum number of characters that are segmented: a long record holds any word by chance, and segmenting takes time.
MAX_CHARS = 4_000
MAX_LABEL_CHARS = 1_000
# Cap on the summed weight of shared words: more of them add no certainty.
MAX_WEIGHT = 3.0
# Smoothing: pseudo-records without any question term, because in a small store every word looks common.
PSEUDO_RECORDS = 1_000
# Rounded to print the same everywhere, and never exactly 0 or 1.
DIGITS = 4
MIN_RELEVANCE, MAX_RELEVANCE = 0.0001, 0.9999
# Meaning alone is never more certain than this: even of the closest records, one in ten is not the one asked for.
MAX_BY_MEANING = 0.9
# A memory that was judged by words alone is only left out by a minimum above this one: words cannot rule it out.
MIN_BY_WORDS = 0.02
# From this likelihood on a hit counts as an answer; below the other one it counts as not found.
GOOD = 0.4
PLAUSIBLE = 0.1
# A record that contains every telling word of the question is at least a good match, unless the words are too common to tell
# anything.
MIN_TELLING_WEIGHT = 0.3
COMPLETE = 0.5
# A record that contains a name with digits which the question states, such as "issue 489", is about it with this probability
# times the root of the share of the question's words that it contains.
NAMED_RELEVANCE = 0.85
# The part of its relevance that a record loses if another one contains the stated name.
LACKS_NAME = 0.5

_ENDINGS = ("s", "es", "d", "ed", "ing")
_MIN_STEM_CHARS = 3


class WordCoefficients(Struct, frozen=True):
    """Logistic regression on the words shared with the question: their share of it, and their weight."""

    base: float
    share: float
    weight: float


class CosineCoefficients(Struct, frozen=True):
    """Logistic regression on the cosine."""

    base: float
    cosine: float


class Calibration(Struct, frozen=True):
    """What a cosine of one embedding space says."""

    cosine: CosineCoefficients
    reads: re.Pattern[str]
    """Matches the terms that the model was taught."""


_LATIN = re.compile("[\u0000-\u024f]+")
_LATIN_OR_CHINESE = re.compile("[\u0000-\u024f\u3400-\u9fff]+")

# Fitted by `python -m bench.run --only relevance`.
CALIBRATIONS: Mapping[str, Calibration] = {
    MINILM_MODEL: Calibration(CosineCoefficients(base=-8.3, cosine=16.6), _LATIN),
    BUNDLED_MODEL: Calibration(CosineCoefficients(base=-11.0, cosine=21.4), _LATIN_OR_CHINESE),
}
"""By embedding space: in another space the same cosine means something else."""
# What words say in every mode. Beside a cosine they have to say more, because what shares words is usually close in meaning too;
# so a value by words alone is a lower bound.
WORDS = WordCoefficients(base=-10.0, share=7.1, weight=3.36)
# What words say if nothing else is known, from the log-odds of WORDS.
ALONE_SHIFT, ALONE_SCALE = 2.88, 1.556


class RelevanceSignals(Struct, frozen=True):
    """The inputs of the relevance model for one hit."""

    share: float
    """The weighted share of the question's terms that the record holds: 0 to 1."""
    weight: float
    """The summed weight of the terms it holds: 0 to MAX_WEIGHT."""
    cosine: float | None
    """The cosine to the question; None if unknown or not calibrated."""


def hit_relevance(
    terms: Sequence[str],
    words: AbstractSet[str],
    cosine: float | None,
    space: str | None,
    weights: Mapping[str, float],
    labels: Iterable[AbstractSet[str]] = (),
    *,
    has_name: bool = False,
) -> float:
    """Return the relevance of a record, given the question's terms and the record's words and labels.

    `has_name` says that the record contains a name with digits that the question states.
    """
    asked = (terms, *_terms_of_labels(tuple(terms), labels))
    value = max(relevance_from(relevance_signals(one, words, cosine, space, weights), space) for one in asked)
    if not has_name:
        return value
    by_name = NAMED_RELEVANCE * math.sqrt(relevance_signals(terms, words, None, None, weights).share)
    return _rounded(1 - (1 - value) * (1 - by_name))


def without_name(value: float, distinction: float) -> float:
    """Return the relevance of a record that lacks a stated name which sets other records apart, by this much: 0 to 1."""
    return _rounded(value * (1 - LACKS_NAME * distinction)) if distinction else value


def answer_relevance(hits: Iterable[float]) -> float:
    """Return the relevance of a whole answer: that of its best hit."""
    return max(hits, default=0.0)


def memory_words(memory: Memory) -> frozenset[str]:
    """Return the words of a memory's title, tags, keywords and the beginning of its text."""
    labels = " ".join((memory.title or "", *memory.tags, *memory.keywords))
    return text_terms(f"{labels[:MAX_LABEL_CHARS]} {memory.text[:MAX_CHARS]}")


def memory_labels(memory: Memory) -> list[frozenset[str]]:
    """Return the content words of a memory's title, and of each of its tags and keywords."""
    labels = (memory.title or "", *memory.tags, *memory.keywords)
    return [frozenset(content_terms(label[:MAX_LABEL_CHARS])) for label in labels if label]


def term_weights(holding: Mapping[str, int], records: int) -> dict[str, float]:
    """Return the weight of each term by document frequency: 1 if no record holds it, towards 0 if all do."""
    full = math.log(1 + records + PSEUDO_RECORDS)
    return {term: (1 - math.log(1 + min(held, records)) / full) ** 2 for term, held in holding.items()}


def relevance_signals(
    terms: Sequence[str],
    words: AbstractSet[str],
    cosine: float | None,
    space: str | None,
    weights: Mapping[str, float],
) -> RelevanceSignals:
    """Return the model inputs for a record. A term without a weight counts as 1."""
    total = math.fsum(weights.get(term, 1.0) for term in terms)
    held = math.fsum(weights.get(term, 1.0) for term in terms if not words.isdisjoint(word_forms(term)))
    return RelevanceSignals(
        share=held / total if total else 0.0,
        weight=min(held, MAX_WEIGHT),
        cosine=cosine if is_calibrated(space, terms) else None,
    )


def best_coverage(terms: Sequence[str], records: Iterable[AbstractSet[str]], weights: Mapping[str, float]) -> float:
    """Return the largest weighted share of the question's terms that one of some records holds."""
    return max((relevance_signals(terms, words, None, None, weights).share for words in records), default=0.0)


def relevance_from(found: RelevanceSignals, space: str | None) -> float:
    """Return the probability that a record matches by meaning or by words. A cosine needs its space.

    A cosine never lowers the value, so that it means the same in every mode.
    """
    probability = _by_words(found)
    if found.cosine is not None and space is not None:
        fitted = CALIBRATIONS[space].cosine
        by_meaning = MAX_BY_MEANING * _sigmoid(fitted.base + fitted.cosine * found.cosine)
        probability = 1 - (1 - by_meaning) * (1 - probability)
    return _rounded(probability)


def _rounded(probability: float) -> float:
    return min(MAX_RELEVANCE, max(MIN_RELEVANCE, round(probability, DIGITS)))


def likelihood(value: float, *, rated: bool) -> float:
    """Return how likely a hit of this relevance is about the question, all things considered.

    If the meaning was not rated, the relevance is only what words can show, and the likelihood is higher.
    """
    if rated or value <= 0 or value >= 1:
        return value
    return max(value, _sigmoid((math.log(value / (1 - value)) + ALONE_SHIFT) / ALONE_SCALE))


def _by_words(found: RelevanceSignals) -> float:
    value = _sigmoid(WORDS.base + WORDS.share * found.share + WORDS.weight * found.weight)
    is_complete = found.share >= 1.0 and found.weight >= MIN_TELLING_WEIGHT
    return max(value, COMPLETE) if is_complete else value


def _sigmoid(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def is_calibrated(space: str | None, terms: Sequence[str]) -> bool:
    """Return whether cosines of this space are calibrated for this question.

    A model places any two texts in a script it was not taught close together, so it must read most terms of the question.
    """
    fitted = CALIBRATIONS.get(space or "")
    return fitted is not None and _reads_most(fitted.reads, tuple(terms))


# Asked for every candidate of a question.
@lru_cache(maxsize=16)
def _reads_most(reads: re.Pattern[str], terms: tuple[str, ...]) -> bool:
    return 2 * sum(bool(reads.fullmatch(term)) for term in terms) > len(terms)


def _terms_of_labels(terms: tuple[str, ...], labels: Iterable[AbstractSet[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the question's terms for every label that it contains."""
    for label in labels:
        known = _terms_by_form(terms)
        if label and label <= known.keys():
            yield tuple(dict.fromkeys(known[word] for word in sorted(label)))


@lru_cache(maxsize=16)
def _terms_by_form(terms: tuple[str, ...]) -> Mapping[str, str]:
    return {form: term for term in reversed(terms) for form in (*word_forms(term), term)}


@lru_cache(maxsize=1024)
def word_forms(term: str) -> frozenset[str]:
    """Return a term with regular English inflections: the full-text engines stem, so a hit may hold any of them."""
    if len(term) < _MIN_STEM_CHARS or not (term.isascii() and term.isalpha()):
        return frozenset({term})
    stems = {term} | {term.removesuffix(ending) for ending in ("e", *_ENDINGS)}
    long_enough = {stem for stem in stems if len(stem) >= _MIN_STEM_CHARS}
    regular = {stem + ending for stem in long_enough for ending in ("", "e", *_ENDINGS)}
    return frozenset(regular | _with_y(term))


def _with_y(term: str) -> set[str]:
    if term.endswith("ies"):
        return {term[:-3] + "y"}
    return {term[:-1] + "ies"} if term.endswith("y") else set()
