"""The graph of one view with every name resolved, and its relations and paths in words."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import NamedTuple

from satchel.domain.graph import (
    EntityRef,
    EntityType,
    GraphSourceType,
    RelationType,
    display_name,
    entity_key,
    fold_name,
    own_word,
    stable_id,
)
from satchel.domain.graph_answers import A_PERSON, Citation, CitedRelation, Entity, GraphPath
from satchel.domain.record import Trust
from satchel.domain.trust import lowest_trust
from satchel.graph.resolution import NAMING_RULES, NameResolver
from satchel.ports.graph import GraphContents

RELATION_WORDS = {
    RelationType.USES: "uses",
    RelationType.BLOCKED_BY: "is blocked by",
    RelationType.RELATES_TO: "relates to",
    RelationType.EVALUATES: "evaluates",
    RelationType.DECIDES: "decided",
    RelationType.MENTIONS: "mentions",
    RelationType.DEPENDS_ON: "depends on",
    RelationType.IMPORTS: "imports",
    RelationType.CALLS: "calls",
    RelationType.INHERITS: "inherits from",
    RelationType.CONTAINS: "contains",
    RelationType.REPLACES: "replaces",
    RelationType.OWNS: "owns",
    RelationType.ALIAS_OF: "is another name of",
}


class Node(NamedTuple):
    """An entity: its identity, and its name as sources write it."""

    scope: str
    type: EntityType
    space: str
    key: str
    name: str


class GraphEdge(NamedTuple):
    """A relation between two nodes, by their numbers."""

    tail: int
    relation: RelationType
    head: int
    label: str = ""
    """The relation as its source calls it, if that is none of the types."""

    @property
    def words(self) -> str:
        """The relation in a sentence."""
        return display_name(self.label.replace("_", " ")) if self.label else RELATION_WORDS[self.relation]


class GraphEvidence(NamedTuple):
    """The place that states an entity or a relation."""

    source: int
    line: int
    rule: str


_Identity = tuple[str, EntityType, str, str]
_Mentions = list[tuple[_Identity, str, GraphEvidence]]
_Relations = list[tuple[_Identity, RelationType, _Identity, GraphEvidence]]
_RELATIONS = {one.value: one for one in RelationType}


class _Spellings:
    """The name of each entity: as its definition writes it, else the first spelling in order."""

    def __init__(self) -> None:
        self.best: dict[_Identity, tuple[bool, str]] = {}
        self._identities: dict[tuple[str, EntityRef], _Identity] = {}

    def add(self, scope: str, ref: EntityRef, *, defining: bool) -> _Identity:
        identity = self._identities.get((scope, ref))
        if identity is None:
            identity = self._identities[scope, ref] = (scope, ref.type, ref.space, entity_key(ref))
        spelling = (not defining, ref.name)
        known = self.best.get(identity)
        self.best[identity] = spelling if known is None or spelling < known else known
        return identity


class ResolvedGraph:
    """All entities and relations of one view, with the sources that state them."""

    def __init__(self, contents: GraphContents) -> None:
        self.edition = contents.edition
        self.sources = contents.sources
        self.nodes: list[Node] = []
        self.names: dict[int, list[tuple[str, GraphEvidence]]] = defaultdict(list)
        """By node, each name that a source gives it, and where."""
        self.edges: dict[GraphEdge, list[GraphEvidence]] = defaultdict(list)
        self._people: tuple[set[_Identity], set[_Identity]] = set(), set()
        """Whom trusted sources state to be people, and which people they name without saying that."""
        self._build(contents, NameResolver(contents))

    def _build(self, contents: GraphContents, resolver: NameResolver) -> None:
        mentions: _Mentions = []
        spellings = _Spellings()
        placed: dict[tuple[int, int], tuple[EntityRef, _Identity | None]] = {}
        for source, number, one in contents.mentions:
            scope = self.sources[source].scope
            entity = resolver.resolve(scope, one.ref)
            identity = None if entity is None else spellings.add(scope, entity, defining=one.defining)
            placed[source, number] = (one.ref, identity)
            if identity is not None:
                mentions.append((identity, one.ref.name, GraphEvidence(source, one.line, one.rule)))
                if entity is not None and entity.type is EntityType.PERSON:
                    self._note_person(identity, self.sources[source].trust, one.ref.type)
        relations: _Relations = []
        for row in contents.relations:
            (tail_ref, tail), (head_ref, head) = placed[row.source, row.tail], placed[row.source, row.head]
            relation = _RELATIONS[row.relation]
            is_re_export = relation is RelationType.ALIAS_OF and tail_ref.type is EntityType.NAME
            if row.rule in NAMING_RULES or tail is None or is_re_export:
                continue
            scope, evidence = self.sources[row.source].scope, GraphEvidence(row.source, row.line, row.rule)
            if head is None and head_ref.type is EntityType.NAME:
                relation, entity = _external_head(resolver, scope, relation, head_ref)
                if entity is not None:
                    head = spellings.add(scope, entity, defining=False)
                    mentions.append((head, entity.name, evidence))
            if head is not None:
                relations.append((tail, relation, head, evidence))
        self._number(spellings.best, mentions, relations)

    def _note_person(self, identity: _Identity, trust: Trust, called: EntityType) -> None:
        if trust is Trust.TRUSTED:
            stated, named = self._people
            (stated if called is EntityType.PERSON else named).add(identity)

    def _number(self, names: dict[_Identity, tuple[bool, str]], mentions: _Mentions, relations: _Relations) -> None:
        """Number the nodes in the order of their identities, so that a rebuild gives the same numbers."""
        numbers = {identity: number for number, identity in enumerate(sorted(names))}
        self.nodes = [Node(*identity, names[identity][1]) for identity in numbers]
        for identity, name, evidence in mentions:
            self.names[numbers[identity]].append((name, evidence))
        for tail, relation, head, evidence in relations:
            if tail != head:
                edge = GraphEdge(numbers[tail], relation, numbers[head], own_word(evidence.rule))
                self.edges[edge].append(evidence)

    @cached_property
    def ordered(self) -> list[GraphEdge]:
        """The edges, sorted."""
        return sorted(self.edges)

    @cached_property
    def outgoing(self) -> dict[int, list[GraphEdge]]:
        """The sorted edges that leave each node."""
        found: dict[int, list[GraphEdge]] = defaultdict(list)
        for edge in self.ordered:
            found[edge.tail].append(edge)
        return found

    @cached_property
    def incoming(self) -> dict[int, list[GraphEdge]]:
        """The sorted edges that reach each node."""
        found: dict[int, list[GraphEdge]] = defaultdict(list)
        for edge in self.ordered:
            found[edge.head].append(edge)
        return found

    @cached_property
    def ids(self) -> dict[str, int]:
        """Node numbers by entity id."""
        return {self.id(number): number for number in range(len(self.nodes))}

    @cached_property
    def without_people(self) -> "ResolvedGraph":
        """The same graph for those who may not know who the people are. Ids and numbers stay the same."""
        hidden = {number for number, node in enumerate(self.nodes) if self._is_hidden(node)}
        if not hidden:
            return self
        other = copy(self)
        other.nodes = [
            node._replace(name=A_PERSON) if number in hidden else node for number, node in enumerate(self.nodes)
        ]
        other.names = defaultdict(list, self.names)
        for number in hidden:
            other.names[number] = [(A_PERSON, evidence) for _, evidence in self.names[number]]
        return other

    def _is_hidden(self, node: Node) -> bool:
        """Return whether a node is a person. That an untrusted source says so hides no name which trusted ones use."""
        stated, named = self._people
        return node.type is EntityType.PERSON and (node[:-1] in stated or node[:-1] not in named)

    @cached_property
    def known_people(self) -> frozenset[str]:
        """The folded names that trusted sources give people, and nothing else that they name."""
        stated, _ = self._people
        people, others = set[str](), set[str]()
        for number, node in enumerate(self.nodes if stated else ()):
            names = {fold_name(name) for name in (node.name, *(one for one, _ in self.names[number]))}
            if node[:-1] in stated:
                people |= names
            elif (
                node.type is not EntityType.PERSON and self.trust(one for _, one in self.names[number]) is Trust.TRUSTED
            ):
                others |= names
        return frozenset(people - others)

    def id(self, number: int) -> str:
        """Return the entity id of a node, which is the same on every rebuild."""
        node = self.nodes[number]
        return stable_id("ent", node.scope, node.type, node.space, node.key)

    def entity(self, number: int) -> Entity:
        """Return a node as an entity."""
        node = self.nodes[number]
        return Entity(self.id(number), node.type, node.name, node.space, node.scope)

    def trust(self, evidence: Iterable[GraphEvidence]) -> Trust:
        """Return the trust of the least trusted source."""
        return lowest_trust(self.sources[one.source].trust for one in evidence)

    def citations(self, evidence: Iterable[GraphEvidence]) -> tuple[Citation, ...]:
        """Return the cited places, sorted, without duplicates."""
        return tuple(sorted({self._citation(one) for one in evidence}))

    def _citation(self, one: GraphEvidence) -> Citation:
        source = self.sources[one.source]
        is_imported = source.type is GraphSourceType.ADDED and source.root
        return Citation(source.id, source.type, source.root if is_imported else source.ref, one.line, one.rule)

    def relation(self, edge: GraphEdge) -> CitedRelation:
        """Return an edge as a sentence with its citations."""
        evidence = self.edges[edge]
        text = f"{self._noun(edge.tail)} {edge.words} {self._noun(edge.head)}"
        tail, head = self.entity(edge.tail), self.entity(edge.head)
        return CitedRelation(
            tail, edge.relation, head, self.trust(evidence), text, self.citations(evidence), edge.label
        )

    def _noun(self, number: int) -> str:
        node = self.nodes[number]
        name = display_name(node.name)
        return f"the decision “{name}”" if node.type is EntityType.DECISION else name

    def path(self, start: int, edges: Sequence[GraphEdge]) -> GraphPath:
        """Return a path as entities and relations, in words and with arrows."""
        steps, arrows = [start], display_name(self.nodes[start].name)
        for edge in edges:
            forward = edge.tail == steps[-1]
            steps.append(edge.head if forward else edge.tail)
            name = display_name(edge.label) or edge.relation
            arrow = f"-{name}->" if forward else f"<-{name}-"
            arrows += f" {arrow} {display_name(self.nodes[steps[-1]].name)}"
        relations = tuple(map(self.relation, edges))
        return GraphPath(
            entities=tuple(map(self.entity, steps)),
            ties=relations,
            hops=len(edges),
            text="; ".join(one.text for one in relations),
            arrows=arrows,
            trust=lowest_trust(one.trust for one in relations)
            if relations
            else self.trust(evidence for _, evidence in self.names[start]),
        )


def _external_head(
    resolver: NameResolver, scope: str, relation: RelationType, head: EntityRef
) -> tuple[RelationType, EntityRef | None]:
    """Return the head of a relation to a name that no source defines: an external base class, or its container."""
    if relation is RelationType.INHERITS:
        return relation, EntityRef(EntityType.CLASS, head.name)
    if relation in (RelationType.CALLS, RelationType.USES):
        return RelationType.USES, resolver.container(scope, head)
    return relation, None
