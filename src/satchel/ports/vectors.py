"""Vectors in the ledger, and the texts that wait for one."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.record import MemoryId


class Unembedded(Struct, frozen=True):
    """A text that has no vector in a space yet."""

    id: MemoryId
    text: str
    content_hash: str


class Embedded(Struct, frozen=True):
    """The vector made for a text, or why there is none."""

    id: MemoryId
    content_hash: str
    vector: Vector | None
    skipped: str | None = None


class Vectors(Protocol):
    """Vectors, kept in the ledger with the space they belong to, so that an index can be rebuilt without a model."""

    def space(self) -> Space | None:
        """Return the store's embedding space, or None before the first vector."""
        ...

    def adopt(self, space: Space) -> None:
        """Make a space the store's own and drop the vectors of any other."""
        ...

    def waiting(self, space: Space, limit: int, *, retry: bool = False) -> list[Unembedded]:
        """Return texts without a vector in the space, newest first; those skipped before only with `retry`."""
        ...

    def backlog(self, space: Space | None) -> tuple[int, int]:
        """Return how many texts wait for a vector in the space, and how many were skipped there with a reason.

        None asks for the store's own space, be there one or not.
        """
        ...

    def count(self, space: Space) -> int:
        """Return how many vectors of a space are kept."""
        ...

    def put(self, space: Space, made: Sequence[Embedded], *, seconds: float | None = None) -> None:
        """Keep vectors, and reasons for their absence. One whose text has changed or gone meanwhile is dropped.

        Waits for other writers at most so long, or as long as a store does.
        """
        ...

    def tidy(self) -> int:
        """Write vectors of earlier versions as this one does, smaller; return how many. Can be stopped at any time."""
        ...

    def cosines(self, space: Space, vector: Vector, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        """Return how near the vectors of these records are to a vector, rounded so that it prints the same everywhere."""
        ...

    def get(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, Vector]:
        """Return the vectors of these records."""
        ...
