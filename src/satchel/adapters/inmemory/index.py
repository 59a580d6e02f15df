"""An in-memory index by exact scan, for tests and throwaway stores; also the reference implementation of the port."""

import operator
from collections.abc import Iterator, Sequence

from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import View, held_out_by
from satchel.domain.words import search_text
from satchel.ports import CatchUp, Feed, FeedItem, IndexStatus, Progress

ROWS_PER_BATCH = 1_000


class InMemoryIndex:
    """Implements ports.Index."""

    in_ledger = False

    def __init__(self) -> None:
        self._rows: dict[MemoryId, FeedItem] = {}
        self._seq = 0
        self._space: Space | None = None

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        if self._space != space or self._seq > feed.tip():
            self.drop()
            self._space = space
        applied = 0
        while items := feed.since(self._seq, space, ROWS_PER_BATCH):
            for item in items:
                self._rows.pop(item.id, None)
                if item.memory is not None:
                    self._rows[item.id] = item
            self._seq = items[-1].seq
            applied += len(items)
            if progress:
                progress(applied, applied + feed.behind(self._seq), "indexing")
        return CatchUp(applied=applied)

    def pending(self, feed: Feed, space: Space) -> tuple[Memory, ...]:
        return ()

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        found = []
        for memory, _ in self._visible(view):
            words = {*search_text(memory).split()}
            if score := sum(1.0 for term in terms if term in words):
                found.append(Candidate(memory.id, score, memory.content_hash))
        return _best(found, limit)

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        found = [
            Candidate(memory.id, sum(map(operator.mul, vector, row)), memory.content_hash)
            for memory, row in self._visible(view)
            if row is not None
        ]
        return _best(found, limit)

    def optimize(self, *, only_if_due: bool = False) -> bool:
        """Nothing to do for a scan."""
        return False

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        self._rows.clear()
        self._seq = 0

    def status(self) -> IndexStatus:
        with_vectors = sum(1 for item in self._rows.values() if item.vector is not None)
        return IndexStatus(
            exists=self._seq > 0,
            rows=len(self._rows),
            rows_with_vectors=with_vectors,
            applied_seq=self._seq,
            space=self._space.name if self._space else "",
            vector_index="exact scan",
        )

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        for id in sorted(self._rows):
            memory = self._rows[id].memory
            if memory is not None:
                yield id, memory.content_hash

    def _visible(self, view: View) -> Iterator[tuple[Memory, Vector | None]]:
        for item in self._rows.values():
            if item.memory is not None and held_out_by(item.memory, view) is None:
                yield item.memory, item.vector


def _best(found: list[Candidate], limit: int) -> list[Candidate]:
    return sorted(found, key=lambda one: (-one.score, one.id))[:limit]
