"""Ways through the web are real, and as short as any."""

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.graph import EntityType, Ref, Relation, Sighting, Source, SourceType
from satchel.graph.walking import MAX_HOPS, Direction, Walks
from satchel.graph.web import Edge, Web
from satchel.ports.graph import ClaimRow, Contents, Edition

NODES = 9
_pairs = st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)).filter(lambda pair: pair[0] != pair[1])
_claims = st.lists(st.tuples(_pairs, st.sampled_from([Relation.USES, Relation.MENTIONS, Relation.CALLS])), max_size=20)


def _web(claims: list[tuple[tuple[int, int], Relation]]) -> Web:
    sights = [(0, number, Sighting(Ref(EntityType.TOOL, f"t{number}"), "r", 1, True)) for number in range(NODES)]
    rows = [ClaimRow(0, one, relation.value, other, "r", 1) for (one, other), relation in claims]
    return Web(Contents(Edition(0, 0), {0: Source("global", SourceType.ADDED, "s")}, sights, rows))


def _distance(web: Web, start: int, goal: int, directed: bool) -> int | None:
    """Return how many steps there are between two nodes, by looking at everything."""
    border, far = deque([start]), {start: 0}
    while border:
        node = border.popleft()
        nexts = [edge.head for edge in web.edges if edge.tail == node]
        nexts += [] if directed else [edge.tail for edge in web.edges if edge.head == node]
        for other in nexts:
            if other not in far:
                far[other] = far[node] + 1
                border.append(other)
    return far.get(goal)


def _end(start: int, way: list[Edge]) -> int:
    for edge in way:
        assert start in (edge.tail, edge.head)
        start = edge.head if edge.tail == start else edge.tail
    return start


@given(claims=_claims, ends=_pairs, hops=st.integers(1, MAX_HOPS))
def test_a_way_is_found_where_there_is_one_and_leads_there(
    claims: list[tuple[tuple[int, int], Relation]], ends: tuple[int, int], hops: int
) -> None:
    web = _web(claims)
    start, goal = ends
    shortest = _distance(web, start, goal, directed=False)
    found = Walks(web).between([start], [goal], hops=hops)

    if shortest is None or shortest > hops:
        assert found is None
    else:
        assert found is not None and found[0] == start and _end(start, found[1]) == goal
        assert shortest <= len(found[1]) <= min(hops, shortest + 2)
        assert all(edge in web.edges for edge in found[1])


@given(claims=_claims, ends=_pairs)
def test_a_directed_way_is_the_shortest_chain(
    claims: list[tuple[tuple[int, int], Relation]], ends: tuple[int, int]
) -> None:
    web = _web(claims)
    start, goal = ends
    shortest = _distance(web, start, goal, directed=True)
    found = Walks(web).between([start], [goal], directed=True)

    assert (None if found is None else len(found[1])) == (shortest if shortest and shortest <= MAX_HOPS else None)


@given(claims=_claims, start=st.integers(0, NODES - 1), hops=st.integers(1, MAX_HOPS))
def test_what_is_around_is_everything_within_reach_nearest_first(
    claims: list[tuple[tuple[int, int], Relation]], start: int, hops: int
) -> None:
    web = _web(claims)
    ways = Walks(web).around(start, hops=hops, direction=Direction.BOTH)
    lengths = [len(way) for way in ways]
    expected = {
        node: far
        for node in range(len(web.nodes))
        if node != start and (far := _distance(web, start, node, directed=False)) is not None and far <= hops
    }

    assert {_end(start, way): len(way) for way in ways} == expected
    assert lengths == sorted(lengths)


def test_names_alike_to_the_eye_are_two_and_spellings_of_one_are_one() -> None:
    names = ["Paypal", "PAYPAL", "Pаypal", "ß", "ss", "Ｐａｙｐａｌ"]
    sights = [(0, number, Sighting(Ref(EntityType.TOOL, name), "r", 1)) for number, name in enumerate(names)]
    web = Web(Contents(Edition(0, 0), {0: Source("global", SourceType.ADDED, "s")}, sights, []))

    together = [{name for name, _ in web.names[number]} for number in range(len(web.nodes))]
    assert sorted(map(sorted, together)) == sorted([["PAYPAL", "Paypal", "Ｐａｙｐａｌ"], ["Pаypal"], ["ss"], ["ß"]])
