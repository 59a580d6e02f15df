"""Verbatim evidence: passages in the ledger, found by word, by place and by id."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import EvidenceLane, Passage, PassageId, Sight
from satchel.domain.receipt import Receipt
from satchel.domain.record import Trust
from satchel.ports.feed import Followed
from satchel.ports.index import CatchUp, IndexStatus
from satchel.ports.memories import Frequencies
from satchel.ports.vectors import Vectors
from satchel.ports.world import Progress


class Match(Struct, frozen=True):
    """A passage found by its words, with its score (higher is better)."""

    id: PassageId
    score: float


class Beside(Struct, frozen=True):
    """Two passages of one group that stand near each other."""

    id: PassageId
    neighbour: PassageId
    distance: int
    """How many places apart: 1 or more."""
    words: int
    """How many words the passage has."""
    neighbour_words: int
    """How many words the neighbour has."""


class GroupTally(Struct, frozen=True):
    """One session or document: how many passages it has, and from when to when they are."""

    scope: str
    group: str
    passages: int
    first_at: int | None
    last_at: int | None


class IndexedPassage(Struct, frozen=True):
    """What an index holds of a passage: who may see it, and by which text it was made. No word of it."""

    id: PassageId
    lane: EvidenceLane
    scope: str
    trust: Trust
    kind: str
    group: str
    at: int | None
    content_hash: str


class PassageItem(Struct, frozen=True):
    """The newest state of one passage for an index: its standing with the vectors of its parts, or None when it is gone."""

    seq: int
    id: PassageId
    passage: IndexedPassage | None
    parts: tuple[tuple[str, Vector], ...] = ()


class PassageFeed(Followed, Protocol):
    """What an index of passages follows: every passage once, at the number that last touched it."""

    def since(self, seq: int, space: Space, limit: int) -> list[PassageItem]:
        """Return what was touched after a sequence number, in order."""
        ...


class Passages(Protocol):
    """Passages, kept in the ledger. Every read takes a sight, which is pushed down before any limit."""

    def put(self, passages: Sequence[Passage], gone: Sequence[PassageId], receipt: Receipt | None = None) -> None:
        """Keep passages, replacing those of the same id, and drop others: all as one, with the receipt."""
        ...

    def erase(self, ids: Sequence[PassageId], sight: Sight, receipt: Receipt) -> int:
        """Erase passages, their words and their vectors; return how many there were. Their ids are remembered."""
        ...

    def forgotten(self, ids: Sequence[PassageId]) -> frozenset[PassageId]:
        """Return those of some ids that were erased, and are not to come back by themselves."""
        ...

    def fetch(self, ids: Sequence[PassageId], sight: Sight) -> dict[PassageId, Passage]:
        """Return passages by id, as far as they may be seen."""
        ...

    def page(self, sight: Sight, limit: int, after: tuple[int, str] | None = None) -> list[Passage]:
        """Return passages, newest first, from after a place in that order (`at`, or 0, and id)."""
        ...

    def group(self, group: str, sight: Sight) -> list[Passage]:
        """Return the passages of one group in their order."""
        ...

    def groups(self, sight: Sight, limit: int, after: tuple[int, str] | None = None) -> list[GroupTally]:
        """Return sessions or documents, the latest first, from after a place in that order (`last_at` or 0, group)."""
        ...

    def last_positions(self, lane: EvidenceLane, scope: str, groups: Sequence[str]) -> Mapping[str, int]:
        """Return the highest position in each of some groups that have any."""
        ...

    def speakers(self, sight: Sight, limit: int) -> list[str]:
        """Return who speaks, by name, as far as a sight reaches."""
        ...

    def match(self, terms: Sequence[str], sight: Sight, limit: int) -> list[Match]:
        """Return the best full-text matches, ties by id."""
        ...

    def frequencies(self, terms: Sequence[str], lane: EvidenceLane) -> Frequencies:
        """Count in how many passages of a lane each term stands."""
        ...

    def beside(self, ids: Sequence[PassageId], sight: Sight, window: int) -> list[Beside]:
        """Return which passages stand at most so many places from some others."""
        ...

    def added_before(self, at: int, sight: Sight, limit: int, after: str = "") -> list[PassageId]:
        """Return passages that were added before a moment, by id, from after one of them."""
        ...

    def count(self, sight: Sight) -> int:
        """Count what a sight reaches."""
        ...

    def contains(self, fragment: str, *, besides: Sequence[PassageId]) -> bool:
        """Say whether any other passage holds a piece of text."""
        ...

    @property
    def vectors(self) -> Vectors:
        """The vectors of the passages' parts; a part is named `<passage id>#<number>`."""
        ...

    @property
    def feed(self) -> PassageFeed: ...

    def nearness(self, vector: Vector, space: Space, ids: Sequence[PassageId]) -> dict[PassageId, float]:
        """Return the cosine of each passage with a vector: of a long one, the part that is nearest counts."""
        ...


class PassageIndex(Protocol):
    """A searchable copy of the passages' vectors. It only nominates."""

    def catch_up(
        self, feed: PassageFeed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp: ...

    def nearest(self, vector: Vector, sight: Sight, limit: int) -> list[PassageId]:
        """Return passages of a sight of which a part lies near, nearest first."""
        ...

    def optimize(self) -> None: ...

    def drop(self, *, only: str = "", seconds: float | None = None) -> None: ...

    def status(self) -> IndexStatus: ...

    def fingerprints(self) -> Iterator[tuple[str, str]]: ...
