"""Fusion: several ranked lanes become one ranking, by reciprocal rank."""

from collections.abc import Mapping, Sequence

from satchel.domain.ranking import Candidate, Contribution, Ranked
from satchel.domain.record import MemoryId

# The constant of the original paper (Cormack et al. 2009): it damps the first ranks against each other.
RRF_K = 60


def reciprocal_rank(lanes: Mapping[str, Sequence[Candidate]], k: int = RRF_K) -> list[Ranked]:
    """Fuse lanes by summing 1 / (k + rank). The order of the lanes does not matter; ties break by id."""
    parts: dict[MemoryId, list[Contribution]] = {}
    for lane in sorted(lanes):
        for rank, candidate in enumerate(_best_first(lanes[lane]), start=1):
            part = Contribution(lane, rank, candidate.score, 1 / (k + rank))
            parts.setdefault(candidate.id, []).append(part)
    ranked = [Ranked(id, tuple(found)) for id, found in parts.items()]
    return sorted(ranked, key=lambda one: (-one.score, one.id))


def _best_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: (-one.score, one.id))
