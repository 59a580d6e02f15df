"""Decisions and messages as items of a search."""

from collections.abc import Mapping, Sequence

from satchel.domain.conversation import ClauseKind, Decision
from satchel.domain.passage import PassageHit
from satchel.domain.ranking import LaneItem
from satchel.domain.safety.redact import mask
from satchel.domain.shorten import shorten
from satchel.domain.words import text_terms
from satchel.recall import relevance

MAX_ITEM_CHARS = 500


def decision_item(terms: Sequence[str], decision: Decision, weights: Mapping[str, float]) -> LaneItem:
    """Return a decision with its reasons, rated by the words it shares with a question."""
    because = "; ".join(clause.text for clause in decision.clauses_of(ClauseKind.CAUSE))
    text = decision.statement
    if because and because not in text:
        text += f" (because {because})"
    words = text_terms(f"{text} {decision.choice} {decision.topic}")
    return LaneItem(
        decision.id,
        shorten(mask(text), MAX_ITEM_CHARS),
        relevance.hit_relevance(terms, words, None, None, weights),
        decision.trust,
        decision.citations,
        "decision",
        decision.at,
    )


def message_item(hit: PassageHit) -> LaneItem:
    """Return a message that was found."""
    one = hit.passage
    ref, text = str(one.id), shorten(mask(one.text), MAX_ITEM_CHARS)
    return LaneItem(ref, text, hit.relevance, one.trust, (ref,), "message", one.at or 0)
