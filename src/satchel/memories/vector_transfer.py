"""Vectors that leave a store with an export, and come into one with an import."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from satchel.core.parts import Parts
from satchel.domain.canonical import Json
from satchel.domain.embedding import Space
from satchel.domain.record import MemoryId
from satchel.indexing.memory_index import get_space
from satchel.memories.batches import NewMemory
from satchel.memories.row_vectors import RowVector, UsableVectors, usable_vectors, vector_field
from satchel.ports import Embedded


class VectorTransfer:
    """The vectors of one store, for one export or import."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._vectors = parts.ledger.vectors

    def reader(self) -> Callable[[Sequence[MemoryId]], Mapping[MemoryId, Json]]:
        """Return what reads the vectors of memories as their rows state them."""
        stored, space = self._vectors, self._vectors.space()
        if space is None:
            return lambda ids: {}
        return lambda ids: {id: vector_field(space, one) for id, one in stored.get(space, ids).items()}

    @cached_property
    def space(self) -> Space | None:
        """The store's embedding space, or before its first vector the one of its embedder; None if it has none."""
        own = self._vectors.space()
        embedder = self._parts.embedder(None) if own is None else None
        return own if embedder is None else get_space(embedder, self._parts.clamp)

    def adopt(self, new: Sequence[NewMemory]) -> None:
        """Make the space of the vectors the store's own if it has none yet, before the memories are stored."""
        if self._vectors.space() is None and self.space is not None and any(one.vector is not None for one in new):
            self._vectors.adopt(self.space)

    def read(self, stated: Sequence[RowVector | None]) -> UsableVectors:
        """Return the vectors of rows that this store can use."""
        return usable_vectors(stated, self.space, self._vectors)

    def save(self, new: Sequence[NewMemory]) -> None:
        """Store the vectors that came with memories, within the transaction that has stored these."""
        made = [Embedded(memory.id, memory.content_hash, vector) for memory, vector, _ in new if vector is not None]
        if not made or self.space is None:
            return
        self._vectors.put_new(self.space, made)


def left_out_warning(left_out: Mapping[str, int]) -> tuple[str, ...]:
    """Return the warning about vectors that were not taken, if there are any."""
    if not left_out:
        return ()
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(left_out.items()))
    total = sum(left_out.values())
    return (f"vectors_left_out: vectors of {total:,} rows were left out ({reasons}); their texts will be embedded",)
