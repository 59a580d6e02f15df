"""Exports the graph as Markdown or Mermaid, with all names escaped, and secrets masked before that."""

import re
from collections.abc import Iterable

from satchel.domain.graph import display_name
from satchel.domain.graph_answers import Citation
from satchel.domain.safety.redact import mask
from satchel.graph.resolved_graph import GraphEdge, ResolvedGraph
from satchel.graph.traversal import GraphTraversal
from satchel.graph.values import GraphExport

# Characters with a meaning in Markdown, links or HTML.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>~&$^=-])")
_MERMAID = re.compile(r"[^\w .,/@+-]", re.ASCII)
_NAME_WIDTH = 80


def export_graph(traversal: GraphTraversal, center: int | None, format: str, hops: int, limit: int) -> GraphExport:
    """Write the relations around an entity, or all relations, up to a limit."""
    graph = traversal.graph
    if center is None:
        edges = graph.ordered[:limit]
    else:
        # The last edge of each path, the nearest first.
        edges = list(dict.fromkeys(path[-1] for path in traversal.paths_around(center, hops=hops)))[:limit]
    nodes = {end for edge in edges for end in (edge.tail, edge.head)} | ({center} if center is not None else set())
    lines = (_mermaid if format == "mermaid" else _markdown)(graph, sorted(nodes), edges)
    return GraphExport(format, "\n".join(lines) + "\n", len(nodes), len(edges))


def _markdown(graph: ResolvedGraph, nodes: Iterable[int], edges: Iterable[GraphEdge]) -> Iterable[str]:
    outgoing: dict[int, list[GraphEdge]] = {}
    for edge in edges:
        outgoing.setdefault(edge.tail, []).append(edge)
    yield "# Entities and relations"
    for number in nodes:
        node = graph.nodes[number]
        yield ""
        yield f"## {_escape_markdown(node.name)}"
        yield ""
        yield f"{node.type} · {graph.id(number)}"
        if number in outgoing:
            yield ""
        for edge in outgoing.get(number, ()):
            head = _escape_markdown(graph.nodes[edge.head].name)
            evidence = graph.edges[edge]
            places = _places(graph.citations(evidence))
            words = _escape_markdown(edge.words) if edge.label else edge.words
            yield f"- {words} {head} ({places}; {graph.trust(evidence)})"


def _places(citations: tuple[Citation, ...]) -> str:
    first = citations[0]
    more = f" and {len(citations) - 1} more" if len(citations) > 1 else ""
    line = f":{first.line}" if first.line else ""
    return f"{_escape_markdown(first.ref)}{line}{more}"


def _mermaid(graph: ResolvedGraph, nodes: Iterable[int], edges: Iterable[GraphEdge]) -> Iterable[str]:
    yield "graph LR"
    for number in nodes:
        node = graph.nodes[number]
        yield f'  {graph.id(number)}["{_escape_mermaid(node.name)}<br/>{node.type}"]'
    for edge in edges:
        name = f'"{_escape_mermaid(edge.label)}"' if edge.label else edge.relation
        yield f"  {graph.id(edge.tail)} -->|{name}| {graph.id(edge.head)}"


def _escape_markdown(name: str) -> str:
    return _MARKDOWN.sub(r"\\\1", display_name(mask(name), _NAME_WIDTH))


def _escape_mermaid(name: str) -> str:
    """Return a name for a quoted Mermaid label, with special characters as numeric entities."""
    return _MERMAID.sub(lambda hit: f"#{ord(hit.group())};", display_name(mask(name), _NAME_WIDTH))
