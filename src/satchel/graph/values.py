"""Results of the graph operations."""

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.erasure import ErasureCheck
from satchel.domain.graph import GraphSourceType, RelationType
from satchel.domain.graph_answers import Citation, CitedRelation, Entity, GraphAnswer, GraphPath
from satchel.domain.record import Trust


class Neighbor(Struct, frozen=True):
    """An entity and the path that leads to it."""

    entity: Entity
    path: GraphPath


class Neighbors(Struct, frozen=True):
    """The entities around an entity."""

    entity: Entity
    neighbors: tuple[Neighbor, ...]
    more: int = 0
    """How many there are beyond the limit."""


class PathFound(Struct, frozen=True):
    """How two entities are connected; the path is None if there is none within `max_hops`."""

    start: Entity
    goal: Entity
    path: GraphPath | None
    max_hops: int


class EntityDetails(Struct, frozen=True):
    """One entity with its names, mentions and relations."""

    entity: Entity
    names: tuple[str, ...]
    trust: Trust
    seen: tuple[Citation, ...]
    ties: tuple[CitedRelation, ...]
    more: int = 0
    """How many relations there are beyond the limit."""
    own_types: tuple[str, ...] = ()
    """What its sources call its type, where that is none of the types."""


class EntityList(Struct, frozen=True):
    """A page of entities by type and name."""

    entities: tuple[Entity, ...]
    total: int
    next: str | None = None


class GraphSourceRow(Struct, frozen=True):
    """A source that entities and relations were read from."""

    id: str
    type: GraphSourceType
    ref: str
    root: str
    project: str
    scope: str
    trust: Trust
    read_at: int


class GraphSummary(Struct, frozen=True):
    """The size of the graph, by type, and its sources."""

    entities: int
    relations: int
    by_type: dict[str, int]
    by_relation: dict[str, int]
    sources: tuple[GraphSourceRow, ...]
    more_sources: int = 0


class SkippedSource(Struct, frozen=True):
    """A source that was not read."""

    ref: str
    reason: str


class Extracted(Struct, frozen=True):
    """Counts of an extraction."""

    project: str
    read: int
    unchanged: int
    removed: int
    entities: int
    """How many entities the sources that were read name."""
    relations: int
    skipped: int
    left_out: tuple[SkippedSource, ...] = ()
    """The first skipped sources, with the reason."""


class RelationAdded(Struct, frozen=True):
    """A relation stated by hand, and the source created for it."""

    source: str
    tail: str
    relation: RelationType
    head: str
    trust: Trust


class GraphForgotten(Struct, frozen=True):
    """What was erased with its sources."""

    sources: tuple[str, ...]
    sightings: int
    claims: int
    scrubbed: bool
    """Whether the ledger file is clean already; if not, a later process cleans it."""
    check: ErasureCheck | None = None

    @property
    def outcome(self) -> Outcome:
        """Failed if a search of the store's files found remains or was inconclusive."""
        return failed_if(self.check is not None and not self.check.proves)


class Recommendation(Struct, frozen=True):
    """A project related to an idea, with the paths that explain why."""

    project: Entity
    score: float
    paths: tuple[GraphPath, ...]


class ProjectMatches(Struct, frozen=True):
    """The projects related to an idea."""

    named: tuple[Entity, ...]
    recommendations: tuple[Recommendation, ...]


class GraphAnswers(Struct, frozen=True):
    """The answers to a question; none, with relevance 0, if it names no known entity."""

    intent: str
    named: tuple[Entity, ...]
    answers: tuple[GraphAnswer, ...]
    relevance: float
    more: int = 0


class GraphExport(Struct, frozen=True):
    """A part of the graph as text."""

    format: str
    text: str
    entities: int
    relations: int
