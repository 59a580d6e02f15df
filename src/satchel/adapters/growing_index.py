"""An index that grows with its store: the ledger itself while it is small, then a Lance index.

Up to some thousand memories, comparing every vector is faster than an index, and there is nothing to load, write or
repair.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import View, admin_view
from satchel.errors import Unavailable
from satchel.ports import CatchUp, Feed, Index, IndexStatus, Ledger, Progress

# Until its first index is complete, a store is searched in the ledger up to this multiple of the threshold.
UNFINISHED_FACTOR = 2


class GrowingIndex:
    """Implements ports.Index over a ledger, and over another index for a larger store."""

    def __init__(
        self, ledger: Ledger, large: Callable[[], Index], exists: Callable[[], bool], *, from_memories: int
    ) -> None:
        """`large` opens the index for a large store; `exists` checks the disk for it without loading anything."""
        self._ledger = ledger
        self._large = large
        self._exists = exists
        self._from = from_memories
        self._unfinished = False

    @property
    def in_ledger(self) -> bool:
        memories = self._ledger.memories.frequencies(()).records
        return memories < self._from or (self._unfinished and memories < UNFINISHED_FACTOR * self._from)

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        self._unfinished = False
        if self.in_ledger:
            return self._drop_unused(feed, seconds)
        caught_up = self._large().catch_up(feed, space, seconds=seconds, progress=progress)
        self._unfinished = bool(caught_up.behind)
        return replace(caught_up, behind=0) if self.in_ledger else caught_up

    def _drop_unused(self, feed: Feed, seconds: float | None) -> CatchUp:
        """Remove an index that is no longer updated, since it would keep forgotten text."""
        if not self._exists() or self._ledger.read_only:
            return CatchUp()
        try:
            self._large().drop(seconds=seconds)
        except Unavailable:
            return CatchUp(behind=max(1, feed.behind(0)))
        return CatchUp()

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        found: list[Candidate] = (
            self._ledger.memories.match(terms, view, limit)
            if self.in_ledger
            else self._large().match(terms, view, limit)
        )
        return found

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        searched = self._ledger.memories if self.in_ledger else self._large()
        return searched.nearest(vector, view, limit)

    def optimize(self) -> None:
        if not self.in_ledger:
            self._large().optimize()

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        if self._exists():
            self._large().drop(only=only, seconds=seconds)

    def status(self) -> IndexStatus:
        if not self.in_ledger:
            return self._large().status()
        space = self._ledger.vectors.space()
        return IndexStatus(
            exists=space is not None,
            rows=self._ledger.memories.count(admin_view(EVERYWHERE, 0)),
            rows_with_vectors=self._ledger.vectors.count(space) if space else 0,
            applied_seq=self._ledger.feed.tip(),
            space=space.name if space else "",
            vector_index="the ledger",
            in_ledger=True,
        )

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        return self._ledger.feed.fingerprints() if self.in_ledger else self._large().fingerprints()
