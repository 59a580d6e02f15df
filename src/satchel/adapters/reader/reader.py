"""Reads discussions with a network, and says how likely an answer is right."""

import math
from array import array
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from satchel.adapters.reader.layout import MAX_MESSAGES
from satchel.adapters.reader.network import Scores, load_network
from satchel.adapters.reader.words import Floats
from satchel.conversations.cues import is_question, puts_off
from satchel.domain.conversation import Message, Speaker
from satchel.domain.embedding import BUNDLED_MODEL, Vector
from satchel.ports.reading import DecisionQuestion, Discussion, Reading

# Longer messages are read only as far as this, and from their end.
MAX_CHARS = 2_000
# How many of the discussions nearest to a question are read.
MAX_READ = 8
# How near a discussion is to a question: the mean of its nearest messages.
NEAREST = 3
# From this log-odds on a message counts as a reason, as one for a question that does not ask for reasons, and as the choice
# that was replaced.
MIN_REASON, MIN_UNASKED_REASON, MIN_REPLACED = -2.0, 2.0, -1.0
MAX_REASONS = 3
# From this log-odds on a message that does not settle the matter leaves it open.
MIN_UNDECIDED = -1.5


class AnswerParts(Struct, frozen=True):
    """The places of the messages that an answer rests on."""

    decision: int
    reasons: tuple[int, ...]
    replaced: int | None


class NetworkReader:
    """Implements ports.DiscussionReader with the network of the package."""

    space = BUNDLED_MODEL
    max_messages = MAX_MESSAGES

    def read(self, question: DecisionQuestion, discussions: Sequence[Discussion]) -> list[Reading]:
        compared = sorted(((_nearness(question, one), one) for one in discussions), key=lambda one: -one[0])
        nearest = compared[0][0] if compared else 0.0
        readings = [_reading(question, one, near, nearest - near) for near, one in compared[:MAX_READ]]
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
    return DecisionQuestion("", array("f", (total / length).tolist())) if length else None


def _nearness(question: DecisionQuestion, discussion: Discussion) -> float:
    cosines = np.array(discussion.vectors, np.float32) @ np.asarray(question.vector, np.float32)
    return float(np.sort(cosines)[-NEAREST:].mean())


def _reading(question: DecisionQuestion, discussion: Discussion, near: float, behind: float) -> Reading:
    network, said = load_network(), discussion.messages
    scores = network.score(question.text, [spoken(one) for one in said], [_read_text(one) for one in said])
    wants_reason = not question.text or asks_for_reason(network.trunk.tensors["asks_reason"], question.vector)
    parts = choose_parts(scores, MIN_REASON if wants_reason else MIN_UNASKED_REASON)
    margin = float(scores.decision.max()) - scores.none
    open_odds, settled_odds = scores.undecided[parts.decision], scores.settles[parts.decision]
    return Reading(
        discussion,
        said[parts.decision],
        tuple(said[place] for place in parts.reasons),
        None if parts.replaced is None else said[parts.replaced],
        near,
        likelihood_of(network.trunk.tensors["choice"], margin, near, behind),
        bool(open_odds >= max(MIN_UNDECIDED, settled_odds)) or _puts_off(said, parts.decision),
    )


def _puts_off(said: Sequence[Message], decision: int) -> bool:
    """Return whether a message puts the matter off, or only opens a discussion that ends with it still open."""
    last = said[-1].content
    return puts_off(said[decision].content) or (decision == 0 and (puts_off(last) or is_question(last)))


def spoken(message: Message) -> str:
    """Return what is read of a message: its text, after the name of who said it, or the role of a program."""
    speaker = message.by or ("" if message.role is Speaker.USER else message.role.value)
    return f"{speaker}: {_read_text(message)}" if speaker else _read_text(message)


def _read_text(message: Message) -> str:
    text = message.content
    return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS // 2]} {text[-MAX_CHARS // 2 :]}"


def asks_for_reason(factors: Floats, question: Vector) -> bool:
    """Return whether a question asks for reasons, rather than what was decided, when, or what held before."""
    log_odds = float(factors[0]) + float(factors[1:] @ np.asarray(question, np.float32))
    return log_odds > 0


def choose_parts(scores: Scores, min_reason: float = MIN_REASON) -> AnswerParts:
    """Return the likeliest decision, its reasons, which came after what it replaced, and that."""
    decision = scores.chosen
    earlier = scores.replaced[:decision]
    replaced = int(earlier.argmax()) if earlier.max(initial=-math.inf) >= MIN_REPLACED else None
    strongest = np.argsort(-scores.reason, kind="stable")[:MAX_REASONS].tolist()
    after = -1 if replaced is None else replaced
    reasons = tuple(sorted(place for place in strongest if scores.reason[place] >= min_reason and place > after))
    return AnswerParts(decision, reasons, replaced)


def likelihood_of(choice: Floats, margin: float, near: float, behind: float) -> float:
    """Return the likelihood of an answer.

    It depends on the log-odds of the decision over those of none, on how near the discussion is to the question, and on
    how much nearer the nearest one is.
    """
    base, *factors = choice.tolist()
    log_odds = base + sum(factor * value for factor, value in zip(factors, (margin, near, behind), strict=True))
    return 1 / (1 + math.exp(-log_odds))
