"""Memories: browse, filter and search."""

from msgspec import Struct
from msgspec.structs import asdict

from satchel.domain.ranking import Hit
from satchel.domain.record import Kind, Memory, State, Trust
from satchel.interfaces.inspector.formatting import address
from satchel.interfaces.inspector.visit import Page, Visit
from satchel.maintenance.values import Stats
from satchel.memories.values import MemoryPage
from satchel.recall.request import MAX_LIMIT, Mode
from satchel.recall.values import Recalled

PER_PAGE = 50
# Maximum number of scopes that one search goes through: the largest ones.
MAX_SCOPES = 20


class Filters(Struct, frozen=True):
    """The filters in the address of a list."""

    q: str = ""
    mode: str = Mode.HYBRID.value
    scope: str = ""
    kind: str = ""
    trust: str = ""
    state: str = ""
    since: str = ""
    until: str = ""


class FoundMemory(Struct, frozen=True):
    """A row of the list: a memory, and how relevant it is to the search, if there was one."""

    memory: Memory
    relevance: float | None = None


class MemoriesView(Struct, frozen=True):
    """What the list of memories shows."""

    filters: Filters
    rows: tuple[FoundMemory, ...]
    scopes: tuple[str, ...]
    next: str = ""
    """The address of the next page."""
    first: str = ""
    """The address of the first page, on any other one."""
    searched: int = 0
    """How many scopes were searched."""
    warnings: tuple[str, ...] = ()
    kinds: tuple[str, ...] = tuple(Kind)
    trusts: tuple[str, ...] = tuple(Trust)
    states: tuple[str, ...] = tuple(State)
    modes: tuple[str, ...] = tuple(Mode)

    @property
    def filtered(self) -> bool:
        """Whether a filter is set."""
        return self.filters != Filters(mode=self.filters.mode)


async def show(visit: Visit) -> Page:
    """Show a page of memories, newest first, or what a search found."""
    filters = Filters(**{name: visit.query[name] for name in Filters.__struct_fields__ if name in visit.query})
    stats: Stats = (await visit.ask("stats", all_scopes=True)).result
    by_size = sorted(stats.tally.by_scope, key=lambda one: (-stats.tally.by_scope[one], one))
    scopes = tuple(sorted(by_size))
    if filters.q:
        return Page("memories.html", await _search(visit, filters, scopes, by_size[:MAX_SCOPES]))
    return Page("memories.html", await _browse(visit, filters, scopes))


async def _browse(visit: Visit, filters: Filters, scopes: tuple[str, ...]) -> MemoriesView:
    place = {"scope": filters.scope} if filters.scope else {"all_scopes": True}
    listed: MemoryPage = (
        await visit.ask(
            "list",
            **place,
            kinds=[filters.kind] if filters.kind else [],
            trusts=[filters.trust] if filters.trust else [],
            states=[filters.state] if filters.state else [],
            since=filters.since or None,
            until=filters.until or None,
            limit=PER_PAGE,
            after=visit.query.get("after"),
        )
    ).result
    given = {name: value for name, value in asdict(filters).items() if name != "mode"}
    return MemoriesView(
        filters,
        tuple(FoundMemory(one) for one in listed.memories),
        scopes,
        next=address("/memories", **given, after=listed.next) if listed.next else "",
        first=address("/memories", **given) if "after" in visit.query else "",
    )


async def _search(visit: Visit, filters: Filters, scopes: tuple[str, ...], largest: list[str]) -> MemoriesView:
    """Search one scope, or the largest ones: relevance is a probability, so hits of different scopes compare."""
    searched = [filters.scope] if filters.scope else largest
    hits: list[Hit] = []
    warnings: dict[str, None] = {}
    for scope in searched:
        answer = await visit.ask(
            "recall",
            query=filters.q,
            scope=scope,
            mode=filters.mode,
            kinds=[filters.kind] if filters.kind else [],
            limit=MAX_LIMIT,
            untrusted=True,
            fallback=False,
            keep=False,
        )
        found: Recalled = answer.result
        hits += found.hits
        warnings |= dict.fromkeys(answer.receipt.warnings)
    fitting = [hit for hit in hits if _fits(hit.memory, filters)]
    best = sorted(fitting, key=lambda hit: (-hit.relevance, hit.memory.id))[:PER_PAGE]
    rows = tuple(FoundMemory(hit.memory, hit.relevance) for hit in best)
    return MemoriesView(filters, rows, scopes, searched=len(searched), warnings=tuple(warnings))


def _fits(memory: Memory, filters: Filters) -> bool:
    return filters.trust in ("", memory.trust) and filters.state in ("", memory.state)
