"""Fusion: several ranked lanes become one ranking. Whatever the strategy, a score is the sum of its contributions."""

from collections.abc import Callable, Mapping, Sequence

from satchel.domain.ranking import Candidate, Contribution, Ranked, best_first
from satchel.domain.record import MemoryId

LEXICAL = "lexical"
VECTOR = "vector"

Lanes = Mapping[str, Sequence[Candidate]]

# The constant of the original paper (Cormack et al. 2009): it damps the first ranks against each other.
RRF_K = 60
# Words decide as far as the best match stands out from the tenth and covers what was asked, and never alone: meaning
# keeps the rest.
DECISIVE_RANK = 10
MOST_LEXICAL = 0.6
ENOUGH_COVERED = 1 / 1.3


def reciprocal_rank(lanes: Lanes, covered: float = 1.0) -> list[Ranked]:
    """Fuse lanes by summing 1 / (k + rank): the plain strategy, blind to how good a match is."""
    return _fused({lane: [(one, 1 / (RRF_K + rank)) for rank, one in _ranked(found)] for lane, found in lanes.items()})


def by_score(lanes: Lanes, covered: float = 1.0) -> list[Ranked]:
    """Fuse lanes by their scores, each scaled to its own range, weighted by how decisive the words are.

    A question whose words single out a few records trusts them; one made of common words, or of words that the best
    match has by chance alone, trusts its meaning. `covered` is the share of the question that the best match covers.
    """
    share = _lexical_share(lanes, covered)
    scaled: dict[str, list[tuple[Candidate, float]]] = {}
    for lane, found in lanes.items():
        weight = share if lane == LEXICAL else 1 - share
        # No match at all is a score of nothing; the farthest neighbour is only the farthest of those found.
        floor = 0.0 if lane == LEXICAL else min((one.score for one in found), default=0.0)
        best = max((one.score for one in found), default=0.0)
        scaled[lane] = [(one, weight * _scaled(one.score, floor, best)) for _, one in _ranked(found)]
    return _fused(scaled)


Fusion = Callable[[Lanes, float], list[Ranked]]
FUSIONS: Mapping[str, Fusion] = {"scores": by_score, "rrf": reciprocal_rank}


def _lexical_share(lanes: Lanes, covered: float) -> float:
    scores = [one.score for _, one in _ranked(lanes.get(LEXICAL, ()))]
    if VECTOR not in lanes:
        return 1.0
    if not scores or scores[0] <= 0:
        return 0.0
    tenth = scores[DECISIVE_RANK - 1] if len(scores) >= DECISIVE_RANK else 0.0
    return min(MOST_LEXICAL, covered / ENOUGH_COVERED, 1 - tenth / scores[0])


def _scaled(score: float, floor: float, best: float) -> float:
    return (score - floor) / (best - floor) if best > floor else 1.0


def _ranked(found: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    return list(enumerate(sorted(found, key=lambda one: (-one.score, one.id)), start=1))


def _fused(valued: Mapping[str, Sequence[tuple[Candidate, float]]]) -> list[Ranked]:
    """Collect what each lane gave each candidate. The order of the lanes does not matter; ties break by id."""
    parts: dict[MemoryId, list[Contribution]] = {}
    for lane in sorted(valued):
        for rank, (one, value) in enumerate(valued[lane], start=1):
            parts.setdefault(one.id, []).append(Contribution(lane, rank, one.score, value))
    return best_first([Ranked(id, tuple(found)) for id, found in parts.items()])
