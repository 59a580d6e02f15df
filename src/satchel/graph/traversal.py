"""Finds the neighbors of an entity, and paths between entities."""

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from satchel.domain.graph import EntityType, RelationType
from satchel.graph.resolved_graph import GraphEdge, ResolvedGraph

if TYPE_CHECKING:
    from rustworkx import PyDiGraph, PyGraph

MAX_HOPS = 5
# Maximum number of entities visited in one search.
MAX_VISITED = 20_000

# How many hops longer than the shortest path a chain may be.
CHAIN_DETOUR = 2
# Extra cost of weak relations. A hop costs 1, more than all extra costs of a path: the shortest path wins, and of two
# equally short ones the more informative.
_EXTRA_COST = {
    RelationType.MENTIONS: 0.15,
    RelationType.RELATES_TO: 0.1,
    RelationType.CONTAINS: 0.12,
    RelationType.ALIAS_OF: 0.02,
}
# Belonging to the same project is the weakest connection.
_SAME_PROJECT = 1.9
# Using the same external package, and being in the same package, are weak connections too.
_EXTERNAL_PACKAGE = 0.9
_SAME_PACKAGE = 0.5
_HUBS = frozenset({EntityType.PROJECT, EntityType.PACKAGE})


class Direction(StrEnum):
    """The direction in which relations are followed."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


class GraphTraversal:
    """Searches a graph. The library's representations are built on first use."""

    def __init__(self, graph: ResolvedGraph) -> None:
        self.graph = graph

    def paths_around(
        self,
        start: int,
        *,
        direction: Direction = Direction.BOTH,
        relations: Collection[RelationType] = (),
        hops: int = 1,
    ) -> list[list[GraphEdge]]:
        """Return a shortest path to every entity within some hops, the nearest first."""
        found: list[list[GraphEdge]] = []
        seen, frontier = {start}, [(start, list[GraphEdge]())]
        for _ in range(min(hops, MAX_HOPS)):
            next_frontier = []
            for node, path in frontier:
                # A project connects everything in it, so paths through it mean little.
                if node != start and self.graph.nodes[node].type is EntityType.PROJECT:
                    continue
                for edge, other in self._neighbors(node, direction, relations):
                    if other not in seen and len(seen) < MAX_VISITED:
                        seen.add(other)
                        next_frontier.append((other, [*path, edge]))
            found += [path for _, path in next_frontier]
            frontier = next_frontier
        return found

    def edges_of(self, start: int, direction: Direction, relations: Collection[RelationType] = ()) -> list[GraphEdge]:
        """Return the relations of one entity, sorted."""
        return [edge for edge, _ in self._neighbors(start, direction, relations)]

    def _neighbors(
        self, node: int, direction: Direction, relations: Collection[RelationType]
    ) -> Iterable[tuple[GraphEdge, int]]:
        if direction is not Direction.IN:
            edges = self.graph.outgoing.get(node, ())
            yield from ((edge, edge.head) for edge in edges if not relations or edge.relation in relations)
        if direction is not Direction.OUT:
            edges = self.graph.incoming.get(node, ())
            yield from ((edge, edge.tail) for edge in edges if not relations or edge.relation in relations)

    def path_between(
        self, starts: Sequence[int], goals: Sequence[int], *, hops: int = MAX_HOPS, directed: bool = False
    ) -> tuple[int, list[GraphEdge]] | None:
        """Return the best path from one of the starts to one of the goals, with its start; None if there is none.

        A chain, whose relations all point in one direction, is preferred even if it is up to CHAIN_DETOUR hops longer. With
        `directed`, only a chain from start to goal counts.
        """
        pairs = [(start, goal) for start in starts for goal in goals if start != goal]
        if directed:
            return self._best([(start, self._chain(start, goal)) for start, goal in pairs], hops)
        plain = self._best([(start, self._path(start, goal)) for start, goal in pairs], hops)
        if plain is None or _is_chain(plain[1]):
            return plain
        forward = [(start, self._chain(start, goal)) for start, goal in pairs]
        backward = [(start, self._chain(goal, start)) for start, goal in pairs]
        chain = self._best([*forward, *((start, path and path[::-1]) for start, path in backward)], hops)
        return chain if chain is not None and len(chain[1]) <= len(plain[1]) + CHAIN_DETOUR else plain

    def _path(self, start: int, goal: int) -> list[GraphEdge] | None:
        """Return the most informative path between two entities, ignoring directions."""
        nodes: Sequence[int] = ()
        if not {self.graph.nodes[start].type, self.graph.nodes[goal].type} & _HUBS:
            # Most pairs are connected without projects and packages in between; there all hops cost the same.
            nodes = _shortest(self._undirected_informative, start, goal)
        if not 1 < len(nodes) <= MAX_HOPS + 1:
            nodes = _shortest(self._undirected_all, start, goal, weighted=True)
        if len(nodes) > MAX_HOPS + 1:
            # The most informative path is too long; try the shortest.
            nodes = _shortest(self._undirected_all, start, goal)
        return [self._best_relation(one, other, directed=False) for one, other in pairwise(nodes)] or None

    def _chain(self, start: int, goal: int) -> list[GraphEdge] | None:
        """Return the shortest path along the relations."""
        nodes = _shortest(self._directed, start, goal)
        return [self._best_relation(one, other, directed=True) for one, other in pairwise(nodes)] or None

    def _best_relation(self, one: int, other: int, *, directed: bool) -> GraphEdge:
        """Return the most informative relation between two neighbors."""
        edges = [edge for edge in self.graph.outgoing.get(one, ()) if edge.head == other]
        if not directed:
            edges += [edge for edge in self.graph.incoming.get(one, ()) if edge.tail == other]
        return min(edges, key=lambda edge: (self._cost(edge), edge))

    @cached_property
    def _undirected_all(self) -> "PyGraph[None, float]":
        """All relations, undirected."""
        return self._undirected(self.graph.ordered)

    @cached_property
    def _undirected_informative(self) -> "PyGraph[None, float]":
        """The relations that do not lead through projects or packages, undirected."""
        nodes = self.graph.nodes
        return self._undirected(
            edge
            for edge in self.graph.ordered
            if not ({nodes[edge.tail].type, nodes[edge.head].type} & _HUBS or self._is_package_content(edge))
        )

    def _is_package_content(self, edge: GraphEdge) -> bool:
        """Return whether a relation is that of a package to one of its modules."""
        types = (self.graph.nodes[edge.tail].type, self.graph.nodes[edge.head].type)
        return edge.relation is RelationType.CONTAINS and types == (EntityType.MODULE, EntityType.MODULE)

    def _undirected(self, edges: Iterable[GraphEdge]) -> "PyGraph[None, float]":
        from rustworkx import PyGraph

        graph: PyGraph[None, float] = PyGraph(multigraph=False)
        graph.add_nodes_from([None] * len(self.graph.nodes))
        graph.add_edges_from(self._costs(edges, lambda edge: (min(edge.tail, edge.head), max(edge.tail, edge.head))))
        return graph

    @cached_property
    def _directed(self) -> "PyDiGraph[None, float]":
        from rustworkx import PyDiGraph

        graph: PyDiGraph[None, float] = PyDiGraph(multigraph=False)
        graph.add_nodes_from([None] * len(self.graph.nodes))
        edges = (edge for edge in self.graph.ordered if not self._is_package_content(edge))
        graph.add_edges_from(self._costs(edges, lambda edge: (edge.tail, edge.head)))
        return graph

    def _costs(
        self, edges: Iterable[GraphEdge], ends: Callable[[GraphEdge], tuple[int, int]]
    ) -> list[tuple[int, int, float]]:
        """Return the cost of the cheapest relation between each two neighbors."""
        costs: dict[tuple[int, int], float] = {}
        for edge in edges:
            cost, best = self._cost(edge), costs.get(ends(edge))
            costs[ends(edge)] = cost if best is None else min(cost, best)
        return [(one, other, cost) for (one, other), cost in costs.items()]

    def _best(
        self, paths: Iterable[tuple[int, list[GraphEdge] | None]], hops: int
    ) -> tuple[int, list[GraphEdge]] | None:
        short = [(start, path) for start, path in paths if path is not None and len(path) <= min(hops, MAX_HOPS)]
        return min(short, key=lambda one: (sum(map(self._cost, one[1])), one), default=None)

    def _cost(self, edge: GraphEdge) -> float:
        if edge.relation is RelationType.CONTAINS and self.graph.nodes[edge.tail].type is EntityType.PROJECT:
            return 1.0 + _SAME_PROJECT
        if self._is_package_content(edge):
            return 1.0 + _SAME_PACKAGE
        is_external = self.graph.nodes[edge.head].type is EntityType.PACKAGE
        return 1.0 + (_EXTERNAL_PACKAGE if is_external else 0.0) + _EXTRA_COST.get(edge.relation, 0.0)


def _is_chain(path: Sequence[GraphEdge]) -> bool:
    return all(one.head == other.tail for one, other in pairwise(path)) or all(
        one.tail == other.head for one, other in pairwise(path)
    )


def _shortest(
    graph: "PyGraph[None, float] | PyDiGraph[None, float]", start: int, goal: int, *, weighted: bool = False
) -> Sequence[int]:
    """Return the nodes of the shortest path, or with `weighted` of the cheapest; empty if there is none."""
    from rustworkx import dijkstra_shortest_paths

    found = dijkstra_shortest_paths(graph, start, target=goal, weight_fn=float if weighted else None)
    return found[goal] if goal in found else ()  # noqa: SIM401  not a dict: it has no get
