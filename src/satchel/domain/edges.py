"""Typed, directed edges between memories, which influence the ranking of attention."""

from enum import StrEnum
from typing import NamedTuple

from satchel.domain.attention import short_id
from satchel.domain.record import MemoryId, Trust

DEFAULT_WEIGHT = 0.5
REPLACEMENT_WEIGHT = 0.95
DERIVATION_WEIGHT = 0.8


class EdgeType(StrEnum):
    """The relation of one memory to another."""

    SIMILAR = "similar"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    EXTENDS = "extends"
    DERIVED_FROM = "derived_from"


class MemoryEdge(NamedTuple):
    """A weighted relation from one memory to another. At most one edge exists per source, target and type."""

    source: MemoryId
    target: MemoryId
    type: EdgeType
    weight: float = DEFAULT_WEIGHT
    created_at: int = 0

    @property
    def id(self) -> str:
        """An id derived from source, type and target, but not the weight."""
        return short_id("edge", f"{self.source}\n{self.type}\n{self.target}")


class VisibleEdge(NamedTuple):
    """An edge whose source memory is visible, with the trust of that memory."""

    edge: MemoryEdge
    trust: Trust
