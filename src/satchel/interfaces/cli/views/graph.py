"""Views of the entity graph."""

from collections.abc import Iterable

from satchel.domain.graph import GraphSourceType, display_name
from satchel.domain.graph_answers import Citation, Entity, GraphPath
from satchel.graph import values
from satchel.interfaces.cli.views.lines import Lines, Views, count


def _extracted(result: values.Extracted) -> Lines:
    what = f"{count(result.read, 'source')} read"
    yield f"{what}: {count(result.entities, 'entity')} named, {count(result.relations, 'relation')}", "green"
    yield f"  {result.unchanged} unchanged, {result.removed} removed, {result.skipped} skipped", "dim"
    for one in result.left_out[:10]:
        yield f"  skipped {display_name(one.ref)}: {one.reason}", "yellow"


def _asked(result: values.GraphAnswers) -> Lines:
    for answer in result.answers:
        yield f"{answer.text}", ""
        yield f"  {answer.relevance:.2f} · {answer.trust} · {_places(answer.citations)}", "dim"
    if not result.named:
        yield "the question names no known entity", "dim"
    elif not result.answers:
        yield "nothing known about that", "dim"
    yield from _more(result.more)


def _shown(result: values.EntityDetails) -> Lines:
    own = f" ({', '.join(map(display_name, result.own_types))})" if result.own_types else ""
    yield f"{_entity(result.entity)}{own}", "bold"
    yield f"  {result.entity.id} · {result.trust} · {_places(result.seen)}", "dim"
    for tie in result.ties:
        yield f"  {tie.text}", ""
        yield f"    {tie.trust} · {_places(tie.citations)}", "dim"
    yield from _more(result.more)


def _neighbors(result: values.Neighbors) -> Lines:
    yield _entity(result.entity), "bold"
    for one in result.neighbors:
        yield f"  {_entity(one.entity)}", ""
        yield f"    {one.path.text}", "dim"
    if not result.neighbors:
        yield "  no connections", "dim"
    yield from _more(result.more)


def _path(result: values.PathFound) -> Lines:
    if result.path is None:
        ends = f"{display_name(result.start.name)} and {display_name(result.goal.name)}"
        yield f"no path between {ends} within {count(result.max_hops, 'step')}", "yellow"
        return
    yield result.path.arrows, "bold"
    yield from _steps(result.path)


def _steps(path: GraphPath) -> Lines:
    for tie in path.ties:
        yield f"  {tie.text}", ""
        yield f"    {tie.trust} · {_places(tie.citations)}", "dim"


def _matched(result: values.ProjectMatches) -> Lines:
    for one in result.recommendations:
        yield f"{one.score:.2f}  {display_name(one.project.name)}", "bold"
        for path in one.paths:
            yield f"  because {path.text or 'the text names it'}", ""
    if not result.named:
        yield "the question names no known entity", "dim"
    elif not result.recommendations:
        yield "no matching project", "dim"


def _listed(result: values.EntityList) -> Lines:
    for entity in result.entities:
        yield f"{entity.id}  {_entity(entity)}", ""
    yield f"{len(result.entities)} of {result.total}", "dim"
    if result.next:
        yield f"more: --after {result.next}", "dim"


def _summary(result: values.GraphSummary) -> Lines:
    yield f"{count(result.entities, 'entity')}, {count(result.relations, 'relation')}", "bold"
    for counts in (result.by_type, result.by_relation):
        if counts:
            yield f"  {', '.join(f'{number} {name}' for name, number in counts.items())}", ""
    for source in result.sources:
        where = f"{source.project}/" if source.project else f"{source.type} "
        ref = source.root if source.type is GraphSourceType.ADDED and source.root else source.ref
        yield f"  {source.id}  {display_name(where + ref)} · {source.trust}", "dim"
    yield from _more(result.more_sources)


def _export(result: values.GraphExport) -> Lines:
    for line in result.text.splitlines():
        yield line, ""


def _added(result: values.RelationAdded) -> Lines:
    yield f"stated: {display_name(result.tail)} {result.relation} {display_name(result.head)}", "green"
    yield f"  {result.source} · {result.trust}", "dim"


def _forgotten(result: values.GraphForgotten) -> Lines:
    what = f"{count(result.sightings, 'mention')} and {count(result.claims, 'relation')}"
    yield f"forgot {count(len(result.sources), 'source')}, {what}", "green"
    if not result.scrubbed:
        yield "  the ledger's log is not cleared yet: another process is reading it", "yellow"
    if result.check is not None:
        found = ", ".join(result.check.found_after)
        clean = f"proven: searched {count(result.check.files, 'file')}, nothing left"
        yield f"  still in {found}" if found else f"  {clean}", "red" if found else "green"
        if result.check.note:
            yield f"  {result.check.note}", "yellow"
        if result.check.unseen:
            yield f"  {result.check.unseen}", "dim"


def _entity(entity: Entity) -> str:
    return f"{entity.type} {display_name(entity.name)}"


def _places(citations: Iterable[Citation]) -> str:
    """Return the first two places, and how many more there are."""
    places = list(
        dict.fromkeys(f"{display_name(one.ref)}:{one.line}" if one.line else display_name(one.ref) for one in citations)
    )
    more = f" and {len(places) - 2} more" if len(places) > 2 else ""
    return ", ".join(places[:2]) + more


def _more(number: int) -> Lines:
    if number:
        yield f"and {number:,} more", "dim"


VIEWS: Views = {
    "graph extract": _extracted,
    "graph ask": _asked,
    "graph show": _shown,
    "graph neighbors": _neighbors,
    "graph path": _path,
    "graph match": _matched,
    "graph list": _listed,
    "graph status": _summary,
    "graph export": _export,
    "graph add": _added,
    "graph forget": _forgotten,
    "graph rebuild": _extracted,
}
