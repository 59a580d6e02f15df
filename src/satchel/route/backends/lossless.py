"""The native lossless: decisions and what led to them, from the conversations as they were."""

from satchel.domain.moment import iso
from satchel.domain.routing import Asked, Reply
from satchel.route.backends.lanes import Lanes, unlisted
from satchel.route.contract import item, reply
from satchel.route.prepare import prepared

NAME = "lossless"


def answer(asked: Asked, lanes: Lanes) -> Reply:
    """Search conversations by the content of a query; how it is phrased says only that it belongs here."""
    if lanes.conversations is None:
        raise unlisted(NAME)
    text = prepared(asked.query).text
    found = lanes.conversations(text, mode="query", limit=asked.limit, scope=asked.scope)
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
