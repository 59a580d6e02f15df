"""Entities and relations, as a person sees them."""

from collections.abc import Callable, Iterable

from satchel.domain.graph import display_name
from satchel.domain.graph_answers import Citation, Entity, GraphPath
from satchel.graph.values import (
    EntityDetails,
    EntityList,
    Extracted,
    GraphAnswers,
    GraphExport,
    GraphForgotten,
    GraphSummary,
    Neighbors,
    PathFound,
    ProjectMatches,
    RelationAdded,
)
from satchel.interfaces.cli.views.lines import Lines


def _extracted(result: Extracted) -> Lines:
    what = f"{_many(result.read, 'source')} read"
    yield f"{what}: {_many(result.entities, 'entity')} named, {_many(result.relations, 'relation')}", "green"
    yield f"  {result.unchanged} unchanged, {result.removed} removed, {result.skipped} skipped", "dim"
    for one in result.left_out[:10]:
        yield f"  skipped {display_name(one.ref)}: {one.reason}", "yellow"


def _asked(result: GraphAnswers) -> Lines:
    for answer in result.answers:
        yield f"{answer.text}", ""
        yield f"  {answer.relevance:.2f} · {answer.trust} · {_places(answer.citations)}", "dim"
    if not result.named:
        yield "it names nothing that is known here", "dim"
    elif not result.answers:
        yield "nothing is known of that", "dim"
    yield from _more(result.more)


def _shown(result: EntityDetails) -> Lines:
    yield _entity(result.entity), "bold"
    yield f"  {result.entity.id} · {result.trust} · {_places(result.seen)}", "dim"
    for tie in result.ties:
        yield f"  {tie.text}", ""
        yield f"    {tie.trust} · {_places(tie.citations)}", "dim"
    yield from _more(result.more)


def _neighbors(result: Neighbors) -> Lines:
    yield _entity(result.entity), "bold"
    for one in result.neighbors:
        yield f"  {_entity(one.entity)}", ""
        yield f"    {one.path.text}", "dim"
    if not result.neighbors:
        yield "  connected with nothing", "dim"
    yield from _more(result.more)


def _path(result: PathFound) -> Lines:
    if result.path is None:
        ends = f"{display_name(result.start.name)} and {display_name(result.goal.name)}"
        yield f"no path between {ends} within {_many(result.max_hops, 'step')}", "yellow"
        return
    yield result.path.arrows, "bold"
    yield from _steps(result.path)


def _steps(path: GraphPath) -> Lines:
    for tie in path.ties:
        yield f"  {tie.text}", ""
        yield f"    {tie.trust} · {_places(tie.citations)}", "dim"


def _matched(result: ProjectMatches) -> Lines:
    for one in result.recommendations:
        yield f"{one.score:.2f}  {display_name(one.project.name)}", "bold"
        for path in one.paths:
            yield f"  because {path.text or 'it is named'}", ""
    if not result.named:
        yield "it names nothing that is known here", "dim"
    elif not result.recommendations:
        yield "no project has to do with it", "dim"


def _listed(result: EntityList) -> Lines:
    for entity in result.entities:
        yield f"{entity.id}  {_entity(entity)}", ""
    yield f"{len(result.entities)} of {result.total}", "dim"
    if result.next:
        yield f"more with --after {result.next}", "dim"


def _summary(result: GraphSummary) -> Lines:
    yield f"{_many(result.entities, 'entity')}, {_many(result.relations, 'relation')}", "bold"
    for counts in (result.by_type, result.by_relation):
        if counts:
            yield f"  {', '.join(f'{count} {name}' for name, count in counts.items())}", ""
    for source in result.sources:
        where = f"{source.project}/" if source.project else f"{source.type} "
        yield f"  {source.id}  {display_name(where + source.ref)} · {source.trust}", "dim"
    yield from _more(result.more_sources)


def _export(result: GraphExport) -> Lines:
    for line in result.text.splitlines():
        yield line, ""


def _added(result: RelationAdded) -> Lines:
    yield f"stated: {display_name(result.tail)} {result.relation} {display_name(result.head)}", "green"
    yield f"  {result.source} · {result.trust}", "dim"


def _forgotten(result: GraphForgotten) -> Lines:
    what = f"{_many(result.sightings, 'mention')} and {_many(result.claims, 'relation')}"
    yield f"forgot {_many(len(result.sources), 'source')}, {what}", "green"
    if not result.scrubbed:
        yield "  the ledger's log could not be cleared yet: another process reads it", "yellow"
    if result.check is not None:
        found = ", ".join(result.check.found_after)
        clean = f"searched {result.check.files} files: nothing left"
        yield f"  still in {found}" if found else f"  {clean}", "red" if found else "green"
        if result.check.note:
            yield f"  {result.check.note}", "yellow"


def _entity(entity: Entity) -> str:
    return f"{entity.type} {display_name(entity.name)}"


def _places(citations: Iterable[Citation]) -> str:
    """Return the first places that say something, and how many more there are."""
    places = list(
        dict.fromkeys(f"{display_name(one.ref)}:{one.line}" if one.line else display_name(one.ref) for one in citations)
    )
    more = f" and {len(places) - 2} more" if len(places) > 2 else ""
    return ", ".join(places[:2]) + more


def _many(count: int, what: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count:,} {what if count == 1 else plural}"


def _more(count: int) -> Lines:
    if count:
        yield f"and {count:,} more", "dim"


VIEWS: dict[str, Callable[..., Lines]] = {
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
