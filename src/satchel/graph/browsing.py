"""What browsing the graph shows: its counts and sources, a page of entities, one entity."""

from bisect import bisect_right
from typing import TYPE_CHECKING

from satchel.core.service import page_size
from satchel.domain.arguments import count_values
from satchel.domain.graph import EntityType, GraphSource, own_word
from satchel.errors import InvalidRequest
from satchel.graph.values import EntityDetails, EntityList, GraphSourceRow, GraphSummary

if TYPE_CHECKING:
    from satchel.graph.resolved_graph import ResolvedGraph

MAX_RELATIONS = 50
SOURCES_SHOWN = 50


def summarize(graph: "ResolvedGraph") -> GraphSummary:
    """Count the entities and relations by type, and list the first sources."""
    sources = sorted(graph.sources.values(), key=lambda one: (one.scope, one.type, one.root, one.ref))
    return GraphSummary(
        len(graph.nodes),
        len(graph.edges),
        count_values(node.type for node in graph.nodes),
        count_values(edge.relation for edge in graph.edges),
        tuple(_source_row(one) for one in sources[:SOURCES_SHOWN]),
        max(0, len(sources) - SOURCES_SHOWN),
    )


def read_page(graph: "ResolvedGraph", type: EntityType | None, after: str | None, limit: int) -> EntityList:
    """Return a page of entities by type and name; `after` is the 'next' of the page before."""
    numbers = [number for number, node in enumerate(graph.nodes) if type is None or node.type is type]
    start = 0
    if after is not None:
        if after not in graph.ids:
            raise InvalidRequest(f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use 'next'")
        start = bisect_right(numbers, graph.ids[after])
    page = numbers[start : start + page_size(limit)]
    has_more = start + len(page) < len(numbers)
    following = graph.id(page[-1]) if page and has_more else None
    return EntityList(tuple(graph.entity(number) for number in page), len(numbers), following)


def describe_entity(graph: "ResolvedGraph", number: int, limit: int) -> EntityDetails:
    """Return an entity with its names, where it is mentioned, and its first relations."""
    edges = [*graph.outgoing.get(number, ()), *graph.incoming.get(number, ())]
    evidence = [one for _, one in graph.names[number]]
    return EntityDetails(
        graph.entity(number),
        tuple(sorted({name for name, _ in graph.names[number]}))[:MAX_RELATIONS],
        graph.trust(evidence),
        graph.citations(evidence)[:MAX_RELATIONS],
        tuple(graph.relation(edge) for edge in edges[:limit]),
        max(0, len(edges) - limit),
        tuple(sorted({word for one in evidence if (word := own_word(one.rule))}))[:MAX_RELATIONS],
    )


def _source_row(one: GraphSource) -> GraphSourceRow:
    return GraphSourceRow(one.id, one.type, one.ref, one.root, one.space, one.scope, one.trust, one.at)
