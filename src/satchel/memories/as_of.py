"""Which point in the store's history a tag, a sequence number or a time means."""

from contextlib import suppress
from typing import NoReturn

from satchel.domain.history import Point, sequence_number, tag_name
from satchel.domain.moment import parse_time
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, NotFound
from satchel.ports import Ledger


def point_of(name: str | int, ledger: Ledger, now: int) -> Point:
    """Return the point that a tag, a sequence number or a time names; a day is its end."""
    text = replace_undecodable(str(name)).strip()
    seq, tip = sequence_number(text), ledger.feed.tip()
    if seq is None:
        return _tagged(text, ledger) or _at_time(text, ledger, now) or _no_tag(text)
    if seq > tip:
        raise InvalidRequest(
            f"sequence number {seq} is in the future", code="out_of_range", hint=f"the newest is {tip}"
        )
    at = ledger.history.last_change_at(seq)
    return Point(seq, now if at is None else at)


def _tagged(text: str, ledger: Ledger) -> Point | None:
    with suppress(InvalidRequest):
        if (tag := ledger.history.tag(tag_name(text))) is not None:
            return Point(tag.seq, tag.at, tag.name)
    return None


def _at_time(text: str, ledger: Ledger, now: int) -> Point | None:
    try:
        at = min(now, parse_time(text, "as_of", now, end_of_day=True))
    except InvalidRequest:
        return None
    return Point(ledger.history.last_change_by(at), at)


def _no_tag(text: str) -> NoReturn:
    raise NotFound(
        f"no tag {tag_name(text)[:80]!r}", hint="'satchel tag list' shows the tags; a date such as 2026-12-31 works too"
    )
