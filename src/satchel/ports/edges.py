"""Edges between memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.edges import EdgeType, MemoryEdge, VisibleEdge
    from satchel.domain.record import MemoryId
    from satchel.domain.view import View


class EdgeStore(Protocol):
    """Typed edges between memories. An edge is erased when either of its ends is forgotten."""

    def put(self, edges: Sequence[MemoryEdge]) -> None:
        """Store edges; an existing one gets the new weight. Within `MemoryStore.transaction` it is part of that write."""
        ...

    def of(self, id: MemoryId) -> list[MemoryEdge]:
        """Return the edges of a memory in both directions, newest first."""
        ...

    def between(self, type: EdgeType, view: View, limit: int) -> list[MemoryEdge]:
        """Return the edges of a type between two memories in the view, newest first."""
        ...

    def evidence(self, ids: Sequence[MemoryId], view: View, limit: int) -> list[VisibleEdge]:
        """Return the strongest edges to these memories from sources in the view, up to `limit` per memory and type.

        Ordered by target, type, weight and source.
        """
        ...
