"""The native lossless: decisions and what led to them, from the conversations as they were."""

from satchel.domain.moment import iso
from satchel.domain.routing import Asked, Reply
from satchel.routing.contract import item, reply
from satchel.routing.native.lanes import Lanes, unlisted

NAME = "lossless"


def answer(asked: Asked, lanes: Lanes) -> Reply:
    """Search conversations for what was decided and said. The whole question goes there: its phrasing asks for reasons."""
    if lanes.conversations is None:
        raise unlisted(NAME)
    found = lanes.conversations(asked.query, mode="query", limit=asked.limit, scope=asked.scope)
    items = [
        item(
            one.text,
            one.relevance,
            NAME,
            iso(one.recorded_at),
            id=one.id,
            event_time=None if one.happened_at is None else iso(one.happened_at),
            expanded_from=one.expanded_from,
        )
        for one in found.findings
    ]
    return reply(NAME, asked, items, note=found.note)
