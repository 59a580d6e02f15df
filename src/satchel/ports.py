"""What the core needs from the outside world, each as the smallest Protocol that serves it.

The ledger is several ports over one truth: memories, receipts, vectors and the feed that indexes follow.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from satchel.domain.answers import Finding, Tally
from satchel.domain.canonical import Json
from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach
from satchel.domain.view import View


class Clock(Protocol):
    """Tells the time. The only one who does."""

    def now(self) -> int:
        """Return milliseconds since the epoch."""
        ...

    def ticks(self) -> float:
        """Return seconds on a clock that only runs forward, for durations and deadlines."""
        ...


class Progress(Protocol):
    """Shown to a person while long work goes on."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Report that `done` of `total` steps of `what` are finished."""
        ...


@dataclass(frozen=True, slots=True)
class Event:
    """One change of a memory. What the record was before is kept with it by the ledger."""

    seq: int
    memory_id: MemoryId
    operation: str
    actor: str
    reason: str | None
    receipt: str | None
    at: int


@dataclass(frozen=True, slots=True)
class Change:
    """A change to be made: the record as it will be, who makes it and why."""

    memory: Memory
    before: Memory | None
    """The record this change was decided upon, or None for a new one. If it differs by now, nothing is written."""
    operation: str
    actor: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Saying:
    """What a record says: where, whether it still holds, and in which words, normalised."""

    scope: str
    live: bool
    text: str


@dataclass(frozen=True, slots=True)
class Known:
    """What of some ids and sayings a ledger has already."""

    ids: Mapping[MemoryId, str]
    """The scope of each id that is taken, by a record or by the tombstone of one."""
    sayings: frozenset[Saying]


class Memories(Protocol):
    """The records themselves, their full text and their history."""

    def commit(self, changes: Sequence[Change], receipt: Receipt) -> int:
        """Write changes, their events and the receipt as one; return the last sequence number once it is durable.

        Raises Conflict when a record to be created exists, or one to be changed is no longer as it was.
        """
        ...

    def erase(self, id: MemoryId, reach: Reach, actor: str, receipt: Receipt) -> bool:
        """Remove every trace of a memory's content, leaving a tombstone; False when there is none within reach."""
        ...

    def scrub(self) -> bool:
        """Clear the ledger's files of what was erased; False when another process kept it from finishing."""
        ...

    def unscrubbed(self) -> int:
        """Count erased memories of which the files may still hold traces."""
        ...

    def fetch(self, ids: Sequence[MemoryId], view: View) -> dict[MemoryId, Memory]:
        """Return those of the records that the view may see."""
        ...

    def page(self, view: View, limit: int, after: tuple[int, str] | None = None) -> list[Memory]:
        """Return records newest first, beginning after a (created_at, id) already seen."""
        ...

    def walk(self, view: View) -> Iterator[Memory]:
        """Yield records oldest first, all as of the moment it began; others may write meanwhile."""
        ...

    def known(self, ids: Sequence[MemoryId], sayings: Sequence[Saying]) -> Known:
        """Return which of these ids are taken and which of these sayings are held, in whatever scope."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Keep other writers out; what is committed within is durable when the block ends, or none of it happened."""
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        """Return the best full-text matches of the view, best first."""
        ...

    def held_out(self, terms: Sequence[str], view: View, limit: int) -> list[Memory]:
        """Return matching records within reach that some other rule of the view keeps out."""
        ...

    def tally(self, view: View) -> Tally:
        """Count the records of a view."""
        ...

    def history(self, id: MemoryId) -> list[Event]:
        """Return the events of one memory, oldest first."""
        ...

    def as_of(self, id: MemoryId, seq: int) -> Memory | None:
        """Return a memory as it stood after a sequence number."""
        ...

    def contains(self, fragment: str, *, besides: MemoryId) -> bool:
        """Say whether any other record holds a piece of text, in whatever scope. For proving an erasure only."""
        ...


@dataclass(frozen=True, slots=True)
class KeptReceipt:
    """A receipt as the ledger holds it."""

    seq: int
    digest: str
    operation: str
    at: int
    duration_ms: float
    body: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ChainState:
    """The result of walking the receipt chain."""

    receipts: int
    broken_at: int | None
    """The sequence number of the first receipt that does not fit, or None."""
    problem: str = ""


class Receipts(Protocol):
    """The book of receipts, chained so that tampering shows."""

    def keep(self, receipt: Receipt, used: Sequence[MemoryId]) -> bool:
        """Keep the receipt of a read and count the use of what it returned. Never waits long: False if not kept."""
        ...

    def recent(self, limit: int, operation: str | None = None) -> list[KeptReceipt]:
        """Return the newest receipts, newest first."""
        ...

    def find(self, name: str) -> list[KeptReceipt]:
        """Return the receipts whose digest begins so, newest first, at most a handful."""
        ...

    def verify(self) -> ChainState:
        """Walk the whole chain and recompute every digest."""
        ...


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A text that has no vector in a space yet."""

    id: MemoryId
    text: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vector made for a text, or why there is none."""

    id: MemoryId
    content_hash: str
    vector: Vector | None
    skipped: str | None = None


