"""Candidates, contributions and hits: a hit's score is the sum of what is recorded on it."""

import math
from enum import StrEnum

from msgspec import Struct

from satchel.domain.record import Memory, MemoryId


class Origin(StrEnum):
    """Whether a hit came from the scope that was asked, or from one that stands in when it has too little."""

    PRIMARY = "primary"
    FALLBACK = "fallback"


class Candidate(Struct, frozen=True):
    """One record found by one lane, with the lane's own score (higher is better) and the text it was found by."""

    id: MemoryId
    score: float
    content_hash: str


class Contribution(Struct, frozen=True):
    """One named part of a hit's score: what a lane or a property added, and what it was reckoned from."""

    name: str
    rank: int | None
    """The place in its lane; None for what is no lane."""
    raw: float
    """The lane's own score, or the property's measure."""
    value: float
    """What it adds."""


class Ranked(Struct, frozen=True):
    """A candidate after fusion. The explanation is the computation."""

    id: MemoryId
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """The sum of the contributions."""
        return math.fsum([part.value for part in self.contributions])


class Hit(Struct, frozen=True):
    """A memory in an answer: the record as the ledger has it, and why it stands where it stands."""

    memory: Memory
    rank: int
    score: float
    contributions: tuple[Contribution, ...]
    relevance: float
    """From 0 to 1: how likely it is about what was asked, whatever else was found."""
    origin: Origin = Origin.PRIMARY

    def raw(self, name: str) -> float | None:
        """Return what a contribution was reckoned from, or None when there is none of that name."""
        return next((part.raw for part in self.contributions if part.name == name), None)


def best_first(ranked: list[Ranked]) -> list[Ranked]:
    """Return candidates in the order of their scores; ties break by id."""
    return sorted(ranked, key=lambda one: (-one.score, one.id))
