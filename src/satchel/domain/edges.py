"""Edges: typed, directed relations between memories. They are evidence, and evidence moves a ranking."""

from dataclasses import dataclass
from enum import StrEnum

from satchel.domain.canonical import digest
from satchel.domain.record import MemoryId, Trust

DEFAULT_WEIGHT = 0.5
REPLACEMENT_WEIGHT = 0.95
DERIVATION_WEIGHT = 0.8
_ID_DIGITS = 12


class EdgeType(StrEnum):
    """What one memory says of another."""

    SIMILAR = "similar"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    EXTENDS = "extends"
    DERIVED_FROM = "derived_from"


@dataclass(frozen=True, slots=True)
class Edge:
    """What one memory says of another, how strongly, and since when. Said twice, it is still one edge."""

    source: MemoryId
    target: MemoryId
    type: EdgeType
    weight: float = DEFAULT_WEIGHT
    created_at: int = 0

    @property
    def id(self) -> str:
        """The edge's name: the same for the same thing said, whatever its weight."""
        said = digest(f"{self.source}\n{self.type}\n{self.target}").partition(":")[2]
        return f"edge_{said[:_ID_DIGITS]}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """An edge whose source may be seen now, with the trust of that source."""

    edge: Edge
    trust: Trust
