"""The time that a query asks about: which results are of that time, and what to say if none is."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.moment import DAY_MS, parse_moment
from satchel.domain.periods import Period, date_in_words, periods
from satchel.domain.routing import BackendReply, QueryRoute, RouteErrorCode, RouteItem, RouteStatus, best_relevance
from satchel.routing.contract import status_of
from satchel.routing.events import asked_event, event_moment, event_period, moment_taken, moment_unknown, searches
from satchel.routing.lanes import LaneHit
from satchel.routing.signals import plain

# The rules whose queries ask what was recorded at some time. In others a date is part of the content: "open on Monday".
RECENT_RULE = "recent"
TIMED_RULES = ("decision_recall", RECENT_RULE)


def asked_period(route: QueryRoute, query: str, now: int) -> Period | None:
    """Return the time that a query asks about: the first that it mentions and that has begun."""
    if route.rule not in TIMED_RULES:
        return None
    return next((one for one in periods(plain(query), now) if one.since <= now), None)


class AskedTime(Struct, frozen=True):
    """The time that a query asks about, and what to say about it."""

    period: Period | None = None
    notice: str | None = None
    """Which moment was taken for an event that the query names, or that there is none."""
    is_unknown: bool = False
    """Whether nothing states when the event was. The period is then all of the past."""


def asked_time(route: QueryRoute, query: str, now: int, find: Callable[[str], Sequence[LaneHit]]) -> AskedTime:
    """Return the time that a query asks about: a period of the calendar, or the time since or before an event.

    `find` searches the records of the store for statements of the event.
    """
    period = asked_period(route, query, now)
    event = asked_event(query) if period is None and route.rule in TIMED_RULES else None
    # In a question about a decision, what something came after is more often a part of the reason than a time.
    if event is None or not (event.is_release or event.is_since or route.rule == RECENT_RULE):
        return AskedTime(period)
    found = [one for words in searches(event) for one in find(words)]
    if moment := event_moment(event, found, now):
        return AskedTime(event_period(event, moment, now), moment_taken(event, moment))
    return AskedTime(Period(0, now + DAY_MS, event.said), moment_unknown(event), is_unknown=True)


def without_period(query: str, period: Period | None) -> str:
    """Return a query without the words that mention a time."""
    return query if period is None else " ".join(plain(query).replace(period.said, " ").split())


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


def of_unknown_time(reply: BackendReply, notice: str | None) -> BackendReply:
    """Never count results as an answer if the time that was asked about is unknown."""
    if not reply.results:
        return reply
    return replace(reply, status=RouteStatus.PARTIAL, error_code=RouteErrorCode.PARTIAL, note=notice)


def _nothing_from(period: Period, results: Sequence[RouteItem]) -> str:
    day = date_in_words(_at(results[0]))
    return f"nothing from {period.said.strip()}; the nearest is of {day}"


def _at(item: RouteItem) -> int:
    return parse_moment((item.event_time or item.timestamp)[:40], "timestamp")
