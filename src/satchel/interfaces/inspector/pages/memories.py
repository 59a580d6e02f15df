"""Memories: browse, filter and search."""

from msgspec import Struct
from msgspec.structs import asdict

from satchel.domain.listing import ListFilter, list_filter
from satchel.domain.record import Kind, Label, Memory, State, Trust
from satchel.domain.view import LIVE_STATES
from satchel.interfaces.inspector.formatting import address
from satchel.interfaces.inspector.pages.parameters import memories_by_scope
from satchel.interfaces.inspector.visit import Page, Visit
from satchel.memories.values import MemoryPage
from satchel.recall.request import MAX_LIMIT, Mode
from satchel.recall.values import Recalled

PER_PAGE = 50


class Filters(Struct, frozen=True):
    """The filters in the address of a list."""

    q: str = ""
    mode: str = Mode.HYBRID.value
    scope: str = ""
    kind: str = ""
    label: str = ""
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
    warnings: tuple[str, ...] = ()
    kinds: tuple[str, ...] = tuple(Kind)
    labels: tuple[str, ...] = tuple(Label)
    trusts: tuple[str, ...] = tuple(Trust)
    states: tuple[str, ...] = tuple(State)
    modes: tuple[str, ...] = tuple(Mode)

    @property
    def filtered(self) -> bool:
        """Whether a filter is set."""
        return self.filters != Filters(mode=self.filters.mode)

    @property
    def ranked(self) -> bool:
        """Whether the rows are those of a search, by relevance."""
        return bool(self.filters.q) and _is_searched(self.filters)


async def show(visit: Visit) -> Page:
    """Show a page of memories, newest first, or what a search found."""
    filters = Filters(**{name: visit.query[name] for name in Filters.__struct_fields__ if name in visit.query})
    scopes = tuple(await memories_by_scope(visit))
    if filters.q and _is_searched(filters):
        return Page("memories.html", await _search(visit, filters, scopes))
    return Page("memories.html", await _browse(visit, filters, scopes))


async def _browse(visit: Visit, filters: Filters, scopes: tuple[str, ...]) -> MemoriesView:
    listed: MemoryPage = (
        await visit.ask(
            "list",
            **_place(filters),
            kinds=[filters.kind] if filters.kind else [],
            labels=[filters.label] if filters.label else [],
            trusts=[filters.trust] if filters.trust else [],
            states=[filters.state] if filters.state else [],
            since=filters.since or None,
            until=filters.until or None,
            text=filters.q or None,
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


async def _search(visit: Visit, filters: Filters, scopes: tuple[str, ...]) -> MemoriesView:
    days = list_filter(filters.since or None, filters.until or None, None, None, None, None, now=visit.now)
    answer = await visit.ask(
        "recall",
        **_place(filters),
        query=filters.q,
        mode=filters.mode,
        kinds=[filters.kind] if filters.kind else [],
        limit=MAX_LIMIT,
        untrusted=True,
        fallback=False,
        keep=False,
    )
    found: Recalled = answer.result
    fitting = [hit for hit in found.hits if _fits(hit.memory, filters, days)]
    best = sorted(fitting, key=lambda hit: (-hit.relevance, hit.memory.id))
    rows = tuple(FoundMemory(hit.memory, hit.relevance) for hit in best)
    return MemoriesView(filters, rows, scopes, warnings=tuple(answer.receipt.warnings))


def _place(filters: Filters) -> dict[str, str | bool]:
    return {"scope": filters.scope} if filters.scope else {"all_scopes": True}


def _is_searched(filters: Filters) -> bool:
    """Return whether a recall can find what the filters name; the list finds the rest by the words that it contains."""
    return filters.trust != Trust.QUARANTINED and (not filters.state or filters.state in LIVE_STATES)


def _fits(memory: Memory, filters: Filters, days: ListFilter) -> bool:
    return (
        filters.label in ("", memory.label)
        and filters.trust in ("", memory.trust)
        and filters.state in ("", memory.state)
        and (days.since is None or memory.created_at >= days.since)
        and (days.until is None or memory.created_at < days.until)
    )
