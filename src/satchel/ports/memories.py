"""Memories, their full text and their history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from satchel.domain.listing import EVERYTHING, ListFilter
from satchel.domain.record import Label, Memory, MemoryId, Trust

if TYPE_CHECKING:
    from satchel.domain.answers import MemoryCounts
    from satchel.domain.embedding import Vector
    from satchel.domain.ranking import Candidate
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach
    from satchel.domain.view import View


class Event(Struct, frozen=True):
    """One change of a memory. The ledger stores the record as it was before with it."""

    seq: int
    memory_id: MemoryId
    operation: str
    actor: str
    reason: str | None
    receipt: str | None
    at: int


class Change(Struct, frozen=True, gc=False):
    """A change to make: the new record, who makes it and why."""

    memory: Memory
    before: Memory | None
    """The record that the change is based on, None for a new one. If it has changed since, nothing is written."""
    operation: str
    actor: str
    reason: str | None = None
    embedded: bool = False
    """Whether the vector of a new record follows in the same transaction, by `VectorStore.put_new`."""


class TextKey(Struct, frozen=True, gc=False):
    """The normalised text of a record, its scope, and whether the record is live."""

    scope: str
    live: bool
    text: str


class KnownRecords(Struct, frozen=True):
    """Which of some ids and texts the ledger has already."""

    ids: Mapping[MemoryId, str]
    """The scope of each id that a record or a tombstone has."""
    text_keys: frozenset[TextKey]


class Frequencies(Struct, frozen=True):
    """How common terms are in a store."""

    holding: Mapping[str, int]
    """How many records contain each term, up to a maximum."""
    records: int
    """Approximate number of records."""


Tier = tuple[Trust, Label]
"""Trust and importance label of records."""


class MemoryStore(Protocol):
    """Memories, their full text and their history."""

    def commit(self, changes: Iterable[Change], receipt: Receipt, *, optional: bool = False) -> int:
        """Write changes, their events and the receipt in one transaction; return the last sequence number when durable.

        Raises Conflict if a record to create exists, or a record to change has changed since. With `optional`, raises
        Unavailable soon if another process is writing, instead of waiting for it.
        """
        ...

    def erase(self, id: MemoryId, reach: Reach, actor: str, receipt: Receipt, *, everywhere: bool = True) -> bool:
        """Erase a memory, leaving a tombstone without content; False if there is none within reach.

        What only repeats its text, in packets and notes, is erased `everywhere` or in its own scope alone.
        """
        ...

    def scrub(self) -> bool:
        """Remove erased content from the ledger's files; False if another process prevented it."""
        ...

    def unscrubbed(self) -> int:
        """Count erased memories that the files may still contain traces of."""
        ...

    def fetch(self, ids: Sequence[MemoryId], view: View, *, verify: bool = True) -> dict[MemoryId, Memory]:
        """Return those of the records that the view admits.

        Without `verify`, the caller compares the content hashes of those that it returns.
        """
        ...

    def salvage(self, id: MemoryId, view: View) -> Memory | None:
        """Return what can be read of a damaged record of the view; None if there is no such record, or it is intact."""
        ...

    def ids_between(self, first: str, last: str, view: View, limit: int) -> list[MemoryId]:
        """Return the ids of the view in a range, in order, from the index of ids."""
        ...

    def page(
        self, view: View, limit: int, after: tuple[int, str] | None = None, narrowed: ListFilter = EVERYTHING
    ) -> list[Memory]:
        """Return records, newest first, starting after a (created_at, id)."""
        ...

    def walk(self, view: View) -> Iterator[Memory]:
        """Yield records, oldest first, from one snapshot; others may write meanwhile."""
        ...

    def known(self, ids: Sequence[MemoryId], text_keys: Sequence[TextKey]) -> KnownRecords:
        """Return which of these ids and texts exist."""
        ...

    def near_duplicates(self, text: str, view: View, limit: int) -> list[Memory]:
        """Return records of the view with nearly the same text, oldest first."""
        ...

    def tiers(self, reach: Reach) -> frozenset[Tier]:
        """Return which tiers exist within reach, whatever the state of their records."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Open a write transaction; commits within it are durable when the block ends, or are rolled back together."""
        ...

    def bulk(self) -> AbstractContextManager[None]:
        """Prepare for many large transactions one after another, until the block ends. Each is as durable as any other."""
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        """Return the best full-text matches of the view, best first."""
        ...

    def match_among(self, terms: Sequence[str], ids: Sequence[MemoryId], limit: int) -> list[Candidate]:
        """Return the best full-text matches among some records, best first."""
        ...

    def nearest(self, vector: Vector, view: View, limit: int, also: Sequence[MemoryId] = ()) -> list[Candidate]:
        """Compare every vector of the view; return the nearest and those in `also`, best first.

        The score is the cosine; ties are ordered by id.
        """
        ...

    def next_in_session(self, memories: Sequence[Memory], view: View) -> dict[MemoryId, MemoryId]:
        """Return the memory of the view that was stored after each of some memories in its scope and session."""
        ...

    def frequencies(self, terms: Sequence[str], *, trusted_only: bool = False) -> Frequencies:
        """Count the records of all scopes that match each term.

        With `trusted_only`, untrusted records cannot make a term look common.
        """
        ...

    def matching_terms(self, id: MemoryId, terms: Sequence[str], view: View) -> frozenset[str]:
        """Return which of the terms match a record of the view."""
        ...

    def excluded(self, terms: Sequence[str], view: View, limit: int) -> list[Memory]:
        """Return matching records within reach that another rule of the view excludes."""
        ...

    def count(self, view: View) -> int:
        """Count the records of a view."""
        ...

    def scopes(self) -> list[str]:
        """Return the scopes that have memories, in order."""
        ...

    def tally(self, view: View) -> MemoryCounts:
        """Return statistics of the records of a view."""
        ...

    def history(self, id: MemoryId) -> list[Event]:
        """Return the events of one memory, oldest first."""
        ...

    def replaced_by(self, id: MemoryId, scope: str) -> Sequence[Memory]:
        """Return the memories of a scope that a memory replaced, oldest first."""
        ...

    def contains(self, fragment: str, *, excluding: MemoryId, versions: Sequence[MemoryId] = ()) -> bool:
        """Return whether another record of any scope contains a fragment. Only for verifying an erasure.

        `versions` are erased together with the excluded memory.
        """
        ...
