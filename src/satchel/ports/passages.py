"""Passages (verbatim evidence) in the ledger, and the index of their vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView
from satchel.domain.record import Trust
from satchel.ports.feed import ChangeFeed
from satchel.ports.vectors import Unembedded, VectorStore

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.ports.index import CatchUp, IndexStatus
    from satchel.ports.memories import Frequencies
    from satchel.ports.world import Progress


class PassageMatch(Struct, frozen=True):
    """A full-text match, with its score (higher is better)."""

    id: PassageId
    score: float
    words: int
    """Number of words of the passage."""


class NeighbourPair(Struct, frozen=True):
    """Two nearby passages of one group."""

    id: PassageId
    neighbour: PassageId
    offset: int
    """The position of the neighbour less that of the passage: negative if the neighbour comes first."""
    words: int
    """Number of words of the passage."""
    neighbour_words: int
    """Number of words of the neighbour."""


class GroupTally(Struct, frozen=True):
    """One session or document: the number of its passages, and their first and last time."""

    scope: str
    group: str
    passages: int
    first_at: int | None
    last_at: int | None


class IndexedPassage(Struct, frozen=True):
    """What an index stores of a passage: who may see it and its content hash, but none of its text."""

    id: PassageId
    lane: EvidenceLane
    scope: str
    trust: Trust
    kind: str
    group: str
    at: int | None
    content_hash: str


class PassageItem(Struct, frozen=True):
    """The present state of a changed passage: with the vectors of its parts, or None if it is gone."""

    seq: int
    id: PassageId
    passage: IndexedPassage | None
    parts: tuple[tuple[str, Vector], ...] = ()


class PassageVectors(VectorStore, Protocol):
    """The vectors of the parts of passages; a part is named `<passage id>#<number>`."""

    def pending_of(self, space: Space, ids: Sequence[PassageId]) -> list[Unembedded]:
        """Return the parts of some passages without a vector in the space."""
        ...

    def pending_passages(self, space: Space | None, view: PassageView) -> int:
        """Count the passages of a view of which a part is pending; None means the store's own space."""
        ...


class PassageFeed(ChangeFeed, Protocol):
    """The changes of passages: every passage once, at the sequence number of its last change."""

    def since(self, seq: int, space: Space, limit: int) -> list[PassageItem]:
        """Return the changes after a sequence number, in order."""
        ...


class PassageStore(Protocol):
    """Passages in the ledger. Every read takes a view, which is applied before any limit."""

    def put(self, passages: Sequence[Passage], gone: Sequence[PassageId], receipt: Receipt | None = None) -> None:
        """Store passages, replacing those with the same id, and remove others; with the receipt, in one transaction."""
        ...

    def erase(self, ids: Sequence[PassageId], view: PassageView, receipt: Receipt) -> int:
        """Erase passages and their vectors, leaving tombstones; return how many there were."""
        ...

    def forgotten(self, ids: Sequence[PassageId]) -> frozenset[PassageId]:
        """Return those of some ids that were erased, and must not be ingested again."""
        ...

    def fetch(self, ids: Sequence[PassageId], view: PassageView, *, verify: bool = True) -> dict[PassageId, Passage]:
        """Return those of the passages that the view admits.

        Without `verify`, the caller compares the content hashes of those that it returns.
        """
        ...

    def ids_between(self, first: str, last: str, view: PassageView, limit: int) -> list[PassageId]:
        """Return the ids of the view in a range, in order, from the index of ids."""
        ...

    def page(self, view: PassageView, limit: int, after: tuple[int, str] | None = None) -> list[Passage]:
        """Return passages, newest first, starting after a position in that order (`at` or 0, and id)."""
        ...

    def group(self, group: str, view: PassageView) -> list[Passage]:
        """Return the passages of one group, in order."""
        ...

    def groups(self, view: PassageView, limit: int, after: tuple[int, str] | None = None) -> list[GroupTally]:
        """Return sessions or documents, latest first, starting after a position in that order (`last_at` or 0, group)."""
        ...

    def last_positions(self, lane: EvidenceLane, scope: str, groups: Sequence[str]) -> Mapping[str, int]:
        """Return the highest position in each of some groups; empty groups are left out."""
        ...

    def speakers(self, view: PassageView, limit: int) -> list[str]:
        """Return the names of the speakers, sorted."""
        ...

    def match(self, terms: Sequence[str], view: PassageView, limit: int) -> list[PassageMatch]:
        """Return the best full-text matches, ties by id."""
        ...

    def nearest(self, vector: Vector, view: PassageView, limit: int) -> list[PassageId]:
        """Compare every vector of the view; return passages nearest first by their nearest part, ties by id."""
        ...

    def part_count(self) -> int:
        """Count the parts of all passages, each of which has a vector sooner or later."""
        ...

    def frequencies(self, terms: Sequence[str], lane: EvidenceLane) -> Frequencies:
        """Count the passages of a lane that match each term."""
        ...

    def neighbours(self, ids: Sequence[PassageId], view: PassageView, window: int) -> list[NeighbourPair]:
        """Return the passages at most `window` positions away from some others."""
        ...

    def added_before(self, at: int, view: PassageView, limit: int, after: str = "") -> list[PassageId]:
        """Return passages that were added before a moment, by id, starting after one of them."""
        ...

    def count(self, view: PassageView) -> int:
        """Count the passages of a view."""
        ...

    def contains(self, fragment: str, *, excluding: Sequence[PassageId]) -> bool:
        """Return whether another passage contains a fragment."""
        ...

    @property
    def vectors(self) -> PassageVectors:
        """The vectors of the passages' parts."""
        ...

    @property
    def feed(self) -> PassageFeed: ...

    def similarities(self, vector: Vector, space: Space, ids: Sequence[PassageId]) -> dict[PassageId, float]:
        """Return the cosine of each passage with a vector; its nearest part counts."""
        ...


class PassageIndex(Protocol):
    """A search index of the passages' vectors. It only nominates."""

    def catch_up(
        self, feed: PassageFeed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp: ...

    def nearest(self, vector: Vector, view: PassageView, limit: int) -> list[PassageId]:
        """Return passages of the view, nearest first by their nearest part."""
        ...

    def optimize(self, *, only_if_due: bool = False) -> bool: ...

    def drop(self, *, only: str = "", seconds: float | None = None) -> None: ...

    def status(self) -> IndexStatus: ...

    def fingerprints(self) -> Iterator[tuple[str, str]]: ...
