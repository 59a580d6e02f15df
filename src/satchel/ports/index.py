"""Search indexes: derived copies of the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from satchel.domain.record import Memory, MemoryId

if TYPE_CHECKING:
    from satchel.domain.embedding import Space, Vector
    from satchel.domain.ranking import Candidate
    from satchel.domain.view import View
    from satchel.ports.feed import Feed
    from satchel.ports.world import Progress

# The code of an index that cannot be reached now: it is not damaged, and the ledger is searched meanwhile.
INDEX_UNREACHABLE = "index_unreachable"


class MissingExtra(Struct, frozen=True):
    """An optional package that is not installed: what needs it, and the command that installs it."""

    message: str
    hint: str

    @property
    def warning(self) -> str:
        """The warning on the receipt of an operation that did without it."""
        return f"missing_extra: {self.message} ({self.hint})"


class CatchUp(Struct, frozen=True):
    """How far an index has followed its feed."""

    applied: int = 0
    behind: int = 0
    repaired: str = ""
    """What was damaged and has been rebuilt, or empty."""
    problem: str = ""
    """Why it could not follow, or empty."""
    code: str = "index_unusable"
    """The code of that problem."""
    generation: str = ""
    """Identifies this build of the index; a rebuild has another."""
    missing: MissingExtra | None = None
    """The package without which a large store is searched in its ledger: complete, but slower."""
    pending: tuple[Memory, ...] = ()
    """The few changed records that it was not given, to be searched in the ledger."""

    @property
    def current(self) -> bool:
        """Whether the index has everything that the ledger has."""
        return not self.behind and not self.pending and not self.problem


class IndexStatus(Struct, frozen=True):
    """The state of an index."""

    exists: bool
    rows: int = 0
    rows_with_vectors: int = 0
    applied_seq: int = 0
    space: str = ""
    vector_index: str = "none"
    outgrown: bool = False
    """Whether there are too many vectors for an exact scan."""
    unindexed_rows: int = 0
    fragments: int = 0
    small_fragments: int = 0
    """Those that a merge would join."""
    versions: int = 0
    bytes: int = 0
    problem: str = ""
    in_ledger: bool = False
    """Whether the ledger itself is searched: the store is small, or the package for an index is missing."""
    index_from: int = 0
    """From how many records an index is made, if the ledger is searched."""
    missing: MissingExtra | None = None
    """The package that a store of this size needs for an index, if it is not installed."""


class SearchableIndex(Protocol):
    """An index as a recall sees it. It only nominates: its results are checked against the ledger."""

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        """Return the best full-text matches of the view. Raises Unavailable if the index is damaged."""
        ...

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        """Return the records of the view with the nearest vectors; the score is the cosine."""
        ...


class Index(SearchableIndex, Protocol):
    """A search index of memories."""

    @property
    def in_ledger(self) -> bool:
        """Whether the ledger itself is searched: always current, one search at a time."""
        ...

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        """Follow the feed under the writer lock, to its end or for at most some seconds.

        Builds what is missing and rebuilds what is damaged. Never raises for an unusable index: the result says so.
        """
        ...

    def pending(self, feed: Feed, space: Space) -> tuple[Memory, ...]:
        """Return the few changed records that it lacks, if writing them would cost every search more than they are worth.

        Empty if it is current, or if it should catch up instead.
        """
        ...

    def optimize(self, *, only_if_due: bool = False) -> bool:
        """Merge small fragments, drop old versions, and build the vector index if the store is large enough.

        With `only_if_due`, does so only if there are many small fragments and nobody else writes; returns whether it did.
        """
        ...

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        """Remove the index, so that the next catch-up rebuilds it; with `only`, if it is still of that generation.

        Raises Unavailable if it cannot be written, or is locked for longer than `seconds`.
        """
        ...

    def status(self) -> IndexStatus:
        """Describe the index without changing it."""
        ...

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        """Yield the id and content hash of every row, ordered by id."""
        ...
