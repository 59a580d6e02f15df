"""One page of a list of memories: what narrows it, and where the next page begins."""

from collections.abc import Sequence

from msgspec.structs import asdict, replace

from satchel.domain.arguments import as_tuple, one_of
from satchel.domain.canonical import Json
from satchel.domain.listing import ListFilter
from satchel.domain.record import WORKING_SET, Label, Memory, State, Trust
from satchel.domain.view import View, without_quarantined
from satchel.memories.values import MemoryPage
from satchel.ports import MemoryStore


def narrow_view(
    view: View, labels: Sequence[str], trusts: Sequence[str], states: Sequence[str], *, quarantined: bool
) -> View:
    """Return a view of some labels, trust tiers and states only; those that are not given stay as they are."""
    narrowed = replace(
        view,
        labels=tuple(one_of(Label, one, "label") for one in as_tuple(labels)),
        trusts=tuple(one_of(Trust, one, "trust") for one in as_tuple(trusts)) or view.trusts,
        states=tuple(one_of(State, one, "state") for one in as_tuple(states)) or view.states,
    )
    return narrowed if quarantined else without_quarantined(narrowed)


def read_page(
    memories: MemoryStore, view: View, narrowed: ListFilter, limit: int, after: tuple[int, str] | None
) -> MemoryPage:
    """Return one page of memories, with the mark of the next one if there is one."""
    # One more than asked for, to know whether another page follows.
    found = _without_working_sets(memories, view, narrowed, limit + 1, after)
    shown = tuple(found[:limit])
    following = f"{shown[-1].created_at}:{shown[-1].id}" if len(found) > limit else None
    return MemoryPage(shown, following)


def _without_working_sets(
    memories: MemoryStore, view: View, narrowed: ListFilter, limit: int, after: tuple[int, str] | None
) -> Sequence[Memory]:
    """Return up to `limit` memories that are not working sets: those are derived, and found by id only."""
    listed = list[Memory]()
    while len(listed) < limit:
        page = memories.page(view, limit, after, narrowed)
        listed += [one for one in page if not one.id.startswith(WORKING_SET)]
        if len(page) < limit:
            break
        after = (page[-1].created_at, page[-1].id)
    return listed[:limit]


def filter_facts(narrowed: ListFilter, **named: Sequence[str]) -> dict[str, Json]:
    """Return the filters of a list for its receipt; a text is only counted."""
    facts: dict[str, Json] = {name: value for name, value in asdict(narrowed).items() if value is not None}
    if narrowed.text is not None:
        facts["text"] = {"chars": len(narrowed.text)}
    chosen: dict[str, Json] = {name: list(words) for name, words in named.items() if words}
    return {**facts, **chosen}
