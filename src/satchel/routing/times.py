"""The time that a query asks about: which results are of that time, and what to say if none is."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.domain.moment import parse_moment
from satchel.domain.periods import Period, date_in_words, periods
from satchel.domain.routing import BackendReply, QueryRoute, RouteErrorCode, RouteItem, RouteStatus, best_relevance
from satchel.routing.contract import status_of
from satchel.routing.signals import plain

# The rules whose queries ask what was recorded at some time. In others a date is part of the content: "open on Monday".
TIMED_RULES = ("decision_recall", "recent")


def asked_period(route: QueryRoute, query: str, now: int) -> Period | None:
    """Return the time that a query asks about: the first that it mentions and that has begun."""
    if route.rule not in TIMED_RULES:
        return None
    return next((one for one in periods(plain(query), now) if one.since <= now), None)


def without_period(query: str, period: Period | None) -> str:
    """Return a query without the words that mention a time."""
    return query if period is None else plain(query).replace(period.said, " ")


def of_period(reply: BackendReply, period: Period) -> BackendReply:
    """Keep the results of a period. If there are none, keep the others, say so, and never count them as an answer."""
    inside = tuple(one for one in reply.results if period.holds(_at(one)))
    if inside or not reply.results:
        return replace(
            reply,
            results=inside,
            result_count=len(inside),
            normalized_relevance=best_relevance(inside),
            status=status_of(inside),
        )
    return replace(
        reply,
        status=RouteStatus.PARTIAL,
        error_code=RouteErrorCode.PARTIAL,
        note=_nothing_from(period, reply.results),
    )


def _nothing_from(period: Period, results: Sequence[RouteItem]) -> str:
    day = date_in_words(_at(results[0]))
    return f"nothing from {period.said.strip()}; the nearest is of {day}"


def _at(item: RouteItem) -> int:
    return parse_moment((item.event_time or item.timestamp)[:40], "timestamp")
