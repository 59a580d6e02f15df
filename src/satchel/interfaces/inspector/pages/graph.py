"""Graph: the entities around one, and how two are connected."""

from msgspec import Struct

from satchel.domain.graph import ENTITY_TYPES
from satchel.errors import InvalidRequest, NotFound, SatchelError
from satchel.graph.values import EntityDetails, EntityList, GraphSummary, Neighbors, PathFound
from satchel.interfaces.inspector.charts import Bar, bars
from satchel.interfaces.inspector.formatting import address_before
from satchel.interfaces.inspector.network import Network, chain, neighborhood
from satchel.interfaces.inspector.pages.parameters import memories_by_scope, place, whole_number
from satchel.interfaces.inspector.visit import Page, Visit

PER_PAGE = 100
NEIGHBORS = 40
DEFAULT_HOPS = 1
HOPS = (1, 2, 3)


class EntitiesView(Struct, frozen=True):
    """The graph as a whole."""

    scope: str
    scopes: tuple[str, ...]
    type: str
    types: tuple[str, ...]
    summary: GraphSummary
    by_type: tuple[Bar, ...]
    by_relation: tuple[Bar, ...]
    found: EntityList


class EntityView(Struct, frozen=True):
    """One entity with what is around it, and its path to another one."""

    name: str
    """As it was asked for."""
    goal: str
    hops: int
    choices: tuple[int, ...]
    scope: str
    scopes: tuple[str, ...]
    details: EntityDetails | None
    neighbors: Neighbors | None
    picture: Network | None
    path: PathFound | None
    path_picture: Network | None
    problem: SatchelError | None
    """Why the entity or the path could not be found."""


async def show(visit: Visit) -> Page:
    """Show one entity if one is named, or the whole graph."""
    return await (_entity(visit) if "name" in visit.query else _entities(visit))


async def _entities(visit: Visit) -> Page:
    scope, type = visit.query.get("scope", ""), visit.query.get("type", "")
    summary: GraphSummary = (await visit.ask("graph status", **place(visit))).result
    found: EntityList = (
        await visit.ask("graph list", type=type or None, limit=PER_PAGE, after=visit.query.get("after"), **place(visit))
    ).result
    return Page(
        "graph.html",
        EntitiesView(
            scope=scope,
            scopes=tuple(await memories_by_scope(visit)),
            type=type,
            types=ENTITY_TYPES,
            summary=summary,
            by_type=bars(summary.by_type, address_before("/graph", "type", scope=scope)),
            by_relation=bars(summary.by_relation),
            found=found,
        ),
    )


async def _entity(visit: Visit) -> Page:
    name, goal = visit.query["name"], visit.query.get("to", "")
    hops = whole_number(visit, "hops") or DEFAULT_HOPS
    details: EntityDetails | None = None
    around: Neighbors | None = None
    path: PathFound | None = None
    problem: SatchelError | None = None
    try:
        details = (await visit.ask("graph show", name=name, **place(visit))).result
        around = (await visit.ask("graph neighbors", name=name, hops=hops, limit=NEIGHBORS, **place(visit))).result
        path = (await visit.ask("graph path", start=name, goal=goal, **place(visit))).result if goal else None
    except (NotFound, InvalidRequest) as error:
        problem = error
    return Page(
        "entity.html",
        EntityView(
            name=name,
            goal=goal,
            hops=hops,
            choices=HOPS,
            scope=visit.query.get("scope", ""),
            scopes=tuple(await memories_by_scope(visit)),
            details=details,
            neighbors=around,
            picture=neighborhood(around.entity, [one.path for one in around.neighbors]) if around else None,
            path=path,
            path_picture=chain(path.path) if path and path.path else None,
            problem=problem,
        ),
        404 if details is None else 200,
    )
