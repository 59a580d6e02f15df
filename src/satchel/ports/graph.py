"""Entities and relations, by the source that names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct

from satchel.domain.graph import EntityMention, Extract, GraphSource

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach
    from satchel.domain.view import View


class SourceExtract(Struct, frozen=True):
    """A source with what was read from it."""

    source: GraphSource
    extract: Extract


class GraphRevision(Struct, frozen=True):
    """Identifies a state of the graph, so that a cached copy knows whether it is current."""

    revision: int
    tip: int
    """The ledger's sequence number."""
    until: int | None = None
    """When a dated memory next starts or stops being valid."""


class RelationRow(NamedTuple):
    """A stored relation. Its ends are the numbers of mentions in the same source."""

    source: int
    tail: int
    relation: str
    head: int
    rule: str
    line: int


class GraphContents(Struct, frozen=True):
    """Everything of the graph that a view admits: sources by number, and what each names."""

    edition: GraphRevision
    sources: Mapping[int, GraphSource]
    mentions: Sequence[tuple[int, int, EntityMention]]
    """Each with its source and its number in it."""
    relations: Sequence[RelationRow]


class GraphStore(Protocol):
    """Entities and relations, each with its source."""

    def sources(self, reach: Reach, type: str | None = None, root: str | None = None) -> list[GraphSource]:
        """Return the sources within reach, by type, root and name."""
        ...

    def replace(self, put: Sequence[SourceExtract], remove: Sequence[str], receipt: Receipt) -> None:
        """Store sources, replacing what was read from them before, and remove others by id; atomic, with the receipt."""
        ...

    def count(self, ids: Sequence[str]) -> tuple[int, int]:
        """Count the entity mentions and the relations of some sources."""
        ...

    def names(self, ids: Sequence[str]) -> list[str]:
        """Return the entity names of some sources, sorted."""
        ...

    def contents(self, view: View) -> GraphContents:
        """Return everything that a view admits; sources out of reach or without trust are left out."""
        ...

    def is_current(self, edition: GraphRevision, now: int) -> bool:
        """Return whether a state is still current."""
        ...

    def contains(self, fragment: str, excluding: str) -> bool:
        """Return whether an entity name of another record or source contains a fragment."""
        ...
