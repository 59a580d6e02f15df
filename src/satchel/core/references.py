"""Find the record that a short reference means, within what the caller may see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from satchel.domain.citations import parse_reference
from satchel.domain.scope import resolve_reach
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View, admin_view, without_quarantined
from satchel.errors import InvalidRequest

if TYPE_CHECKING:
    from satchel.core.parts import Parts
    from satchel.domain.passage import PassageView
    from satchel.ports import Ledger

# How many ids an error about an ambiguous reference lists.
MAX_CANDIDATES = 5
MAX_REFERENCE_CHARS = 4_000
# Sorts after everything that an id may hold.
_LAST = "\U0010ffff"

IdRange = Callable[[str, str, int], Sequence[str]]
"""Returns the ids from a first to a last one that the caller may see, in order, up to a limit."""


def resolve_id(reference: str, *lanes: IdRange) -> str | None:
    """Return the id that a reference means in some lanes, or None. Raises InvalidRequest if it could mean several.

    Each lane is asked for a range of its index of ids: records out of view are neither found nor make it ambiguous.
    """
    if len(reference) > MAX_REFERENCE_CHARS:
        # Longer than any id or citation: reading it would take many times its memory.
        return None
    meant = parse_reference(replace_undecodable(reference))
    for id in meant.ids:
        if any(lane(id, id, 1) for lane in lanes):
            return id
    found = sorted(
        {id for lane in lanes for prefix in meant.prefixes for id in lane(prefix, prefix + _LAST, MAX_CANDIDATES + 1)}
    )
    if len(found) > 1:
        more = ", …" if len(found) > MAX_CANDIDATES else ""
        raise InvalidRequest(
            f"{reference[:80]!r} could mean several records",
            code="ambiguous",
            hint=f"give more of the id: {', '.join(found[:MAX_CANDIDATES])}{more}",
        )
    return found[0] if found else None


def full_id(reference: str, *lanes: IdRange) -> str:
    """Return the id that a reference means, or the reference itself if it means none, for an error that quotes it."""
    return resolve_id(reference, *lanes) or replace_undecodable(reference)


def record_id(
    parts: Parts, reference: str, *, scope: str | None, all_scopes: bool = False, quarantined: bool = True
) -> str:
    """Return the id of the memory or observation that a reference means, or the reference itself."""
    view = admin_view(resolve_reach(scope, parts.policies.scope, everywhere=all_scopes), parts.clock.now())
    view = view if quarantined else without_quarantined(view)
    return full_id(reference, memory_ids(parts.ledger, view), observation_ids(parts.ledger, view))


def memory_ids(ledger: Ledger, view: View) -> IdRange:
    """Return the lane of the memories of a view."""
    return lambda first, last, limit: ledger.memories.ids_between(first, last, view, limit)


def observation_ids(ledger: Ledger, view: View) -> IdRange:
    """Return the lane of the observations of a view."""
    return lambda first, last, limit: ledger.observations.ids_between(first, last, view, limit)


def passage_ids(ledger: Ledger, view: PassageView) -> IdRange:
    """Return the lane of the episodes or document chunks of a view."""
    return lambda first, last, limit: ledger.passages.ids_between(first, last, view, limit)


def fact_ids(ledger: Ledger, view: View) -> IdRange:
    """Return the lane of the facts of a view."""
    return lambda first, last, limit: ledger.facts.ids_between(first, last, view, limit)
