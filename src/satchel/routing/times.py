"""The time that a query asks about: which results are of that time, and what to say if none is."""

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.moment import DAY_MS, parse_moment
from satchel.domain.periods import Period, date_in_words, periods
from satchel.domain.routing import (
    BackendQuery,
    BackendReply,
    QueryRoute,
    RouteErrorCode,
    RouteItem,
    RouteStatus,
    best_relevance,
)
from satchel.routing.classify import asks_for_decision
from satchel.routing.contract import status_of
from satchel.routing.events import asked_event, event_moment, event_period, moment_taken, moment_unknown, searches
from satchel.routing.lanes import LaneHit
from satchel.routing.prepare import PreparedQuery, prepare_query
from satchel.routing.settled import MAX_UNSETTLED
from satchel.routing.signals import plain

# The rules whose queries ask what was recorded at some time. In others a date is part of the content: "open on Monday".
RECENT_RULE = "recent"
TIMED_RULES = ("decision_recall", RECENT_RULE)
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
_COUNTS = {"two": 2, "couple of": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6}
_COUNTS |= {"两": 2, "兩": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "十": 10}
_COUNT = r"(?P<count>\d{1,3}|two|three|four|five|six|few|couple of)"
_HAN_SPAN = r"(?P<count>\d{1,3}|[一二两兩三四五六十])[个個]?(?P<unit>小时|小時|钟头|鐘頭|分钟|分鐘)"
_LAST_SPAN = re.compile(
    rf"\b(?:in|over|within|during|for) the (?:past|last) (?:{_COUNT} )?(?P<unit>hours?|minutes?)\b", re.IGNORECASE
)
_LAST_SPAN_HAN = re.compile(rf"(?:过去|過去|最近|近){_HAN_SPAN}[内內里裡]?")
# Not "a few minutes ago", which asks for the newest.
_AGO = re.compile(rf"\b(?!few minutes)(?:an?|{_COUNT}) (?P<unit>hours?|minutes?) ago\b", re.IGNORECASE)
_AGO_HAN = re.compile(rf"{_HAN_SPAN}以?前")
_PREPOSITION = re.compile(r"^(?:on|in|at|over|during|of|since|在)\s+", re.IGNORECASE)


def asked_period(route: QueryRoute, query: str, now: int) -> Period | None:
    """Return the time that a query asks about: the first that it mentions and that has begun."""
    if route.rule not in TIMED_RULES:
        return None
    text = plain(query)
    return next((one for one in periods(text, now) if one.since <= now), None) or _clock_period(text, now)


def _clock_period(text: str, now: int) -> Period | None:
    """Return the last hours or minutes that a text mentions. "An hour ago" is meant roughly: half of it to twice."""
    if found := _LAST_SPAN.search(text) or _LAST_SPAN_HAN.search(text):
        return Period(now - _clock_span(found), now + DAY_MS, found.group())
    if found := _AGO.search(text) or _AGO_HAN.search(text):
        span = _clock_span(found)
        return Period(now - 2 * span, now - span // 2, found.group())
    return None


def _clock_span(found: re.Match[str]) -> int:
    count = (found["count"] or "1").lower()
    unit = MINUTE_MS if found["unit"][0] in "mM分" else HOUR_MS
    return unit * (int(count) if count.isdigit() else _COUNTS.get(count, 1))


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


def of_asked_time(asked: BackendQuery, rate: Callable[[PreparedQuery], Iterable[RouteItem]]) -> list[RouteItem]:
    """Return the items of the time that a query asks about, for a backend that rates all it has; of any time if there are none.

    `rate` gets the query without its time. A list of the newest does not say what was decided.
    """
    query = prepare_query(without_period(asked.query, asked.period))
    items = list(rate(query))
    if asked.period is not None:
        items = [one for one in items if asked.period.holds(happened_at(one))] or items
    is_list = not query.terms and not query.exact
    most = MAX_UNSETTLED if is_list and asks_for_decision(asked.query) else 1.0
    return [replace(one, relevance=min(one.relevance, most)) for one in items]


def of_period(reply: BackendReply, period: Period) -> BackendReply:
    """Keep the results of a period. If there are none, keep the others, say so, and never count them as an answer."""
    inside = tuple(one for one in reply.results if period.holds(happened_at(one)))
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
    day = date_in_words(happened_at(results[0]))
    return f"nothing from {_PREPOSITION.sub('', period.said.strip())}; the nearest is of {day}"


def happened_at(item: RouteItem) -> int:
    """Return when what an item tells of happened, or else was recorded."""
    return parse_moment((item.event_time or item.timestamp)[:40], "timestamp")
