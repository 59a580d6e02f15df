"""Paths found in a graph exist and are shortest."""

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.graph import EntityMention, EntityRef, EntityType, GraphSource, GraphSourceType, RelationType
from satchel.graph.resolved_graph import GraphEdge, ResolvedGraph
from satchel.graph.traversal import MAX_HOPS, Direction, GraphTraversal
from satchel.ports.graph import GraphContents, GraphRevision, RelationRow

NODES = 9
_pairs = st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)).filter(lambda pair: pair[0] != pair[1])
_relations = st.lists(
    st.tuples(_pairs, st.sampled_from([RelationType.USES, RelationType.MENTIONS, RelationType.CALLS])), max_size=20
)


def _graph(relations: list[tuple[tuple[int, int], RelationType]]) -> ResolvedGraph:
    mentions = [
        (0, number, EntityMention(EntityRef(EntityType.TOOL, f"t{number}"), "r", 1, True)) for number in range(NODES)
    ]
    rows = [RelationRow(0, one, type.value, other, "r", 1) for (one, other), type in relations]
    return ResolvedGraph(
        GraphContents(GraphRevision(0, 0), {0: GraphSource("global", GraphSourceType.ADDED, "s")}, mentions, rows)
    )


def _distance(graph: ResolvedGraph, start: int, goal: int, directed: bool) -> int | None:
    """Return the distance of two nodes by breadth-first search."""
    frontier, distance = deque([start]), {start: 0}
    while frontier:
        node = frontier.popleft()
        nexts = [edge.head for edge in graph.edges if edge.tail == node]
        nexts += [] if directed else [edge.tail for edge in graph.edges if edge.head == node]
        for other in nexts:
            if other not in distance:
                distance[other] = distance[node] + 1
                frontier.append(other)
    return distance.get(goal)


def _end(start: int, path: list[GraphEdge]) -> int:
    for edge in path:
        assert start in (edge.tail, edge.head)
        start = edge.head if edge.tail == start else edge.tail
    return start


@given(relations=_relations, ends=_pairs, hops=st.integers(1, MAX_HOPS))
def test_a_path_is_found_if_there_is_one(
    relations: list[tuple[tuple[int, int], RelationType]], ends: tuple[int, int], hops: int
) -> None:
    graph = _graph(relations)
    start, goal = ends
    shortest = _distance(graph, start, goal, directed=False)
    found = GraphTraversal(graph).path_between([start], [goal], hops=hops)

    if shortest is None or shortest > hops:
        assert found is None
    else:
        assert found is not None and found[0] == start and _end(start, found[1]) == goal
        assert shortest <= len(found[1]) <= min(hops, shortest + 2)
        assert all(edge in graph.edges for edge in found[1])


@given(relations=_relations, ends=_pairs)
def test_a_directed_path_is_the_shortest_chain(
    relations: list[tuple[tuple[int, int], RelationType]], ends: tuple[int, int]
) -> None:
    graph = _graph(relations)
    start, goal = ends
    shortest = _distance(graph, start, goal, directed=True)
    found = GraphTraversal(graph).path_between([start], [goal], directed=True)

    assert (None if found is None else len(found[1])) == (shortest if shortest and shortest <= MAX_HOPS else None)


@given(relations=_relations, start=st.integers(0, NODES - 1), hops=st.integers(1, MAX_HOPS))
def test_paths_around_an_entity_reach_everything_within_the_hops_nearest_first(
    relations: list[tuple[tuple[int, int], RelationType]], start: int, hops: int
) -> None:
    graph = _graph(relations)
    paths = GraphTraversal(graph).paths_around(start, hops=hops, direction=Direction.BOTH)
    lengths = [len(path) for path in paths]
    expected = {
        node: distance
        for node in range(len(graph.nodes))
        if node != start
        and (distance := _distance(graph, start, node, directed=False)) is not None
        and distance <= hops
    }

    assert {_end(start, path): len(path) for path in paths} == expected
    assert lengths == sorted(lengths)


def test_look_alike_names_stay_separate_and_spellings_of_one_name_are_merged() -> None:
    names = ["Paypal", "PAYPAL", "Pаypal", "ß", "ss", "Ｐａｙｐａｌ"]
    mentions = [
        (0, number, EntityMention(EntityRef(EntityType.TOOL, name), "r", 1)) for number, name in enumerate(names)
    ]
    graph = ResolvedGraph(
        GraphContents(GraphRevision(0, 0), {0: GraphSource("global", GraphSourceType.ADDED, "s")}, mentions, [])
    )

    together = [{name for name, _ in graph.names[number]} for number in range(len(graph.nodes))]
    assert sorted(map(sorted, together)) == sorted([["PAYPAL", "Paypal", "Ｐａｙｐａｌ"], ["Pаypal"], ["ss"], ["ß"]])
