"""The backend contract: build replies, and validate those of backends."""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from satchel.domain.moment import parse_moment
from satchel.domain.routing import (
    DIGITS,
    MAX_CONTENT_CHARS,
    BackendQuery,
    BackendReply,
    RouteErrorCode,
    RouteItem,
    RouteStatus,
    best_relevance,
)
from satchel.domain.safety.redact import mask
from satchel.domain.shorten import shorten
from satchel.domain.text import replace_undecodable
from satchel.errors import BackendFailed, InvalidRequest

# Minimum relevance at which a backend may report success.
GOOD_ENOUGH = 0.4
# An item below LEAST is noise. After the first ones, so is one below TAIL.
LEAST = 0.02
TAIL = 0.1
ALWAYS_KEPT = 3
MAX_MESSAGE_CHARS = 500
MAX_NAME_CHARS = 1_000


def reply(backend: str, asked: BackendQuery, items: Sequence[RouteItem], *, note: str | None = None) -> BackendReply:
    """Return a backend's reply with these items, best first, up to the limit and without the irrelevant tail."""
    ordered = sorted(items, key=lambda one: -one.relevance)[: asked.limit]
    kept = tuple(one for place, one in enumerate(ordered) if one.relevance >= (LEAST if place < ALWAYS_KEPT else TAIL))
    relevance = best_relevance(kept)
    return BackendReply(
        query_echo=asked.query,
        results=kept,
        result_count=len(kept),
        status=status_of(kept),
        backend=backend,
        normalized_relevance=relevance,
        note=note,
    )


def status_of(items: Sequence[RouteItem]) -> RouteStatus:
    """Return what a backend reports with these items."""
    if not items:
        return RouteStatus.EMPTY
    return RouteStatus.SUCCESS if best_relevance(items) >= GOOD_ENOUGH else RouteStatus.PARTIAL


def item(content: str, relevance: float, source: str, timestamp: str, **more: object) -> RouteItem:
    """Return an item with bounded content, secrets masked, and rounded relevance."""
    return RouteItem(shorten(mask(content), MAX_CONTENT_CHARS), round(relevance, DIGITS), source, timestamp, **more)  # type: ignore[arg-type]


def check_reply(said: object, backend: str, asked: BackendQuery) -> BackendReply:
    """Return a reply that satisfies the contract, or raise BackendFailed. Long texts are cut."""
    if not isinstance(said, BackendReply):
        raise _broken("it is not a reply")
    if said.backend != backend or said.query_echo != asked.query:
        raise _broken("it answers another query or names another backend")
    if said.status not in tuple(RouteStatus) or type(said.result_count) is not int:
        raise _broken("its status is unknown")
    if said.status is RouteStatus.ERROR:
        raise BackendFailed(
            _text(said.error_message or "it failed"), code=_text(said.error_code or RouteErrorCode.ERROR)
        )
    if not isinstance(said.results, tuple) or said.result_count != len(said.results):
        raise _broken("its result count is wrong")
    if (said.status is RouteStatus.EMPTY) != (not said.results):
        raise _broken("its status contradicts its results")
    items = tuple(_item(one, backend) for one in said.results)
    if list(items) != sorted(items, key=lambda one: -one.relevance):
        raise _broken("its results are not sorted by relevance")
    if not _is_share(said.normalized_relevance) or round(said.normalized_relevance, DIGITS) != best_relevance(items):
        raise _broken("its relevance is not that of its best result")
    kept = items[: asked.limit]
    return replace(
        said,
        results=kept,
        result_count=len(kept),
        normalized_relevance=best_relevance(kept),
        note=None if said.note is None else _text(said.note),
    )


def _item(said: object, backend: str) -> RouteItem:
    if not isinstance(said, RouteItem) or not all(
        isinstance(one, str) for one in (said.content, said.source, said.timestamp)
    ):
        raise _broken("a result lacks content, source or time")
    if not _is_share(said.relevance):
        raise _broken("a relevance is not a number from 0 to 1")
    if said.source != backend:
        raise _broken("a result names another source")
    try:
        parse_moment(said.timestamp[:40], "timestamp")
    except InvalidRequest:
        raise _broken("a time is not valid") from None
    # Replace characters that cannot be encoded.
    content = replace_undecodable(said.content[: 2 * MAX_CONTENT_CHARS])
    return replace(
        said,
        content=shorten(mask(content), MAX_CONTENT_CHARS),
        relevance=round(float(said.relevance), DIGITS),
        path=None if said.path is None else replace_undecodable(str(said.path)[:MAX_NAME_CHARS]),
    )


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= 1


def _text(value: object) -> str:
    return replace_undecodable(str(value)[:MAX_MESSAGE_CHARS])


def _broken(reason: str) -> BackendFailed:
    return BackendFailed(f"invalid reply: {reason}", code=RouteErrorCode.ERROR)
