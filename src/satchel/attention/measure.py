"""Measure candidates: the share of the request's words they contain, in any script, and their freshness."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from satchel.attention.candidates import Pool
from satchel.attention.request import AttentionRequest
from satchel.domain.moment import HOUR_MS
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId
from satchel.domain.words import content_terms, text_terms


class MemoryTerms(Struct, frozen=True):
    """The terms of a memory by field."""

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


def memory_terms(memory: Memory) -> MemoryTerms:
    """Return the terms of a memory by field."""
    return MemoryTerms(
        text_terms(memory.title or ""),
        text_terms(memory.text),
        text_terms(" ".join(memory.keywords)),
        text_terms(" ".join(memory.tags)),
    )


class TermWeights:
    """Weights of a request's terms: the fewer candidates contain a term, the more it weighs."""

    def __init__(self, terms: Iterable[str], candidates: Sequence[frozenset[str]]) -> None:
        wanted = frozenset(terms)
        held = Counter(term for candidate in candidates for term in candidate & wanted)
        self._weights: Mapping[str, float] = {
            term: math.log(1 + (len(candidates) + 1) / (held[term] + 1)) for term in sorted(wanted)
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
    memory_terms: MemoryTerms
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


def measure(
    request: AttentionRequest, pool: Pool, now: int, policy: AttentionPolicy, meaning: Mapping[MemoryId, float]
) -> tuple[Measured, ...]:
    """Measure every candidate against the request."""
    goal, questions = asked_terms([request.goal]), asked_terms(request.questions)
    failures = asked_terms(request.failures)
    whole = asked_terms([request.goal, *request.constraints, *request.failures, *request.questions])
    wordings = [memory_terms(memory) for memory in pool.memories]
    rarity = TermWeights(whole, [one.everything for one in wordings])
    return tuple(
        Measured(
            memory,
            words,
            goal=rarity.coverage(goal, words.subject),
            questions=rarity.coverage(questions, words.matter),
            failures=rarity.coverage(failures, words.matter),
            overlap=rarity.coverage(whole, words.everything),
            freshness=freshness(pool.happened_at(memory), now, policy.freshness_hours, policy.least_freshness),
            meaning=meaning.get(memory.id),
        )
        for memory, words in zip(pool.memories, wordings, strict=True)
    )
