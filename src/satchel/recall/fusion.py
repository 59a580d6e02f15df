"""Fuse the ranked lanes into one ranking, then add importance and age. A score is the sum of its contributions."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.moment import DAY_MS
from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Candidate, Contribution, Ranked, best_first
from satchel.domain.record import Label, Memory, MemoryId

LEXICAL = "lexical"
VECTOR = "vector"

Lanes = Mapping[str, Sequence[Candidate]]

# The rank constant k of the RRF paper (Cormack et al. 2009).
RRF_K = 60
# The lexical weight grows with the gap between the best and the tenth match, times the coverage of the question: words
# weigh most if they single out a few records and hold most of the question, as error codes and paths do.
DECISIVE_RANK = 10
MIN_LEXICAL_WEIGHT = 0.1
MAX_LEXICAL_WEIGHT = 0.6


def reciprocal_rank_fusion(lanes: Lanes, coverage: float = 1.0) -> list[Ranked]:
    """Fuse lanes by RRF: the sum of 1 / (k + rank). It ignores scores and coverage."""
    return _fused({lane: [(one, 1 / (RRF_K + rank)) for rank, one in _ranked(found)] for lane, found in lanes.items()})


def score_fusion(lanes: Lanes, coverage: float = 1.0) -> list[Ranked]:
    """Fuse lanes by scaled scores, with an adaptive lexical weight.

    Words that single out a few records weigh more; common words, or words that the best match holds by chance, weigh
    less than meaning. `coverage` is the share of the question that the best lexical match covers.
    """
    lexical_weight = _lexical_weight(lanes, coverage)
    scaled: dict[str, list[tuple[Candidate, float]]] = {}
    for lane, found in lanes.items():
        weight = lexical_weight if lane == LEXICAL else 1 - lexical_weight
        # A lexical score of 0 means no match; the lowest cosine is only the lowest of those found.
        floor = 0.0 if lane == LEXICAL else min((one.score for one in found), default=0.0)
        best = max((one.score for one in found), default=0.0)
        scaled[lane] = [(one, weight * _scaled(one.score, floor, best)) for _, one in _ranked(found)]
    return _fused(scaled)


Fusion = Callable[[Lanes, float], list[Ranked]]
FUSIONS: Mapping[str, Fusion] = {"scores": score_fusion, "rrf": reciprocal_rank_fusion}


def _lexical_weight(lanes: Lanes, coverage: float) -> float:
    scores = [one.score for _, one in _ranked(lanes.get(LEXICAL, ()))]
    if VECTOR not in lanes:
        return 1.0
    if not scores or scores[0] <= 0:
        return 0.0
    tenth = scores[DECISIVE_RANK - 1] if len(scores) >= DECISIVE_RANK else 0.0
    distinct = coverage * (1 - tenth / scores[0])
    return MIN_LEXICAL_WEIGHT + (MAX_LEXICAL_WEIGHT - MIN_LEXICAL_WEIGHT) * distinct


def _scaled(score: float, floor: float, best: float) -> float:
    return (score - floor) / (best - floor) if best > floor else 1.0


def _ranked(found: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    return list(enumerate(sorted(found, key=lambda one: (-one.score, one.id)), start=1))


def _fused(valued: Mapping[str, Sequence[tuple[Candidate, float]]]) -> list[Ranked]:
    """Collect the contributions of each candidate. The order of lanes does not matter; ties break by id."""
    parts: dict[MemoryId, list[Contribution]] = {}
    for lane in sorted(valued):
        for rank, (one, value) in enumerate(valued[lane], start=1):
            parts.setdefault(one.id, []).append(Contribution(lane, rank, one.score, value))
    return best_first([Ranked(id, tuple(found)) for id, found in parts.items()])


IMPORTANCE = "importance"
RECENCY = "recency"
_LABEL_WEIGHT = {Label.MUST_REMEMBER: 1.0, Label.NICE_TO_HAVE: 0.5}
_DIGITS = 9


def add_boosts(
    ranked: Sequence[Ranked], memories: Mapping[MemoryId, Memory], policy: RecallPolicy, now: int
) -> list[Ranked]:
    """Add importance and recency contributions and sort best first. Candidates without a record are dropped."""
    scale = max((one.score for one in ranked), default=0.0)
    return best_first(
        [
            replace(one, contributions=(*one.contributions, *_boosts(memories[one.id], policy, now, scale)))
            for one in ranked
            if one.id in memories
        ]
    )


def _boosts(memory: Memory, policy: RecallPolicy, now: int, scale: float) -> list[Contribution]:
    label_weight = _LABEL_WEIGHT.get(memory.label, 0.0)
    # Whole days, so that the same question a minute later gives identical scores.
    days = max(0, now - memory.created_at) // DAY_MS
    decay = 0.5 ** (days / policy.recency_half_life_days)
    parts = (
        (IMPORTANCE, memory.importance or 0.0, policy.importance_weight * label_weight),
        (RECENCY, float(days), policy.recency_weight * decay),
    )
    return [Contribution(name, None, raw, round(scale * share, _DIGITS)) for name, raw, share in parts if scale * share]
