"""Walking the web: what is around an entity, and how one leads to another."""

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from satchel.domain.graph import EntityType, Relation
from satchel.graph.web import Edge, Web

if TYPE_CHECKING:
    from rustworkx import PyDiGraph, PyGraph

MAX_HOPS = 5
# No walk looks at more than this, however dense the web is.
MAX_VISITED = 20_000

CHAIN_DETOUR = 2
# What it costs to go along a relation. A hop costs more than any difference between two, up to the most hops that are
# allowed: the shortest way is taken, and of two as short the one that says more.
_LOOSE = {Relation.MENTIONS: 0.15, Relation.RELATES_TO: 0.1, Relation.CONTAINS: 0.12, Relation.ALIAS_OF: 0.02}
# That two things are of one project says the least: any way between them of as many hops as allowed comes before it.
_SAME_PROJECT = 1.9
# Nor does it say much that two things use the same package from elsewhere.
_FOREIGN = 0.9
# That one package holds two modules says little more.
_SAME_PACKAGE = 0.5
_HUBS = frozenset({EntityType.PROJECT, EntityType.PACKAGE})


class Direction(StrEnum):
    """Which way relations are followed."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


class Walks:
    """A web as the graph library has it, made when it is first walked."""

    def __init__(self, web: Web) -> None:
        self.web = web

    def around(
        self,
        start: int,
        *,
        direction: Direction = Direction.BOTH,
        relations: Collection[Relation] = (),
        hops: int = 1,
    ) -> list[list[Edge]]:
        """Return the way to every entity within some hops, the nearest first, each by the first shortest way."""
        found: list[list[Edge]] = []
        seen, border = {start}, [(start, list[Edge]())]
        for _ in range(min(hops, MAX_HOPS)):
            following = []
            for node, way in border:
                # A project leads to everything in it, which says nothing of what is there.
                if node != start and self.web.nodes[node].type is EntityType.PROJECT:
                    continue
                for edge, other in self._steps(node, direction, relations):
                    if other not in seen and len(seen) < MAX_VISITED:
                        seen.add(other)
                        following.append((other, [*way, edge]))
            found += [way for _, way in following]
            border = following
        return found

    def beside(self, start: int, direction: Direction, relations: Collection[Relation] = ()) -> list[Edge]:
        """Return the relations of one entity, in order."""
        return [edge for edge, _ in self._steps(start, direction, relations)]

    def _steps(self, node: int, direction: Direction, relations: Collection[Relation]) -> Iterable[tuple[Edge, int]]:
        if direction is not Direction.IN:
            yield from (
                (edge, edge.head) for edge in self.web.out.get(node, ()) if not relations or edge.relation in relations
            )
        if direction is not Direction.OUT:
            yield from (
                (edge, edge.tail) for edge in self.web.into.get(node, ()) if not relations or edge.relation in relations
            )

    def between(
        self, starts: Sequence[int], goals: Sequence[int], *, hops: int = MAX_HOPS, directed: bool = False
    ) -> tuple[int, list[Edge]] | None:
        """Return the best way from one of some entities to one of others, and where it starts; None if there is none.

        A chain that follows its relations, in either direction, says more than two things that a third one knows: it
        is taken though it be a little longer. With `directed`, only a chain from start to goal counts.
        """
        pairs = [(start, goal) for start in starts for goal in goals if start != goal]
        if directed:
            return self._best([(start, self._chain(start, goal)) for start, goal in pairs], hops)
        plain = self._best([(start, self._way(start, goal)) for start, goal in pairs], hops)
        if plain is None or _is_chain(plain[1]):
            return plain
        ways = [(start, self._chain(start, goal)) for start, goal in pairs]
        turned = [(start, self._chain(goal, start)) for start, goal in pairs]
        chain = self._best([*ways, *((start, None if way is None else way[::-1]) for start, way in turned)], hops)
        return chain if chain is not None and len(chain[1]) <= len(plain[1]) + CHAIN_DETOUR else plain

    def _way(self, start: int, goal: int) -> list[Edge] | None:
        """Return the way between two entities that says the most, whichever way its relations point."""
        nodes: Sequence[int] = ()
        if not {self.web.nodes[start].type, self.web.nodes[goal].type} & _HUBS:
            # Most are connected without a project or a package between them; there any step is as good as another.
            nodes = _shortest(self._telling, start, goal)
        if not 1 < len(nodes) <= MAX_HOPS + 1:
            nodes = _shortest(self._whole, start, goal, costly=True)
        if len(nodes) > MAX_HOPS + 1:
            # What says the most is too long; a shorter way may say something.
            nodes = _shortest(self._whole, start, goal)
        return [self._joining(one, other, directed=False) for one, other in pairwise(nodes)] or None

    def _chain(self, start: int, goal: int) -> list[Edge] | None:
        """Return the shortest way that follows its relations."""
        nodes = _shortest(self._directed, start, goal)
        return [self._joining(one, other, directed=True) for one, other in pairwise(nodes)] or None

    def _joining(self, one: int, other: int, *, directed: bool) -> Edge:
        """Return the relation between two neighbours that says the most."""
        edges = [edge for edge in self.web.out.get(one, ()) if edge.head == other]
        if not directed:
            edges += [edge for edge in self.web.into.get(one, ()) if edge.tail == other]
        return min(edges, key=lambda edge: (self._cost(edge), edge))

    @cached_property
    def _whole(self) -> "PyGraph[None, float]":
        """Everything, whichever way relations point."""
        return self._undirected(self.web.ordered)

    @cached_property
    def _telling(self) -> "PyGraph[None, float]":
        """Everything but what leads through a project or a package from elsewhere."""
        return self._undirected(
            edge
            for edge in self.web.ordered
            if not ({self.web.nodes[edge.tail].type, self.web.nodes[edge.head].type} & _HUBS or self._is_packing(edge))
        )

    def _is_packing(self, edge: Edge) -> bool:
        """Say whether a relation is that of a package to a module in it."""
        types = (self.web.nodes[edge.tail].type, self.web.nodes[edge.head].type)
        return edge.relation is Relation.CONTAINS and types == (EntityType.MODULE, EntityType.MODULE)

    def _undirected(self, edges: Iterable[Edge]) -> "PyGraph[None, float]":
        from rustworkx import PyGraph

        graph: PyGraph[None, float] = PyGraph(multigraph=False)
        graph.add_nodes_from([None] * len(self.web.nodes))
        graph.add_edges_from(self._costs(edges, lambda edge: (min(edge.tail, edge.head), max(edge.tail, edge.head))))
        return graph

    @cached_property
    def _directed(self) -> "PyDiGraph[None, float]":
        from rustworkx import PyDiGraph

        graph: PyDiGraph[None, float] = PyDiGraph(multigraph=False)
        graph.add_nodes_from([None] * len(self.web.nodes))
        graph.add_edges_from(
            self._costs(
                (edge for edge in self.web.ordered if not self._is_packing(edge)), lambda edge: (edge.tail, edge.head)
            )
        )
        return graph

    def _costs(self, edges: Iterable[Edge], ends: Callable[[Edge], tuple[int, int]]) -> list[tuple[int, int, float]]:
        """Return what it costs to get from one entity to the next, by the cheapest relation between them."""
        costs: dict[tuple[int, int], float] = {}
        for edge in edges:
            cost, known = self._cost(edge), costs.get(ends(edge))
            costs[ends(edge)] = cost if known is None else min(cost, known)
        return [(one, other, cost) for (one, other), cost in costs.items()]

    def _best(self, ways: Iterable[tuple[int, list[Edge] | None]], hops: int) -> tuple[int, list[Edge]] | None:
        short = [(start, way) for start, way in ways if way is not None and len(way) <= min(hops, MAX_HOPS)]
        return min(short, key=lambda one: (sum(map(self._cost, one[1])), one), default=None)

    def _cost(self, edge: Edge) -> float:
        if edge.relation is Relation.CONTAINS and self.web.nodes[edge.tail].type is EntityType.PROJECT:
            return 1.0 + _SAME_PROJECT
        if self._is_packing(edge):
            return 1.0 + _SAME_PACKAGE
        foreign = self.web.nodes[edge.head].type is EntityType.PACKAGE
        return 1.0 + (_FOREIGN if foreign else 0.0) + _LOOSE.get(edge.relation, 0.0)


def _is_chain(way: Sequence[Edge]) -> bool:
    return all(one.head == other.tail for one, other in pairwise(way)) or all(
        one.tail == other.head for one, other in pairwise(way)
    )


def _shortest(
    graph: "PyGraph[None, float] | PyDiGraph[None, float]", start: int, goal: int, *, costly: bool = False
) -> Sequence[int]:
    """Return the nodes of the shortest way, or with `costly` of the cheapest; none if there is no way."""
    from rustworkx import dijkstra_shortest_paths

    found = dijkstra_shortest_paths(graph, start, target=goal, weight_fn=float if costly else None)
    return found[goal] if goal in found else ()  # noqa: SIM401  it is no dict, and has no get
