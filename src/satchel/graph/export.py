"""The graph as a text: Markdown to read, Mermaid to draw. No name can leave its place in either."""

import re
from collections.abc import Iterable

from satchel.domain.graph import shown
from satchel.domain.graph_answers import Citation, GraphExport
from satchel.graph.walking import Walks
from satchel.graph.web import Edge, Web
from satchel.graph.wording import SAID

# Every sign that means something in Markdown, a link or HTML.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>~&$^=-])")
_MERMAID = re.compile(r"[^\w .,/@+-]", re.ASCII)
_NAME_WIDTH = 80


def exported(walks: Walks, middle: int | None, format: str, hops: int, limit: int) -> GraphExport:
    """Write what is around an entity, or everything, up to so many relations."""
    web = walks.web
    edges = web.ordered[:limit] if middle is None else _around(walks, middle, hops)[:limit]
    nodes = sorted(
        {end for edge in edges for end in (edge.tail, edge.head)} | ({middle} if middle is not None else set())
    )
    lines = _mermaid(web, nodes, edges) if format == "mermaid" else _markdown(web, nodes, edges)
    return GraphExport(format, "\n".join(lines) + "\n", len(nodes), len(edges))


def _around(walks: Walks, middle: int, hops: int) -> list[Edge]:
    """Return the relations among what is around an entity, the nearest first."""
    found: dict[Edge, None] = {}
    for way in walks.around(middle, hops=hops):
        found.setdefault(way[-1])
    return list(found)


def _markdown(web: Web, nodes: Iterable[int], edges: Iterable[Edge]) -> Iterable[str]:
    leaving: dict[int, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.tail, []).append(edge)
    yield "# Entities and relations"
    for node in nodes:
        about = web.nodes[node]
        yield ""
        yield f"## {escaped(about.name)}"
        yield ""
        yield f"{about.type} · {web.id(node)}"
        if node in leaving:
            yield ""
        for edge in leaving.get(node, ()):
            where = _where(web.citations(web.edges[edge]))
            yield f"- {SAID[edge.relation]} {escaped(web.nodes[edge.head].name)} ({where}; {web.trust(web.edges[edge])})"


def _where(citations: tuple[Citation, ...]) -> str:
    first = citations[0]
    more = f" and {len(citations) - 1} more" if len(citations) > 1 else ""
    return f"{escaped(first.ref)}:{first.line}{more}"


def _mermaid(web: Web, nodes: Iterable[int], edges: Iterable[Edge]) -> Iterable[str]:
    yield "graph LR"
    for node in nodes:
        about = web.nodes[node]
        yield f'  {web.id(node)}["{_entities(about.name)}<br/>{about.type}"]'
    for edge in edges:
        yield f"  {web.id(edge.tail)} -->|{edge.relation}| {web.id(edge.head)}"


def escaped(name: str) -> str:
    """Return a name that means nothing in Markdown but itself."""
    return _MARKDOWN.sub(r"\\\1", shown(name, _NAME_WIDTH))


def _entities(name: str) -> str:
    """Return a name as Mermaid takes it between quotes: whatever is not plain is written by its number."""
    return _MERMAID.sub(lambda hit: f"#{ord(hit.group())};", shown(name, _NAME_WIDTH))
