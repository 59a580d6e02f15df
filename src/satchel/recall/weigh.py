"""Weigh: what a record's importance and age add to the score that its lanes gave it.

Both are shares of the best lane score, so that they mean the same whatever the fusion. Age adds less than importance
does: nothing new outranks by its newness alone what must be remembered.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.moment import DAY_MS
from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Contribution, Ranked, best_first
from satchel.domain.record import Label, Memory, MemoryId

IMPORTANCE = "importance"
RECENCY = "recency"
_WORTH = {Label.MUST_REMEMBER: 1.0, Label.NICE_TO_HAVE: 0.5}
_DIGITS = 9


def weighed(
    ranked: Sequence[Ranked], memories: Mapping[MemoryId, Memory], policy: RecallPolicy, now: int
) -> list[Ranked]:
    """Return the candidates with what their standing adds, best first. Those without a record are left out."""
    scale = max((one.score for one in ranked), default=0.0)
    return best_first(
        [
            replace(one, contributions=(*one.contributions, *_standing(memories[one.id], policy, now, scale)))
            for one in ranked
            if one.id in memories
        ]
    )


def _standing(memory: Memory, policy: RecallPolicy, now: int, scale: float) -> list[Contribution]:
    worth = _WORTH.get(memory.label, 0.0)
    # Whole days, so that the same question a minute later has the same answer to the last digit.
    days = max(0, now - memory.created_at) // DAY_MS
    youth = 0.5 ** (days / policy.recency_half_life_days)
    parts = (
        (IMPORTANCE, memory.importance or 0.0, policy.importance_weight * worth),
        (RECENCY, float(days), policy.recency_weight * youth),
    )
    return [Contribution(name, None, raw, round(scale * share, _DIGITS)) for name, raw, share in parts if scale * share]
