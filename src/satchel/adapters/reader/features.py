"""Features of the messages of a discussion for a question: how near they are to it, what they do, and where they stand."""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from msgspec import Struct

from satchel.adapters.reader.acts import Floats
from satchel.domain.embedding import BUNDLED_MODEL
from satchel.ports.reading import DecisionQuestion
from satchel.recall import relevance

SETTLES, REASON, _, PROPOSES, UNDECIDED, ACTS_ON, _ = range(7)
# How much topic and words count where a message is compared with later ones.
COSINE_WEIGHT, SHARE_WEIGHT = 6.0, 1.5
# The score of an act where there is no message.
NO_MESSAGE = -3.0
ASKS = ("why", "what", "why_not", "before", "when")
# How near a discussion is to a question: the mean of its nearest messages, and the words that it has of the question.
NEAREST, WORDS_WEIGHT = 3, 0.5


class Nearness(Struct, frozen=True):
    """How near the messages of a discussion are to a question."""

    cosines: Floats
    relevances: Floats
    shares: Floats
    """The weighted share of the question's words that each message contains."""
    whole: float
    """How near the discussion is as a whole."""


def nearness(question: DecisionQuestion, vectors: Floats, words: Sequence[AbstractSet[str]]) -> Nearness:
    """Compare the messages of a discussion with a question, by their vectors and words."""
    cosines = vectors @ np.asarray(question.vector, np.float32)
    terms, weights = question.terms, question.weights
    rated = [
        relevance.relevance_signals(terms, own, float(cosine), BUNDLED_MODEL, weights)
        for own, cosine in zip(words, cosines, strict=True)
    ]
    relevances = [relevance.relevance_from(one, BUNDLED_MODEL) for one in rated]
    of_all = relevance.best_coverage(terms, [frozenset[str]().union(*words)], weights)
    nearest = float(np.sort(cosines)[-NEAREST:].mean())
    shares = [one.share for one in rated]
    return Nearness(
        cosines, np.array(relevances, np.float32), np.array(shares, np.float32), nearest + WORDS_WEIGHT * of_all
    )


def decision_features(near: Nearness, acts: Floats, asks: str) -> Floats:
    """Return a row of features for each message: whether it made the decision that the question asks about."""
    cosines, shares = near.cosines, near.shares
    odds = np.array([_log_odds(float(value)) / 5 for value in near.relevances], np.float32)
    count = len(cosines)
    around, settles, reason = smooth(cosines, 3), acts[:, SETTLES], acts[:, REASON]
    strength = settles + COSINE_WEIGHT * around + SHARE_WEIGHT * smooth(shares, 3)
    behind = np.array([max(0.0, strength[place + 1 :].max(initial=-99.0) - strength[place]) for place in range(count)])
    compared = (cosines, around, shares, odds, settles, reason)
    columns = [
        cosines,
        smooth(cosines, 1),
        around,
        smooth(cosines, 6, 0.9),
        np.maximum.accumulate(cosines),
        np.full(count, cosines.max()),
        shares,
        smooth(shares, 3),
        odds,
        np.full(count, odds.max()),
        *acts.T,
        np.arange(count) / max(1, count - 1),
        np.arange(count) == count - 1,
        behind,
        behind > 0,
        settles >= settles.max(),
        *map(_ranks, compared),
        *map(_standardized, compared),
        *(_shifted(acts[:, act], by) for by in (-2, -1, 1, 2) for act in (SETTLES, REASON, PROPOSES, ACTS_ON)),
        np.full(count, count),
        *(np.full(count, asks == one) for one in ASKS),
        np.maximum.accumulate(settles),
        np.maximum.accumulate(settles[::-1])[::-1],
        np.cumsum((settles > 0)[::-1])[::-1] - (settles > 0),
        np.cumsum(settles > 0) - (settles > 0),
    ]
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def smooth(values: Floats, reach: int, decay: float = 0.8) -> Floats:
    """Return for each message the largest value of itself and its neighbours, which count less the farther away they are."""
    best = values.copy()
    for by in range(1, min(reach, len(values) - 1) + 1):
        faded = values * decay**by
        best[by:] = np.maximum(best[by:], faded[:-by])
        best[:-by] = np.maximum(best[:-by], faded[by:])
    return best


def _log_odds(probability: float) -> float:
    inside = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(inside / (1 - inside))


def _ranks(values: Floats) -> Floats:
    order = np.argsort(np.argsort(-values, kind="stable"), kind="stable")
    return (order / max(1, len(values) - 1)).astype(np.float32)


def _standardized(values: Floats) -> Floats:
    standardized: Floats = (values - values.mean()) / (values.std() + 1e-6)
    return standardized


def _shifted(values: Floats, by: int) -> Floats:
    shifted = np.full(len(values), NO_MESSAGE, np.float32)
    if abs(by) < len(values):
        if by < 0:
            shifted[-by:] = values[:by]
        else:
            shifted[:-by] = values[by:]
    return shifted