class Vectors(Protocol):
    """Vectors, kept in the ledger with the space they belong to, so that an index can be rebuilt without a model."""

    def space(self) -> Space | None:
        """Return the store's embedding space, or None before the first vector."""
        ...

    def adopt(self, space: Space) -> None:
        """Make a space the store's own and drop the vectors of any other."""
        ...

    def waiting(self, space: Space, limit: int, *, retry: bool = False) -> list[Unembedded]:
        """Return texts without a vector in the space, newest first; those skipped before only with `retry`."""
        ...

    def backlog(self, space: Space | None) -> tuple[int, int]:
        """Return how many texts wait for a vector in the space, and how many were skipped there with a reason.

        None asks for the store's own space, be there one or not.
        """
        ...

    def count(self, space: Space) -> int:
        """Return how many vectors of a space are kept."""
        ...

    def put(self, space: Space, made: Sequence[Embedded], *, seconds: float | None = None) -> None:
        """Keep vectors, and reasons for their absence. One whose text has changed or gone meanwhile is dropped.

        Waits for other writers at most so long, or as long as a store does.
        """
        ...

    def get(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, Vector]:
        """Return the vectors of these records."""
        ...


@dataclass(frozen=True, slots=True)
class FeedItem:
    """The newest state of one record for an index: the record with its vector, or None when it was erased."""

    seq: int
    id: MemoryId
    memory: Memory | None
    vector: Vector | None


class Feed(Protocol):
    """What an index follows: every record once, at the sequence number that last touched it."""

    def tip(self) -> int:
        """Return the newest sequence number."""
        ...

    def behind(self, seq: int) -> int:
        """Count the records touched after a sequence number."""
        ...

    def since(self, seq: int, space: Space, limit: int) -> list[FeedItem]:
        """Return what was touched after a sequence number, in order."""
        ...

    def landmark(self) -> str:
        """Return a name for this point of the ledger's history."""
        ...

    def remembers(self, landmark: str) -> bool:
        """Say whether a point of history is one of this ledger's; a restored backup knows nothing of what came after."""
        ...

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        """Yield id and content hash of every record, ordered by id."""
        ...


class Ledger(Protocol):
    """The truth: four ports over one database."""

    @property
    def memories(self) -> Memories: ...
    @property
    def receipts(self) -> Receipts: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def read_only(self) -> bool: ...

    def check_up(self, *, fix: bool = False) -> list[Finding]:
        """Examine the database itself, and mend what can be mended."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class CatchUp:
    """How an index stands to its feed after trying to follow it."""

    applied: int = 0
    behind: int = 0
    repaired: str = ""
    """What was wrong and has been rebuilt, or empty."""
    problem: str = ""
    """Why it could not follow, or empty."""
    birth: str = field(default="", compare=False)
    """The name of the very index that followed: one that is built anew has another."""

    @property
    def current(self) -> bool:
        """Whether searching the index sees everything the ledger has."""
        return not self.behind and not self.problem


@dataclass(frozen=True, slots=True)
class IndexStatus:
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


class Index(Protocol):
    """A searchable copy of the ledger. It only nominates: what it brings back is checked against the truth."""

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        """Follow the feed under the one writer lock, for some seconds at most or until the end of it.

        Builds what is missing and rebuilds what is damaged. Never raises for an index that cannot be used:
        the answer says so.
        """
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        """Return the best full-text matches of the view. Raises Unavailable, as every search does, when damaged."""
        ...

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        """Return the records of the view whose vectors are nearest; the score is the cosine."""
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


@dataclass(frozen=True, slots=True)
class FileSearch:
    """What a search of the store's files came to."""

    files: int
    bytes: int
    holding: tuple[str, ...]
    """The files, relative to the store, that hold one of the needles."""


class Files(Protocol):
    """The files a store consists of, as a whole."""

    @property
    def folder(self) -> str:
        """Where they are."""
        ...

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        """Look for any of the needles in every file."""
        ...

    def check_up(self, *, fix: bool = False) -> list[Finding]:
        """Examine permissions and free space."""
        ...


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file that is being read."""

    chunks: Iterator[bytes]
    size: int | None
    """How many bytes there are, where that is known."""


class Exchange(Protocol):
    """The files that memories leave by and come in by."""

    def check(self, path: str, *, force: bool) -> None:
        """Refuse a path that nothing can or may be written to."""
        ...

    def write(self, path: str, pieces: Iterable[bytes], *, force: bool) -> int:
        """Write a file for its owner's eyes only, whole or not at all; return its size. Replaces one only by force."""
        ...

    def read(self, path: str) -> AbstractContextManager[Incoming]:
        """Open a file for reading."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of one embedding space."""

    @property
    def name(self) -> str:
        """The name of the embedding space: model and variant. Equal names mean comparable vectors."""
        ...

    @property
    def dimensions(self) -> int | None:
        """The length of a vector, or None while it is not known (a remote model not asked yet)."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. Raises EmbeddingFailed, with the reason as its code."""
        ...
