"""Select: which of the memories that were found go in front of a prompt."""

from collections.abc import Sequence

from satchel.domain.policies import Selection
from satchel.domain.ranking import Hit
from satchel.domain.record import Label

ORDER = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE, Label.UNKNOWN)
# At most so many that must be remembered, at least so many that are nice to have, at most so many that nobody graded.
MUST_MAX, NICE_MIN, UNKNOWN_MAX = 2, 2, 1


def selected(hits: Sequence[Hit], limit: int, mode: str) -> list[Hit]:
    """Return the hits for a prompt: tier by tier, or with a quota for each tier and the rest by score."""
    by_tier = {label: [hit for hit in hits if hit.memory.label is label] for label in ORDER}
    if mode == Selection.TIER_QUOTA:
        return _by_quota(by_tier, limit)
    return [hit for label in ORDER for hit in by_tier[label]][:limit]


def _by_quota(by_tier: dict[Label, list[Hit]], limit: int) -> list[Hit]:
    must, nice, unknown = (by_tier[label] for label in ORDER)
    for_nice = min(NICE_MIN, limit, len(nice))
    for_must = min(MUST_MAX, limit - for_nice, len(must))
    for_unknown = min(UNKNOWN_MAX, limit - for_nice - for_must, len(unknown))
    first = [*must[:for_must], *nice[:for_nice], *unknown[:for_unknown]]
    others = [*must[for_must:], *nice[for_nice:], *unknown[for_unknown:]]
    rest = sorted(others, key=lambda hit: (-hit.score, -hit.memory.created_at, hit.memory.id))
    return [*first, *rest][:limit]
