"""Indexes that grow with their store: the ledger itself while it is small, then a Lance index.

Up to some thousand memories, comparing every vector is faster than an index, and there is nothing to load, write or
repair. Without Lance the ledger keeps answering at any size, more slowly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec.structs import replace

from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import View, admin_view
from satchel.errors import Unavailable
from satchel.ports import (
    INDEX_UNREACHABLE,
    CatchUp,
    ChangeFeed,
    Feed,
    Index,
    IndexStatus,
    Ledger,
    MissingExtra,
    PassageFeed,
    PassageIndex,
    Progress,
)

if TYPE_CHECKING:
    from satchel.domain.embedding import Space, Vector
    from satchel.domain.passage import PassageId, PassageView
    from satchel.domain.ranking import Candidate
    from satchel.domain.record import Memory, MemoryId

# Until its first index is complete, a store is searched in the ledger up to this multiple of the threshold.
UNFINISHED_FACTOR = 2
# Reading the vectors of parts takes longer than reading those of memories, so an index is faster for fewer of them.
PARTS_FACTOR = 4


Found = TypeVar("Found")


class IndexFiles(Protocol):
    """An index on disk, seen without loading what reads it."""

    def exists(self) -> bool: ...

    def drop(self, *, seconds: float | None = None) -> None: ...


class _Growth:
    """Whether a store is searched in its ledger, by the number of its records."""

    def __init__(
        self, count: Callable[[], int], index_from: int, missing: MissingExtra | None, *, report_from: int
    ) -> None:
        """An index is kept from `index_from` records on; that it is `missing` is reported from `report_from` on."""
        self._count = count
        self.index_from = index_from
        self._missing = missing
        self._report_from = report_from
        self._unfinished = False
        self._in_ledger: bool | None = None

    @property
    def in_ledger(self) -> bool:
        """Whether it is, by the number of records when they were last counted: a search asks several times."""
        return self.count() if self._in_ledger is None else self._in_ledger

    def count(self) -> bool:
        """Count the records; return whether the store is searched in its ledger."""
        self._in_ledger = self._missing is not None or self._is_small(self._count())
        return self._in_ledger

    def _is_small(self, records: int) -> bool:
        return records < self.index_from or (self._unfinished and records < UNFINISHED_FACTOR * self.index_from)

    @property
    def needed(self) -> MissingExtra | None:
        """What a store of this size needs and does not have."""
        return self._missing if self._missing is not None and self._count() >= self._report_from else None

    def catch_up(self, update: Callable[[], CatchUp], drop_unused: Callable[[], CatchUp]) -> CatchUp:
        """Update the index if there should be one, otherwise drop it."""
        self._unfinished = False
        if (needed := self.needed) is not None:
            # An index on disk is left for an installation that can use it; forgetting drops it.
            return CatchUp(missing=needed)
        if self.count():
            return drop_unused()
        caught_up = update()
        self._unfinished = bool(caught_up.behind)
        return replace(caught_up, behind=0) if self._unfinished and self.count() else caught_up


class GrowingIndex:
    """Implements ports.Index over a ledger, and over another index for a larger store."""

    def __init__(
        self,
        ledger: Ledger,
        large: Callable[[], Index],
        files: IndexFiles,
        *,
        from_memories: int,
        missing: MissingExtra | None = None,
    ) -> None:
        """`large` opens the index for a large store, unless what it needs is `missing`."""
        self._ledger = ledger
        self._large = large
        self._files = files
        self._growth = _Growth(
            lambda: ledger.memories.frequencies(()).records, from_memories, missing, report_from=from_memories
        )

    @property
    def in_ledger(self) -> bool:
        return self._growth.in_ledger

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        return self._growth.catch_up(
            lambda: self._large().catch_up(feed, space, seconds=seconds, progress=progress),
            lambda: _drop_unused(self._files, feed, seconds, read_only=self._ledger.read_only),
        )

    def pending(self, feed: Feed, space: Space) -> tuple[Memory, ...]:
        return () if self._growth.count() else self._large().pending(feed, space)

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        in_ledger = partial(self._ledger.memories.match, terms, view, limit)
        return in_ledger() if self.in_ledger else _or_else(lambda: self._large().match(terms, view, limit), in_ledger)

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        in_ledger = partial(self._ledger.memories.nearest, vector, view, limit)
        return (
            in_ledger() if self.in_ledger else _or_else(lambda: self._large().nearest(vector, view, limit), in_ledger)
        )

    def optimize(self, *, only_if_due: bool = False) -> bool:
        return not self.in_ledger and self._large().optimize(only_if_due=only_if_due)

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        _drop(self._files, None if self._growth.count() else self._large, only, seconds)

    def status(self) -> IndexStatus:
        if not self._growth.count():
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
            index_from=self._growth.index_from,
            missing=self._growth.needed,
        )

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        return self._ledger.feed.fingerprints() if self.in_ledger else self._large().fingerprints()


class GrowingPassageIndex:
    """Implements ports.PassageIndex over a ledger, and over another index for many passages."""

    def __init__(
        self,
        ledger: Ledger,
        large: Callable[[], PassageIndex],
        files: IndexFiles,
        *,
        from_parts: int,
        missing: MissingExtra | None = None,
    ) -> None:
        """`large` opens the index for many passages, unless what it needs is `missing`."""
        self._ledger = ledger
        self._large = large
        self._files = files
        # Without passages, nothing is opened.
        index_from, report_from = max(1, from_parts // PARTS_FACTOR), max(1, from_parts)
        self._growth = _Growth(ledger.passages.part_count, index_from, missing, report_from=report_from)

    def catch_up(
        self, feed: PassageFeed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        return self._growth.catch_up(
            lambda: self._large().catch_up(feed, space, seconds=seconds, progress=progress),
            lambda: _drop_unused(self._files, feed, seconds, read_only=self._ledger.read_only),
        )

    def nearest(self, vector: Vector, view: PassageView, limit: int) -> list[PassageId]:
        in_ledger = partial(self._ledger.passages.nearest, vector, view, limit)
        if self._growth.in_ledger:
            return in_ledger()
        return _or_else(lambda: self._large().nearest(vector, view, limit), in_ledger)

    def optimize(self, *, only_if_due: bool = False) -> bool:
        return not self._growth.in_ledger and self._large().optimize(only_if_due=only_if_due)

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        _drop(self._files, None if self._growth.count() else self._large, only, seconds)

    def status(self) -> IndexStatus:
        if not self._growth.count():
            return self._large().status()
        space = self._ledger.passages.vectors.space()
        rows = self._ledger.passages.vectors.count(space) if space else 0
        return IndexStatus(
            exists=rows > 0,
            rows=rows,
            rows_with_vectors=rows,
            applied_seq=self._ledger.passages.feed.tip(),
            space=space.name if space else "",
            vector_index="the ledger" if rows else "none",
            in_ledger=True,
            index_from=self._growth.index_from,
            missing=self._growth.needed,
        )

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        return self._ledger.passages.feed.fingerprints() if self._growth.in_ledger else self._large().fingerprints()


def _or_else(search: Callable[[], list[Found]], in_ledger: Callable[[], list[Found]]) -> list[Found]:
    """Search the index, or the ledger if the index cannot be reached."""
    try:
        return search()
    except Unavailable as error:
        if error.code != INDEX_UNREACHABLE:
            raise
        return in_ledger()


def _drop_unused(files: IndexFiles, feed: ChangeFeed, seconds: float | None, *, read_only: bool) -> CatchUp:
    """Remove an index that is no longer updated, since it would keep forgotten text."""
    if not files.exists() or read_only:
        return CatchUp()
    try:
        files.drop(seconds=seconds)
    except Unavailable:
        return CatchUp(behind=max(1, feed.behind(0)))
    return CatchUp()


def _drop(
    files: IndexFiles, large: Callable[[], Index | PassageIndex] | None, only: str, seconds: float | None
) -> None:
    if not files.exists():
        return
    if large is None:
        files.drop(seconds=seconds)
    else:
        large().drop(only=only, seconds=seconds)
