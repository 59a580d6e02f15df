"""Candidates, contributions and hits: a hit's score is the sum of what is recorded on it."""

import math
from dataclasses import dataclass

from satchel.domain.record import Memory, MemoryId


@dataclass(frozen=True, slots=True)
class Candidate:
    """One record found by one lane, with the lane's own score (higher is better) and the text it was found by."""

    id: MemoryId
    score: float
    content_hash: str


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one lane added to a hit's score, and from which rank and lane score."""

    lane: str
    rank: int
    lane_score: float
    value: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate after fusion. The explanation is the computation."""

    id: MemoryId
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """The sum of the contributions."""
        return math.fsum(part.value for part in self.contributions)


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory in an answer: the record as the ledger has it, and why it stands where it stands."""

    memory: Memory
    rank: int
    score: float
    contributions: tuple[Contribution, ...]
