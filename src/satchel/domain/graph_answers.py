"""Answers of the graph that packs and routing use too."""

from msgspec import Struct

from satchel.domain.graph import EntityType, GraphSourceType, RelationType
from satchel.domain.record import Trust

A_PERSON = "a person"
"""The name of every person, for readers who may not know it."""


class Entity(Struct, frozen=True, order=True):
    """An entity that sources name."""

    id: str
    type: EntityType
    name: str
    project: str = ""
    """The project that its code belongs to."""
    scope: str = ""


class Citation(Struct, frozen=True, order=True):
    """The place in a source that states something, and the rule that read it."""

    source: str
    type: GraphSourceType
    ref: str
    """The path of a file, the id of a memory, the place in an imported file, or the id of an added relation."""
    line: int
    rule: str


class CitedRelation(Struct, frozen=True):
    """A relation between two entities with its citations. Its trust is that of its least trusted source."""

    tail: Entity
    relation: RelationType
    head: Entity
    trust: Trust
    text: str
    """The relation as a sentence."""
    citations: tuple[Citation, ...]
    label: str = ""
    """The relation as its source calls it, if that is none of the types."""


class GraphPath(Struct, frozen=True):
    """The path from one entity to another, which justifies an answer."""

    entities: tuple[Entity, ...]
    ties: tuple[CitedRelation, ...]
    hops: int
    text: str
    """The path as sentences."""
    arrows: str
    """The path on one line, such as `A -USES-> B <-CALLS- C`."""
    trust: Trust


class GraphAnswer(Struct, frozen=True):
    """One answer to a question, with its relevance, path and citations."""

    text: str
    relevance: float
    entity: Entity
    path: GraphPath
    citations: tuple[Citation, ...]
    trust: Trust
