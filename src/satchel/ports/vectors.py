"""Vectors in the ledger, and the texts that still need one."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.record import MemoryId


class Unembedded(Struct, frozen=True):
    """A text without a vector in a space."""

    id: MemoryId
    text: str
    content_hash: str


class Embedded(Struct, frozen=True, gc=False):
    """The vector of a text, or why there is none."""

    id: MemoryId
    content_hash: str
    vector: Vector | None
    skipped: str | None = None


class VectorStore(Protocol):
    """Vectors with their embedding space, stored in the ledger, so that an index is rebuilt without a model."""

    def space(self) -> Space | None:
        """Return the store's embedding space, or None before the first vector."""
        ...

    def adopt(self, space: Space, *, optional: bool = False) -> None:
        """Make a space the store's own, and drop the vectors of any other. With `optional`, as in `put`."""
        ...

    def pending(self, space: Space, limit: int, *, retry: bool = False) -> list[Unembedded]:
        """Return texts without a vector in the space, newest first; with `retry`, also those skipped before."""
        ...

    def claimed(self, space: Space, limit: int) -> AbstractContextManager[list[Unembedded]]:
        """Return texts without a vector in the space that no other process has claimed, newest first.

        They are claimed until the block ends, or the process does. Empty if others have claimed everything.
        """
        ...

    def backlog(self, space: Space | None) -> tuple[int, int]:
        """Return how many texts are pending in the space, and how many were skipped there.

        None means the store's own space, even before there is one.
        """
        ...

    def count(self, space: Space) -> int:
        """Count the vectors of a space."""
        ...

    def progress(self, space: Space) -> tuple[int, int]:
        """Return how many texts have a vector of a space, and how many texts there are, both at one moment."""
        ...

    def put(self, space: Space, made: Sequence[Embedded], *, optional: bool = False) -> None:
        """Store vectors, and the reasons for missing ones. Those whose text has changed meanwhile are dropped.

        With `optional`, raises Unavailable soon if another process is writing, instead of waiting like other writes.
        """
        ...

    def put_new(self, space: Space, made: Sequence[Embedded]) -> None:
        """Store the vectors of memories that the same transaction has committed as embedded, in the store's own space."""
        ...

    def decode(self, stated: Sequence[bytes | Sequence[float]], dimensions: int) -> list[Vector | None]:
        """Return vectors of length 1 from float16 bytes or numbers, as many as dimensions; None for one without a direction."""
        ...

    def convert_to_float16(self) -> int:
        """Convert the float32 vectors of earlier versions; return how many. Can be interrupted at any time."""
        ...

    def cosines(self, space: Space, vector: Vector, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        """Return the cosines of these records with a vector, rounded so that they print the same everywhere."""
        ...

    def get(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, Vector]:
        """Return the vectors of these records."""
        ...
