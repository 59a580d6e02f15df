"""Boost fused scores by importance and recency.

Both are shares of the best fused score, so they mean the same with either fusion. Recency adds less than importance:
being new is not enough to outrank a must_remember record.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.moment import DAY_MS
from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Contribution, Ranked, best_first
from satchel.domain.record import Label, Memory, MemoryId

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
