"""The relations between memories."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.edges import Edge, Evidence
from satchel.domain.record import MemoryId
from satchel.domain.view import View


class Edges(Protocol):
    """What memories say of each other. An edge goes when either of its ends is forgotten."""

    def put(self, edges: Sequence[Edge]) -> None:
        """Keep edges; one that is there already gets the new weight. Within `Memories.alone` it is part of that write."""
        ...

    def of(self, id: MemoryId) -> list[Edge]:
        """Return the edges of a memory in both directions, newest first."""
        ...

    def evidence(self, ids: Sequence[MemoryId], view: View, most: int) -> list[Evidence]:
        """Return the edges that point at these memories from sources in the view, for each memory and type the strongest.

        At most so many for each; ordered by target, type, weight and source.
        """
        ...
