"""What the operations on entities and relations answer."""

from msgspec import Struct

from satchel.domain.answers import ErasureCheck
from satchel.domain.graph import EntityType, Relation, SourceType
from satchel.domain.outcome import Outcome, failed_if
from satchel.domain.record import Trust


class Entity(Struct, frozen=True, order=True):
    """A thing that sources name."""

    id: str
    type: EntityType
    name: str
    project: str = ""
    """The project that its code belongs to."""
    scope: str = ""


class Citation(Struct, frozen=True, order=True):
    """Where a source says something, and by which rule that was read."""

    source: str
    type: SourceType
    ref: str
    """The path of a file, the id of a memory, or the name of what was added."""
    line: int
    rule: str


class Tie(Struct, frozen=True):
    """A relation between two entities, with what it rests on. As trusted as the least trusted of its sources."""

    tail: Entity
    relation: Relation
    head: Entity
    trust: Trust
    text: str
    """The relation in words."""
    citations: tuple[Citation, ...]


class Path(Struct, frozen=True):
    """How one entity leads to another: the justification of an answer."""

    entities: tuple[Entity, ...]
    ties: tuple[Tie, ...]
    hops: int
    text: str
    """The path in words."""
    arrows: str
    """The path in one line, such as `A -USES-> B <-CALLS- C`."""
    trust: Trust


class Neighbor(Struct, frozen=True):
    """An entity that another one leads to."""

    entity: Entity
    path: Path


class Neighbors(Struct, frozen=True):
    """What an entity is connected with."""

    entity: Entity
    neighbors: tuple[Neighbor, ...]
    more: int = 0
    """How many there are beyond the limit."""


class PathFound(Struct, frozen=True):
    """How two entities are connected; no path means: not within so many steps."""

    start: Entity
    goal: Entity
    path: Path | None
    max_hops: int


class Shown(Struct, frozen=True):
    """One entity with what is known of it."""

    entity: Entity
    names: tuple[str, ...]
    trust: Trust
    seen: tuple[Citation, ...]
    ties: tuple[Tie, ...]
    more: int = 0
    """How many relations there are beyond the limit."""


class EntityList(Struct, frozen=True):
    """Entities by type and name."""

    entities: tuple[Entity, ...]
    total: int
    next: str | None = None


class GraphSource(Struct, frozen=True):
    """A source that entities and relations were read from."""

    id: str
    type: SourceType
    ref: str
    root: str
    project: str
    scope: str
    trust: Trust
    read_at: int


class GraphSummary(Struct, frozen=True):
    """How much is known."""

    entities: int
    relations: int
    by_type: dict[str, int]
    by_relation: dict[str, int]
    sources: tuple[GraphSource, ...]
    more_sources: int = 0


class SkippedSource(Struct, frozen=True):
    """A source that was not read."""

    ref: str
    reason: str


class Extracted(Struct, frozen=True):
    """What reading some sources came to."""

    project: str
    read: int
    unchanged: int
    removed: int
    entities: int
    """How many were named by what was read."""
    relations: int
    skipped: int
    left_out: tuple[SkippedSource, ...] = ()
    """The first of those that were skipped, with the reason."""


class RelationAdded(Struct, frozen=True):
    """A relation that somebody stated, and the source that it makes."""

    source: str
    tail: str
    relation: Relation
    head: str
    trust: Trust


class GraphForgotten(Struct, frozen=True):
    """What was erased with its source."""

    sources: tuple[str, ...]
    sightings: int
    claims: int
    scrubbed: bool
    """Whether the ledger's file is clean already; else whoever comes next cleans it."""
    check: ErasureCheck | None = None

    @property
    def outcome(self) -> Outcome:
        """Failed when a look into the files found what was to go, or could prove nothing."""
        return failed_if(self.check is not None and not self.check.proves)


class Recommendation(Struct, frozen=True):
    """A project that an idea has to do with, and why."""

    project: Entity
    score: float
    paths: tuple[Path, ...]


class Matched(Struct, frozen=True):
    """The projects that an idea has to do with."""

    named: tuple[Entity, ...]
    recommendations: tuple[Recommendation, ...]


class GraphAnswer(Struct, frozen=True):
    """One answer to a question: in words, with how relevant it is and what it rests on."""

    text: str
    relevance: float
    entity: Entity
    path: Path
    citations: tuple[Citation, ...]
    trust: Trust


class Asked(Struct, frozen=True):
    """The answers to a question about entities; none, and no relevance, where it names nobody."""

    intent: str
    named: tuple[Entity, ...]
    answers: tuple[GraphAnswer, ...]
    relevance: float
    more: int = 0


class GraphExport(Struct, frozen=True):
    """A part of the graph as a text."""

    format: str
    text: str
    entities: int
    relations: int
