"""Candidates, contributions and hits. A hit's score is the sum of its recorded contributions."""

import math
from enum import StrEnum

from msgspec import Struct

from satchel.domain.record import Memory, MemoryId, Trust


class Origin(StrEnum):
    """Whether a hit came from the requested scope or from a fallback scope."""

    PRIMARY = "primary"
    FALLBACK = "fallback"


class Candidate(Struct, frozen=True):
    """One record found by one lane, with the lane's score (higher is better) and the hash of the text it was found by."""

    id: MemoryId
    score: float
    content_hash: str


class Contribution(Struct, frozen=True):
    """One named part of a hit's score, from a lane or a boost."""

    name: str
    rank: int | None
    """The rank in its lane; None if it is not from a lane."""
    raw: float
    """The lane's score, or the boost's input."""
    value: float
    """What it adds to the score."""


class Ranked(Struct, frozen=True):
    """A candidate after fusion."""

    id: MemoryId
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """The sum of the contributions."""
        return math.fsum([part.value for part in self.contributions])


class Hit(Struct, frozen=True):
    """A memory in an answer, with its rank and the contributions to its score."""

    memory: Memory
    rank: int
    score: float
    contributions: tuple[Contribution, ...]
    relevance: float
    """The probability, from 0 to 1, that it is about the question; lower if another record has the number it states."""
    origin: Origin = Origin.PRIMARY

    def raw(self, name: str) -> float | None:
        """Return the raw value of a contribution, or None if there is none of this name."""
        return next((part.raw for part in self.contributions if part.name == name), None)


class LaneItem(Struct, frozen=True):
    """One candidate that a lane offers for a context pack."""

    id: str
    text: str
    relevance: float
    trust: Trust
    citations: tuple[str, ...]
    kind: str
    at: int
    """When it was said or asserted, in milliseconds since the epoch."""


class LaneAnswer(Struct, frozen=True):
    """The candidates that a lane offers, best first."""

    scope: str
    items: tuple[LaneItem, ...]


def best_first(ranked: list[Ranked]) -> list[Ranked]:
    """Sort candidates by score, best first; ties break by id."""
    return sorted(ranked, key=lambda one: (-one.score, one.id))
