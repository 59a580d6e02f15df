"""Measure candidates: the share of the request's words they contain, in any form and script, and their freshness."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from satchel.attention.candidates import Pool
from satchel.attention.fit import Fit, fit_of
from satchel.attention.request import AttentionRequest
from satchel.domain.moment import HOUR_MS
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, Trust
from satchel.domain.words import content_terms, text_terms
from satchel.recall.relevance import word_forms


class HeldTerms(Struct, frozen=True):
    """The terms of a request that a memory holds, by field."""

    title: frozenset[str]
    text: frozenset[str]
    keywords: frozenset[str]
    tags: frozenset[str]

    @property
    def subject(self) -> frozenset[str]:
        """Terms compared with the goal."""
        return self.title | self.text | self.keywords

    @property
    def matter(self) -> frozenset[str]:
        """Terms compared with questions and failures."""
        return self.text | self.tags

    @property
    def everything(self) -> frozenset[str]:
        """Terms compared with the whole request."""
        return self.subject | self.tags


class RequestTerms:
    """The telling terms of a request, which other forms of the same words match: "restaurants" holds "restaurant"."""

    def __init__(self, terms: Iterable[str]) -> None:
        self.terms = tuple(dict.fromkeys(terms))
        by_form: defaultdict[str, set[str]] = defaultdict(set)
        for term in self.terms:
            for form in word_forms(term):
                by_form[form].add(term)
        self._by_form: Mapping[str, set[str]] = dict(by_form)

    def held_by(self, memory: Memory) -> HeldTerms:
        """Return the terms that each field of a memory holds."""
        return HeldTerms(
            self._held(memory.title or ""),
            self._held(memory.text),
            self._held(" ".join(memory.keywords)),
            self._held(" ".join(memory.tags)),
        )

    def _held(self, text: str) -> frozenset[str]:
        words = text_terms(text) & self._by_form.keys()
        return frozenset(term for word in words for term in self._by_form[word])


class TermWeights:
    """Weights of a request's terms: the fewer candidates contain a term, the more it weighs."""

    def __init__(self, terms: Iterable[str], candidates: Sequence[frozenset[str]]) -> None:
        held = Counter(term for candidate in candidates for term in candidate)
        self._weights: Mapping[str, float] = {
            term: math.log(1 + (len(candidates) + 1) / (held[term] + 1)) for term in sorted(set(terms))
        }

    def coverage(self, asked: Sequence[str], held: frozenset[str]) -> float:
        """Return the weighted share of the asked terms that is held, from 0 to 1."""
        whole = math.fsum(self._weights[term] for term in asked)
        return math.fsum(self._weights[term] for term in asked if term in held) / whole if whole else 0.0


def asked_terms(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct telling terms of some texts."""
    return tuple(dict.fromkeys(term for text in texts for term in content_terms(text)))


def freshness(happened_at: int, now: int, hours: float, least: float) -> float:
    """Return the freshness of a memory: 1 now or in the future, 37 % after `hours`, never below `least`."""
    age = max(0, now - happened_at) / HOUR_MS
    return max(least, math.exp(-age / hours))


class Measured(Struct, frozen=True):
    """A candidate with its measurements, each between 0 and 1."""

    memory: Memory
    fit: Fit
    """Why it belongs in the packet, or why it does not."""
    relevance: float
    """The probability that it is about the goal, a failure or an open question."""
    goal: float
    """Share of the goal's words in title, text and keywords."""
    questions: float
    """Share of the open questions' words in text and tags."""
    failures: float
    """Share of the recent failures' words in text and tags."""
    overlap: float
    """Share of the whole request's words in all fields."""
    freshness: float
    meaning: float | None = None
    """Cosine similarity to the request; None if not requested or not known."""

    relevant: bool = False
    """Whether that is relevant enough, even if another rule keeps it out."""

    @property
    def trusted(self) -> bool:
        """Whether the memory is trusted."""
        return self.memory.trust is Trust.TRUSTED


def measure(request: AttentionRequest, pool: Pool, now: int, policy: AttentionPolicy) -> tuple[Measured, ...]:
    """Measure every candidate against the request."""
    goal, questions = asked_terms([request.goal]), asked_terms(request.questions)
    failures = asked_terms(request.failures)
    whole = RequestTerms(asked_terms([request.goal, *request.constraints, *request.failures, *request.questions]))
    held = {memory.id: whole.held_by(memory) for memory in pool.memories}
    # Untrusted memories must not make the words of trusted ones look common.
    trusted = [held[one.id].everything for one in pool.memories if one.trust is Trust.TRUSTED]
    rarity = TermWeights(whole.terms, trusted or [one.everything for one in held.values()])
    return tuple(
        Measured(
            memory,
            fit_of(memory, pool.near[memory.id].relevance, pool.details.get(memory.id), request, policy),
            pool.near[memory.id].relevance,
            goal=rarity.coverage(goal, held[memory.id].subject),
            questions=rarity.coverage(questions, held[memory.id].matter),
            failures=rarity.coverage(failures, held[memory.id].matter),
            overlap=rarity.coverage(whole.terms, held[memory.id].everything),
            freshness=freshness(pool.happened_at(memory), now, policy.freshness_hours, policy.least_freshness),
            meaning=pool.near[memory.id].cosine,
            relevant=pool.near[memory.id].relevance >= policy.least_relevance,
        )
        for memory in pool.memories
    )
