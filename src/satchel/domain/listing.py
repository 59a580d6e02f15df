"""Narrow a list of memories further than a view does: by date, text, source, session and tag."""

from msgspec import Struct

from satchel.domain.media import check_media_filter
from satchel.domain.moment import parse_time
from satchel.domain.text import check_optional_text
from satchel.errors import InvalidRequest


class ListFilter(Struct, frozen=True):
    """Conditions on listed memories; None means any."""

    since: int | None = None
    until: int | None = None
    """Created before this moment."""
    text: str | None = None
    """Part of the text or the title; the letters A to Z in either case."""
    source: str | None = None
    """The channel, or a part of the source reference."""
    session: str | None = None
    tag: str | None = None
    media: str | None = None
    """A kind of media, or any."""


EVERYTHING = ListFilter()


def list_filter(
    since: str | None,
    until: str | None,
    text: str | None,
    source: str | None,
    session: str | None,
    tag: str | None,
    media: str | None = None,
    *,
    now: int,
) -> ListFilter:
    """Return the filter that a request asks for, or raise InvalidRequest."""
    start = None if since is None else parse_time(since, "since", now)
    end = None if until is None else parse_time(until, "until", now)
    if start is not None and end is not None and start >= end:
        raise InvalidRequest(
            f"since {since} is not before until {until}", code="out_of_range", hint="'until' is not included"
        )
    return ListFilter(
        since=start,
        until=end,
        text=check_optional_text(text, "the text"),
        source=check_optional_text(source, "the source"),
        session=check_optional_text(session, "the session"),
        tag=check_optional_text(tag, "the tag"),
        media=check_media_filter(media),
    )
