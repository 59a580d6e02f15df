"""Where entities and relations are kept: by the source that named them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from satchel.domain.graph import EntityMention, Extract, GraphSource
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach
from satchel.domain.view import View


class SourceExtract(Struct, frozen=True):
    """A source with what it says."""

    source: GraphSource
    extract: Extract


class Edition(Struct, frozen=True):
    """Which state of the graph somebody has read: still the same, unless a source of it has changed."""

    revision: int
    tip: int
    """The sequence number of the ledger."""
    until: int | None = None
    """When a dated memory next begins or ceases to hold."""


class RelationRow(NamedTuple):
    """A claim as it is kept: its ends are numbers of sightings of the same source."""

    source: int
    tail: int
    relation: str
    head: int
    rule: str
    line: int


class Contents(Struct, frozen=True):
    """All that may be seen of the graph: the sources by number, and what each says."""

    edition: Edition
    sources: Mapping[int, GraphSource]
    mentions: Sequence[tuple[int, int, EntityMention]]
    """Each with its source, and its number there."""
    relations: Sequence[RelationRow]


class Graph(Protocol):
    """Entities and relations, each with the source that it rests on."""

    def sources(self, reach: Reach, type: str | None = None, root: str | None = None) -> list[GraphSource]:
        """Return the sources within reach, by type, root and name."""
        ...

    def replace(self, put: Sequence[SourceExtract], remove: Sequence[str], receipt: Receipt) -> None:
        """Keep what sources say, instead of what they said before, and drop others by id: as one, with the receipt."""
        ...

    def measure(self, ids: Sequence[str]) -> tuple[int, int]:
        """Count the sights and the claims that rest on some sources."""
        ...

    def names(self, ids: Sequence[str]) -> list[str]:
        """Return the names that some sources use, in order."""
        ...

    def contents(self, view: View) -> Contents:
        """Return everything that a view admits: nothing that rests on a source out of reach, or on no trust."""
        ...

    def is_current(self, edition: Edition, now: int) -> bool:
        """Say whether what was read then is what would be read now."""
        ...

    def contains(self, fragment: str, besides: str) -> bool:
        """Say whether a piece of text stands in a name that rests on something else than this record or source."""
        ...
