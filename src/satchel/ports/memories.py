"""The records themselves, their full text and their history."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct

from satchel.domain.answers import Tally
from satchel.domain.embedding import Vector
from satchel.domain.ranking import Candidate
from satchel.domain.receipt import Receipt
from satchel.domain.record import Label, Memory, MemoryId, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View


class Event(Struct, frozen=True):
    """One change of a memory. What the record was before is kept with it by the ledger."""

    seq: int
    memory_id: MemoryId
    operation: str
    actor: str
    reason: str | None
    receipt: str | None
    at: int


class Change(Struct, frozen=True):
    """A change to be made: the record as it will be, who makes it and why."""

    memory: Memory
    before: Memory | None
    """The record this change was decided upon, or None for a new one. If it differs by now, nothing is written."""
    operation: str
    actor: str
    reason: str | None = None


class Saying(Struct, frozen=True):
    """What a record says: where, whether it still holds, and in which words, normalised."""

    scope: str
    live: bool
    text: str


class Known(Struct, frozen=True):
    """What of some ids and sayings a ledger has already."""

    ids: Mapping[MemoryId, str]
    """The scope of each id that is taken, by a record or by the tombstone of one."""
    sayings: frozenset[Saying]


class Frequencies(Struct, frozen=True):
    """How common words are in a store."""

    holding: Mapping[str, int]
    """How many records hold each term; a very common one is not counted to the end."""
    records: int
    """How many records there are, give or take those forgotten."""


Tier = tuple[Trust, Label]
"""How far records may be relied on, and how important they are."""


class Memories(Protocol):
    """The records themselves, their full text and their history."""

    def commit(self, changes: Iterable[Change], receipt: Receipt) -> int:
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

    def alike(self, text: str, view: View, limit: int) -> list[Memory]:
        """Return records of the view that say the same in nearly the same words, oldest first."""
        ...

    def tiers(self, reach: Reach) -> frozenset[Tier]:
        """Return which tiers there are within reach, whatever the state of their records. Does not count them."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Keep other writers out; what is committed within is durable when the block ends, or none of it happened."""
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        """Return the best full-text matches of the view, best first."""
        ...

    def nearest(self, vector: Vector, view: View, limit: int, also: Sequence[MemoryId] = ()) -> list[Candidate]:
        """Compare every vector of the view, and return the nearest and those named also, best first.

        The score is the cosine, ties are ordered by id.
        """
        ...

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """Count the records that hold each term, in whatever scope, as a full-text match weighs them."""
        ...

    def held_terms(self, id: MemoryId, terms: Sequence[str], view: View) -> frozenset[str]:
        """Return which of the terms a full-text match finds in a record of the view."""
        ...

    def held_out(self, terms: Sequence[str], view: View, limit: int) -> list[Memory]:
        """Return matching records within reach that some other rule of the view keeps out."""
        ...

    def count(self, view: View) -> int:
        """Return how many records a view has."""
        ...

    def tally(self, view: View) -> Tally:
        """Count the records of a view by what they are, and measure them."""
        ...

    def history(self, id: MemoryId) -> list[Event]:
        """Return the events of one memory, oldest first."""
        ...

    def contains(self, fragment: str, *, besides: MemoryId) -> bool:
        """Say whether any other record holds a piece of text, in whatever scope. For proving an erasure only."""
        ...
