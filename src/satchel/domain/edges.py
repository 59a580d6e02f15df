"""Edges: typed, directed relations between memories. They are evidence, and evidence moves a ranking."""

from enum import StrEnum
from typing import NamedTuple

from satchel.domain.attention import short_id
from satchel.domain.record import MemoryId, Trust

DEFAULT_WEIGHT = 0.5
REPLACEMENT_WEIGHT = 0.95
DERIVATION_WEIGHT = 0.8


class EdgeType(StrEnum):
    """What one memory says of another."""

    SIMILAR = "similar"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    EXTENDS = "extends"
    DERIVED_FROM = "derived_from"


class Edge(NamedTuple):
    """What one memory says of another, how strongly, and since when. Said twice, it is still one edge."""

    source: MemoryId
    target: MemoryId
    type: EdgeType
    weight: float = DEFAULT_WEIGHT
    created_at: int = 0

    @property
    def id(self) -> str:
        """The edge's name: the same for the same thing said, whatever its weight."""
        return short_id("edge", f"{self.source}\n{self.type}\n{self.target}")


class Evidence(NamedTuple):
    """An edge whose source may be seen now, with the trust of that source."""

    edge: Edge
    trust: Trust
