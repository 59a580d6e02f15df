"""Read the parameters of an address."""

from collections.abc import Mapping

from satchel.errors import InvalidRequest
from satchel.interfaces.inspector.visit import Visit
from satchel.maintenance.values import Stats

MAX_DIGITS = 18


def whole_number(visit: Visit, name: str) -> int | None:
    """Return a parameter as a number, or None if it is not given."""
    text = visit.query.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise InvalidRequest(f"{name} {text[:40]!r} is not a number", code="invalid_number", hint="open the page again")
    return int(text)


def place(visit: Visit) -> dict[str, object]:
    """Return the arguments of an operation that works in the scope of the address, or in every scope."""
    scope = visit.query.get("scope")
    return {"scope": scope} if scope else {"all_scopes": True}


async def memories_by_scope(visit: Visit) -> Mapping[str, int]:
    """Return how many memories each scope has, by its name in alphabetical order."""
    stats: Stats = (await visit.ask("stats", all_scopes=True)).result
    return dict(sorted(stats.tally.by_scope.items()))


def largest_scope(by_scope: Mapping[str, int]) -> str:
    """Return the scope with the most memories; empty if there is none."""
    return max(by_scope, key=lambda one: (by_scope[one], one), default="")
