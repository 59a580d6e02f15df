"""The native cognee: relations, followed through the graph of entities."""

from satchel.domain.moment import iso
from satchel.domain.routing import Asked, Reply
from satchel.routing.contract import item, reply
from satchel.routing.native.lanes import Lanes, unlisted

NAME = "cognee"


def answer(asked: Asked, lanes: Lanes) -> Reply:
    """Follow relations. The graph finds the entities in the whole question: its wording tells the direction."""
    if lanes.graph is None:
        raise unlisted(NAME)
    found = lanes.graph(asked.query, limit=asked.limit, scope=asked.scope)
    items = [
        item(one.text, one.relevance, NAME, iso(one.recorded_at), id=one.id, traversal=one.traversal)
        for one in found.findings
    ]
    return reply(NAME, asked, items, note=found.note)
