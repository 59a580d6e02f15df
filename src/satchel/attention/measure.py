"""Measuring: what each candidate shares with the request, and how fresh it is."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.attention.candidates import Pool
from satchel.attention.overlap import Rarity, Wording, asked_terms, freshness, wording
from satchel.attention.request import Request
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId


class Measured(Struct, frozen=True):
    """A candidate, and what was measured on it. Everything lies between 0 and 1."""

    memory: Memory
    wording: Wording
    goal: float
    """Share of the goal's words in title, text and keywords."""
    questions: float
    """Share of the open questions' words in text and tags."""
    failures: float
    """Share of the recent failures' words in text and tags."""
    overlap: float
    """Share of the whole request's words in all of it."""
    freshness: float
    meaning: float | None = None
    """How near its meaning is; None where it was not asked for, or is not known."""


def measure(
    request: Request, pool: Pool, now: int, policy: AttentionPolicy, meaning: Mapping[MemoryId, float]
) -> tuple[Measured, ...]:
    """Measure every candidate against the request."""
    goal, questions = asked_terms([request.goal]), asked_terms(request.questions)
    failures = asked_terms(request.failures)
    whole = asked_terms([request.goal, *request.constraints, *request.failures, *request.questions])
    wordings = [wording(memory) for memory in pool.memories]
    rarity = Rarity(whole, [one.everything for one in wordings])
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
