"""Which point in the store's history a tag or a sequence number means."""

from satchel.domain.history import Point, sequence_number, tag_name
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, NotFound
from satchel.ports import Ledger


def point_of(name: str | int, ledger: Ledger, now: int) -> Point:
    """Return the point that a tag or a sequence number names."""
    text = replace_undecodable(str(name)).strip()
    seq, tip = sequence_number(text), ledger.feed.tip()
    if seq is None:
        tag = ledger.history.tag(tag_name(text))
        if tag is None:
            raise NotFound(f"no tag {text[:80]!r}", hint="'satchel tag list' shows the tags")
        return Point(tag.seq, tag.at, tag.name)
    if seq > tip:
        raise InvalidRequest(
            f"sequence number {seq} is in the future", code="out_of_range", hint=f"the newest is {tip}"
        )
    at = ledger.history.last_change_at(seq)
    return Point(seq, now if at is None else at)
