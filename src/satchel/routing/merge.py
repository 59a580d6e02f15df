"""Merging: the items of several backends as one list, by their ranks. Off unless asked for; each item keeps its own relevance."""

from collections.abc import Sequence

from satchel.domain.routing import Item
from satchel.domain.text import normalised

K = 60


def merged(lists: Sequence[Sequence[Item]]) -> tuple[Item, ...]:
    """Return items by the sum of what their ranks are worth; of those that say the same, the first that was found."""
    first: dict[str, Item] = {}
    worth: dict[str, float] = {}
    for items in lists:
        seen: set[str] = set()
        for rank, one in enumerate(items, start=1):
            key = normalised(one.content)
            if key not in seen:
                seen.add(key)
                first.setdefault(key, one)
                worth[key] = worth.get(key, 0.0) + 1 / (K + rank)
    order = {key: place for place, key in enumerate(first)}
    return tuple(first[key] for key in sorted(first, key=lambda key: (-worth[key], order[key])))
