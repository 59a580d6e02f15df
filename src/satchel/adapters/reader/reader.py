"""Reads discussions with linear models and small networks, and says how likely an answer is right."""

import math
from array import array
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from satchel.adapters.reader.acts import Floats, act_inputs
from satchel.adapters.reader.features import SETTLES, UNDECIDED, Nearness, decision_features, nearness
from satchel.adapters.reader.network import MAX_MESSAGES, ReaderWeights, Scores, load_weights, score
from satchel.adapters.reader.question import asks
from satchel.domain.embedding import BUNDLED_MODEL
from satchel.domain.words import text_terms
from satchel.ports.reading import DecisionQuestion, Discussion, Reading

# Longer messages are compared by the words of their beginning.
MAX_CHARS = 4_000
# How many of the discussions nearest to a question are read.
MAX_READ = 4
# From this log-odds on a message counts as a reason, and as the choice that was replaced.
MIN_REASON, MIN_REPLACED = math.log(0.6 / 0.4), math.log(0.25 / 0.75)
MAX_REASONS = 3
# From this log-odds on a message that does not settle the matter leaves it open.
MIN_UNDECIDED = 1.0


class AnswerParts(Struct, frozen=True):
    """The places of the messages that an answer rests on."""

    decision: int
    reasons: tuple[int, ...]
    replaced: int | None


class NetworkReader:
    """Implements ports.DiscussionReader with the weights of the package."""

    space = BUNDLED_MODEL
    max_messages = MAX_MESSAGES

    def read(self, question: DecisionQuestion, discussions: Sequence[Discussion]) -> list[Reading]:
        compared = [(one, _nearness(question, one)) for one in discussions]
        nearest = max((near.whole for _, near in compared), default=0.0)
        chosen = sorted(compared, key=lambda one: -one[1].whole)[:MAX_READ]
        readings = [_reading(question, one, near, nearest - near.whole) for one, near in chosen]
        return sorted(readings, key=lambda one: -one.likelihood)

    def decided(self, discussions: Sequence[Discussion]) -> list[Reading]:
        readings = [
            _reading(asked, one, _nearness(asked, one), 0.0) for one in discussions if (asked := _own_topic(one))
        ]
        return [one for one in readings if not one.undecided]


def _own_topic(discussion: Discussion) -> DecisionQuestion | None:
    """Return the question that a discussion is about as a whole: the mean direction of its messages."""
    total = np.array(discussion.vectors, np.float32).sum(axis=0)
    length = float(np.linalg.norm(total))
    return DecisionQuestion("", array("f", (total / length).tolist()), (), {}) if length else None


def _nearness(question: DecisionQuestion, discussion: Discussion) -> Nearness:
    words = [text_terms(f"{one.content[:MAX_CHARS]} {one.by or ''}") for one in discussion.messages]
    return nearness(question, np.array(discussion.vectors, np.float32), words)


def _reading(question: DecisionQuestion, discussion: Discussion, near: Nearness, behind: float) -> Reading:
    weights, vectors = load_weights(), np.array(discussion.vectors, np.float32)
    acts = _acts(discussion, vectors, weights)
    features = decision_features(near, acts, asks(question.text))
    scores = score(np.asarray(question.vector, np.float32), vectors, features, weights)
    margin = float(scores.decision.max()) - scores.none
    parts, said = choose_parts(scores), discussion.messages
    return Reading(
        discussion,
        said[parts.decision],
        tuple(said[place] for place in parts.reasons),
        None if parts.replaced is None else said[parts.replaced],
        near.whole,
        likelihood_of(weights.choice, margin, near.whole, behind),
        bool(acts[parts.decision, UNDECIDED] >= max(MIN_UNDECIDED, acts[parts.decision, SETTLES])),
    )


def _acts(discussion: Discussion, vectors: Floats, weights: ReaderWeights) -> Floats:
    texts = [one.content for one in discussion.messages]
    roles = [one.role for one in discussion.messages]
    scores: Floats = act_inputs(texts, roles, vectors) @ weights.acts + weights.act_bases
    return scores


def choose_parts(scores: Scores) -> AnswerParts:
    """Return the likeliest decision, its reasons, which came after what it replaced, and that."""
    decision = int(scores.decision.argmax())
    earlier = scores.replaced[:decision]
    replaced = int(earlier.argmax()) if earlier.max(initial=-math.inf) >= MIN_REPLACED else None
    strongest = np.argsort(-scores.reason, kind="stable")[:MAX_REASONS].tolist()
    after = -1 if replaced is None else replaced
    reasons = tuple(sorted(place for place in strongest if scores.reason[place] >= MIN_REASON and place > after))
    return AnswerParts(decision, reasons, replaced)


def likelihood_of(choice: Floats, margin: float, near: float, behind: float) -> float:
    """Return the likelihood of an answer.

    It depends on the log-odds of the decision over those of none, on how near the discussion is to the question, and on
    how much nearer the nearest one is.
    """
    base, *factors = choice.tolist()
    log_odds = base + sum(factor * value for factor, value in zip(factors, (margin, near, behind), strict=True))
    return 1 / (1 + math.exp(-log_odds))
