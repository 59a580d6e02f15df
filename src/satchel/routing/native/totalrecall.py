"""The native totalrecall: memories and sessions, where what is new counts for more."""

from satchel.domain.moment import iso
from satchel.domain.routing import Asked, Item, Reply
from satchel.routing.contract import item, reply
from satchel.routing.decay import decay
from satchel.routing.native.lanes import Finding, Lanes
from satchel.routing.prepare import Prepared, lexical, prepared
from satchel.routing.text_relevance import exactly

NAME = "totalrecall"


def answer(asked: Asked, lanes: Lanes, now: int) -> Reply:
    """Search what is remembered, and let it fade with age. A query without content asks for the newest."""
    query = prepared(asked.query)
    if not query.terms and not query.exact:
        newest = lanes.recent(limit=asked.limit, scope=asked.scope)
        return reply(NAME, asked, [_item(one, 1.0, now) for one in newest.findings], note=newest.note)
    searched = [
        lane(lexical(query), mode="search", limit=asked.limit, scope=asked.scope)
        for lane in (lanes.memories, lanes.sessions)
        if lane
    ]
    items = [_item(one, _match(one, query), now) for found in searched for one in found.findings]
    return reply(NAME, asked, items, note=searched[0].note)


def _match(found: Finding, query: Prepared) -> float:
    return max(found.relevance, exactly(query, found.text))


def _item(found: Finding, match: float, now: int) -> Item:
    happened = found.happened_at if found.happened_at is not None else found.recorded_at
    return item(
        found.text,
        match * decay(now - happened),
        NAME,
        iso(found.recorded_at),
        id=found.id,
        event_time=None if found.happened_at is None else iso(found.happened_at),
        record_time=iso(found.recorded_at),
    )
