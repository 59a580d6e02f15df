"""An index that grows with its store: the ledger itself while that is small, and a Lance index from then on.

Up to some thousand memories, to compare every vector takes less time than to ask an index, and there is nothing to
load, to write, to catch up with or to mend.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import View, whole
from satchel.errors import Unavailable
from satchel.ports import CatchUp, Feed, Index, IndexStatus, Ledger, Progress

# A store that has just outgrown its ledger is searched there for this many times longer, until the index is built.
PATIENCE = 2


class GrowingIndex:
    """Implements ports.Index over a ledger, and over the index of a store that has outgrown it."""

    def __init__(
        self, ledger: Ledger, grown: Callable[[], Index], is_there: Callable[[], bool], *, from_memories: int
    ) -> None:
        """Take the ledger, the index to grow into, and whether there is one on disk, which must load nothing."""
        self._ledger = ledger
        self._grown = grown
        self._is_there = is_there
        self._from = from_memories
        self._unfinished = False

    @property
    def in_ledger(self) -> bool:
        memories = self._ledger.memories.frequencies(()).records
        return memories < self._from or (self._unfinished and memories < PATIENCE * self._from)

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        self._unfinished = False
        if self.in_ledger:
            return self._left_behind(feed, seconds)
        caught_up = self._grown().catch_up(feed, space, seconds=seconds, progress=progress)
        self._unfinished = bool(caught_up.behind)
        return replace(caught_up, behind=0) if self.in_ledger else caught_up

    def _left_behind(self, feed: Feed, seconds: float | None) -> CatchUp:
        """Remove an index that nobody follows: what is forgotten must not live on in it."""
        if not self._is_there() or self._ledger.read_only:
            return CatchUp()
        try:
            self._grown().drop(seconds=seconds)
        except Unavailable:
            return CatchUp(behind=max(1, feed.behind(0)))
        return CatchUp()

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        found: list[Candidate] = (
            self._ledger.memories.match(terms, view, limit)
            if self.in_ledger
            else self._grown().match(terms, view, limit)
        )
        return found

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        searched = self._ledger.memories if self.in_ledger else self._grown()
        return searched.nearest(vector, view, limit)

    def optimize(self) -> None:
        if not self.in_ledger:
            self._grown().optimize()

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        if self._is_there():
            self._grown().drop(only=only, seconds=seconds)

    def status(self) -> IndexStatus:
        if not self.in_ledger:
            return self._grown().status()
        space = self._ledger.vectors.space()
        return IndexStatus(
            exists=space is not None,
            rows=self._ledger.memories.count(whole(EVERYWHERE, 0)),
            rows_with_vectors=self._ledger.vectors.count(space) if space else 0,
            applied_seq=self._ledger.feed.tip(),
            space=space.name if space else "",
            vector_index="the ledger",
            in_ledger=True,
        )

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        return self._ledger.feed.fingerprints() if self.in_ledger else self._grown().fingerprints()
