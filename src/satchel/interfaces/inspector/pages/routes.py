"""Routes: which backend answered each routed question, what was tried before it, and how the rules perform."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.explaining.meanings import OUTCOMES, meaning
from satchel.explaining.values import ReceiptExplanation
from satchel.interfaces.inspector.pages.answers import AnswerSection, AnswerView
from satchel.interfaces.inspector.pages.parameters import memories_by_scope, whole_number
from satchel.interfaces.inspector.visit import Page, Visit
from satchel.routing.values import PastRoutes, RouteStats

PER_PAGE = 40
COUNTED = 1_000
"""How many of the newest questions the performance of the rules is counted from."""
_SEARCHED: Mapping[str, str] = {
    "qmd": "documents and memories",
    "totalrecall": "what happened lately",
    "cognee": "the graph of entities",
    "lossless": "conversations and their decisions",
}
SECTION = AnswerSection("/routes", "Routes", "", "In the answer", {"route": "routed question"})


class RoutesView(Struct, frozen=True):
    """Routed questions, newest first, and how the rules and backends perform."""

    scope: str
    scopes: tuple[str, ...]
    past: PastRoutes
    stats: RouteStats
    slowest: float
    """The longest duration on the page, for the bars."""

    def outcome(self, name: str) -> str:
        """Return the outcome of an attempt in words."""
        return meaning(name, OUTCOMES)

    def searched(self, backend: str) -> str:
        """Return what a backend searches; nothing about one that Satchel does not have itself."""
        return _SEARCHED.get(backend, "")


async def show_list(visit: Visit) -> Page:
    """List the routed questions."""
    scope = visit.query.get("scope")
    before = whole_number(visit, "before")
    past: PastRoutes = (await visit.ask("route list", limit=PER_PAGE, scope=scope, before=before)).result
    stats: RouteStats = (await visit.ask("route stats", limit=COUNTED)).result
    slowest = max((one.duration_ms for one in past.routes), default=0.0)
    return Page("routes.html", RoutesView(scope or "", tuple(await memories_by_scope(visit)), past, stats, slowest))


async def show_one(visit: Visit) -> Page:
    """Explain one routed question."""
    why: ReceiptExplanation = (await visit.ask("why", receipt=visit.names["receipt"])).result
    name = SECTION.operations.get(why.operation, why.operation)
    return Page("answer.html", AnswerView(SECTION, name, SECTION.included, why))
