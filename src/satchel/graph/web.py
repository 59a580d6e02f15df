"""The web: everything that a view admits, every name with its owner, so that it can be walked."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from satchel.domain.graph import EntityType, Ref, Relation, key_of, named_id
from satchel.domain.graph_answers import Citation, Entity, Tie
from satchel.domain.record import Trust
from satchel.domain.trust import lowest
from satchel.graph.owners import NAMING, Owners
from satchel.ports.graph import Contents


class Node(NamedTuple):
    """An entity: what tells it from others, and how its sources write it."""

    scope: str
    type: EntityType
    space: str
    key: str
    name: str


class Edge(NamedTuple):
    """A relation between two nodes, by their numbers."""

    tail: int
    relation: Relation
    head: int


class Evidence(NamedTuple):
    """What an entity or a relation rests on."""

    source: int
    line: int
    rule: str


_Identity = tuple[str, EntityType, str, str]
_NAME = EntityType.NAME
_RELATIONS = {one.value: one for one in Relation}


class Web:
    """All entities and relations of one view, with the sources that they rest on."""

    def __init__(self, contents: Contents) -> None:
        self.edition = contents.edition
        self.sources = contents.sources
        self.nodes: list[Node] = []
        self.names: dict[int, list[tuple[str, Evidence]]] = defaultdict(list)
        """By node, each name that a source gives it, and where."""
        self.edges: dict[Edge, list[Evidence]] = defaultdict(list)
        self._build(contents, Owners(contents))

    def _build(self, contents: Contents, owners: Owners) -> None:
        sighted: list[tuple[_Identity, str, Evidence]] = []
        written: dict[_Identity, tuple[bool, str]] = {}
        placed: dict[tuple[int, int], tuple[Ref, _Identity | None]] = {}

        identities: dict[tuple[str, Ref], _Identity] = {}

        def sight(scope: str, owner: Ref, defining: bool) -> _Identity:
            identity = identities.get((scope, owner))
            if identity is None:
                identity = identities[scope, owner] = (scope, owner.type, owner.space, key_of(owner))
            # A definition knows how its name is written; among others the first in order does.
            spelling = (not defining, owner.name)
            known = written.get(identity)
            written[identity] = spelling if known is None or spelling < known else known
            return identity

        for source, number, one in contents.sightings:
            scope = self.sources[source].scope
            owner = owners.of(scope, one.ref)
            identity = None if owner is None else sight(scope, owner, one.defining)
            placed[source, number] = (one.ref, identity)
            if identity is not None:
                sighted.append((identity, one.ref.name, Evidence(source, one.line, one.rule)))
        joined: list[tuple[_Identity, Relation, _Identity, Evidence]] = []
        for row in contents.claims:
            (tail_ref, tail), (head_ref, head) = placed[row.source, row.tail], placed[row.source, row.head]
            relation = _RELATIONS[row.relation]
            if row.rule in NAMING or tail is None or (relation is Relation.ALIAS_OF and tail_ref.type is _NAME):
                continue
            scope, evidence = self.sources[row.source].scope, Evidence(row.source, row.line, row.rule)
            if head is None and head_ref.type is _NAME:
                relation, owner = _abroad(owners, scope, relation, head_ref)
                if owner is not None:
                    head = sight(scope, owner, False)
                    sighted.append((head, owner.name, evidence))
            if head is not None:
                joined.append((tail, relation, head, evidence))
        self._number(sighted, written, joined)

    def _number(
        self,
        sighted: Sequence[tuple[_Identity, str, Evidence]],
        written: dict[_Identity, tuple[bool, str]],
        joined: Sequence[tuple[_Identity, Relation, _Identity, Evidence]],
    ) -> None:
        """Give nodes their numbers in an order that depends on nothing but what they are."""
        numbers = {identity: number for number, identity in enumerate(sorted(written))}
        self.nodes = [Node(*identity, written[identity][1]) for identity in numbers]
        for identity, name, evidence in sighted:
            self.names[numbers[identity]].append((name, evidence))
        for tail, relation, head, evidence in joined:
            if tail != head:
                self.edges[Edge(numbers[tail], relation, numbers[head])].append(evidence)

    @cached_property
    def ordered(self) -> list[Edge]:
        """The edges, in order."""
        return sorted(self.edges)

    @cached_property
    def out(self) -> dict[int, list[Edge]]:
        """The edges that leave each node, in order."""
        found: dict[int, list[Edge]] = defaultdict(list)
        for edge in self.ordered:
            found[edge.tail].append(edge)
        return found

    @cached_property
    def into(self) -> dict[int, list[Edge]]:
        """The edges that reach each node, in order."""
        found: dict[int, list[Edge]] = defaultdict(list)
        for edge in self.ordered:
            found[edge.head].append(edge)
        return found

    @cached_property
    def ids(self) -> dict[str, int]:
        """The nodes by id."""
        return {self.id(number): number for number in range(len(self.nodes))}

    def id(self, number: int) -> str:
        """Return the id of a node: made of what it is, so that it is the same on every rebuild."""
        node = self.nodes[number]
        return named_id("ent", node.scope, node.type, node.space, node.key)

    def entity(self, number: int) -> Entity:
        """Return a node as an answer holds it."""
        node = self.nodes[number]
        return Entity(self.id(number), node.type, node.name, node.space, node.scope)

    def trust(self, evidence: Iterable[Evidence]) -> Trust:
        """Return how far something may be relied on: as far as the least trusted of its sources."""
        return lowest(self.sources[one.source].trust for one in evidence)

    def citations(self, evidence: Iterable[Evidence]) -> tuple[Citation, ...]:
        """Return where sources say something, in order, each place once."""
        return tuple(sorted({self._citation(one) for one in evidence}))

    def _citation(self, one: Evidence) -> Citation:
        source = self.sources[one.source]
        return Citation(source.id, source.type, source.ref, one.line, one.rule)

    def tie(self, edge: Edge, text: str) -> Tie:
        """Return an edge as an answer holds it."""
        evidence = self.edges[edge]
        tail, head = self.entity(edge.tail), self.entity(edge.head)
        return Tie(tail, edge.relation, head, self.trust(evidence), text, self.citations(evidence))


def _abroad(owners: Owners, scope: str, relation: Relation, head: Ref) -> tuple[Relation, Ref | None]:
    """Return what a claim about a name that nobody here defines is about: a base class, or what the name is part of."""
    if relation is Relation.INHERITS:
        return relation, Ref(EntityType.CLASS, head.name)
    if relation in (Relation.CALLS, Relation.USES):
        return Relation.USES, owners.holder(scope, head)
    return relation, None
