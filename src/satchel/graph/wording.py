"""Relations and paths in words."""

from collections.abc import Sequence

from satchel.domain.graph import EntityType, Relation, shown
from satchel.domain.graph_answers import Path
from satchel.domain.trust import lowest
from satchel.graph.web import Edge, Node, Web

SAID = {
    Relation.USES: "uses",
    Relation.BLOCKED_BY: "is blocked by",
    Relation.RELATES_TO: "relates to",
    Relation.EVALUATES: "evaluates",
    Relation.DECIDES: "decided",
    Relation.MENTIONS: "mentions",
    Relation.DEPENDS_ON: "depends on",
    Relation.IMPORTS: "imports",
    Relation.CALLS: "calls",
    Relation.INHERITS: "inherits from",
    Relation.CONTAINS: "contains",
    Relation.REPLACES: "replaces",
    Relation.OWNS: "owns",
    Relation.ALIAS_OF: "is another name of",
}


def named(node: Node) -> str:
    """Return an entity as a sentence names it."""
    name = shown(node.name)
    return f"the decision “{name}”" if node.type is EntityType.DECISION else name


def told(web: Web, edge: Edge) -> str:
    """Return a relation as a sentence."""
    return f"{named(web.nodes[edge.tail])} {SAID[edge.relation]} {named(web.nodes[edge.head])}"


def path_of(web: Web, start: int, edges: Sequence[Edge]) -> Path:
    """Return a way through the web: its entities, its relations, and both in words."""
    steps, arrows = [start], shown(web.nodes[start].name)
    for edge in edges:
        forward = edge.tail == steps[-1]
        steps.append(edge.head if forward else edge.tail)
        arrow = f"-{edge.relation}->" if forward else f"<-{edge.relation}-"
        arrows += f" {arrow} {shown(web.nodes[steps[-1]].name)}"
    ties = tuple(web.tie(edge, told(web, edge)) for edge in edges)
    evidence = [one for edge in edges for one in web.edges[edge]] or [one for _, one in web.names[start]]
    return Path(
        entities=tuple(web.entity(step) for step in steps),
        ties=ties,
        hops=len(edges),
        text="; ".join(tie.text for tie in ties),
        arrows=arrows,
        trust=lowest(tie.trust for tie in ties) if ties else web.trust(evidence),
    )
