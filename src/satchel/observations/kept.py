"""Find observations that were graded as worth keeping, as evidence for a question."""

from itertools import islice

from satchel.core.service import Service
from satchel.domain.observation import KeptObservation, Observation
from satchel.domain.record import Label
from satchel.domain.safety.injection import injections
from satchel.domain.view import View
from satchel.domain.words import text_terms
from satchel.observations.lines import snippet
from satchel.recall import relevance
from satchel.recall.request import RecallQuestion

KEPT = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE)
# Terms with less weight are not searched for: they match most observations, which takes long, and add no relevance.
MIN_WEIGHT = 0.05
# Matches per result: BM25 prefers other texts than relevance does.
POOL_FACTOR = 4
EXCERPT_CHARS = 280
_QUESTION_MARKS = ("?", "？")


class KeptObservations(Service):
    """Finds observations by their words: they have no vectors."""

    def find(self, question: RecallQuestion, *, scope: str, limit: int, min_relevance: float) -> list[KeptObservation]:
        """Return the observations of a scope graded must_remember or nice_to_have, most relevant first."""
        store, terms = self._ledger.observations, question.terms
        view = View(self._reach(scope), self._clock.now(), labels=KEPT)
        frequencies = store.frequencies(terms)
        weights = relevance.term_weights(frequencies.holding, frequencies.records)
        telling = [term for term in terms if frequencies.holding[term] and weights[term] >= MIN_WEIGHT]
        matches = store.match(telling, view, limit * POOL_FACTOR)
        found = store.fetch([id for id, _ in matches], view).values()
        kept = [
            KeptObservation(
                one,
                text := _text(one),
                snippet(text, terms, EXCERPT_CHARS),
                relevance.hit_relevance(terms, _words(one, text), None, None, weights),
            )
            for one in found
        ]
        relevant = [one for one in kept if relevance.likelihood(one.relevance, rated=False) >= min_relevance]
        relevant.sort(key=lambda one: (-one.relevance, -one.observation.at, one.observation.id))
        return list(islice(filter(_is_evidence, relevant), limit))


def _is_evidence(kept: KeptObservation) -> bool:
    """Return whether an observation may go before a prompt: neither a question, nor an order to the agent."""
    return not (kept.text.endswith(_QUESTION_MARKS) or injections(kept.text))


def _text(one: Observation) -> str:
    return one.text.strip() or one.summary.strip()


def _words(one: Observation, text: str) -> frozenset[str]:
    return text_terms(f"{one.tool_name or ''} {one.summary[: relevance.MAX_LABEL_CHARS]} {text[: relevance.MAX_CHARS]}")
