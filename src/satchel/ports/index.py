"""A searchable copy of the ledger."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.view import View
from satchel.ports.feed import Feed
from satchel.ports.world import Progress


class CatchUp(Struct, frozen=True):
    """How an index stands to its feed after trying to follow it."""

    applied: int = 0
    behind: int = 0
    repaired: str = ""
    """What was wrong and has been rebuilt, or empty."""
    problem: str = ""
    """Why it could not follow, or empty."""
    birth: str = ""
    """The name of the very index that followed: one that is built anew has another."""

    @property
    def current(self) -> bool:
        """Whether searching the index sees everything the ledger has."""
        return not self.behind and not self.problem


class IndexStatus(Struct, frozen=True):
    """What an index says of itself."""

    exists: bool
    rows: int = 0
    rows_with_vectors: int = 0
    applied_seq: int = 0
    space: str = ""
    vector_index: str = "none"
    outgrown: bool = False
    """Whether there are so many vectors that an exact scan takes longer than people should wait."""
    unindexed_rows: int = 0
    fragments: int = 0
    versions: int = 0
    bytes: int = 0
    problem: str = ""
    in_ledger: bool = False
    """Whether there is none, since the store is small enough to be searched in its ledger."""


class Searched(Protocol):
    """What a recall asks of an index. It only nominates: what it brings back is checked against the truth."""

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        """Return the best full-text matches of the view. Raises Unavailable, as every search does, when damaged."""
        ...

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        """Return the records of the view whose vectors are nearest; the score is the cosine."""
        ...


class Index(Searched, Protocol):
    """A searchable copy of the ledger."""

    @property
    def in_ledger(self) -> bool:
        """Whether it is the ledger itself that is searched: always current, and one search after the other."""
        ...

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        """Follow the feed under the one writer lock, for some seconds at most or until the end of it.

        Builds what is missing and rebuilds what is damaged. Never raises for an index that cannot be used:
        the answer says so.
        """
        ...

    def optimize(self) -> None:
        """Compact, drop old versions, and build the vector index if the store has grown into one."""
        ...

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        """Remove the index, so that the next catch-up builds it anew; with `only`, just the one of that birth.

        Raises Unavailable when it may not be written, or is being written for longer than that.
        """
        ...

    def status(self) -> IndexStatus:
        """Describe the index without changing it."""
        ...

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        """Yield id and content hash of every row, ordered by id."""
        ...
