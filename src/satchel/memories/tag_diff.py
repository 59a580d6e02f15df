"""Compare two points of the history, memory by memory."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import fields

from satchel.domain.history import ChangedMemory, Difference, PointCounts
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import LIVE_STATES

ADDED, CHANGED, RETIRED, REVIVED = "added", "changed", "retired", "revived"
_FIELDS = tuple(one.name for one in fields(Memory) if one.name not in ("updated_at", "content_hash"))


def compare(since: Iterable[Difference], later: Mapping[MemoryId, Memory | None] | None) -> Iterator[ChangedMemory]:
    """Yield what happened to each memory between two points.

    `since` has the memories that changed after the first point. `later` has those that changed after the second one,
    as they were then; None if the second point is now.
    """
    for one in since:
        id = one.now.id
        reached = later[id] if later is not None and id in later else one.now
        if (found := _compared(one.then, reached)) is not None:
            yield found


def _compared(before: Memory | None, after: Memory | None) -> ChangedMemory | None:
    if after is None or before == after:
        return None
    if before is None:
        return ChangedMemory(after.id, ADDED, after.scope, after.text, (), None, after.state)
    changed = tuple(name for name in _FIELDS if getattr(before, name) != getattr(after, name))
    was_live, is_live = before.state in LIVE_STATES, after.state in LIVE_STATES
    what = CHANGED if was_live == is_live else REVIVED if is_live else RETIRED
    return ChangedMemory(after.id, what, after.scope, after.text, changed, before.state, after.state)


def counted(kinds: Counter[str], forgotten: int) -> PointCounts:
    """Return the counts by what happened."""
    return PointCounts(kinds[ADDED], kinds[CHANGED], kinds[RETIRED], kinds[REVIVED], forgotten)
