"""The native qmd: documents and memories by word, by meaning, or by both."""

from satchel.domain.moment import iso
from satchel.domain.routing import Asked, Item, Reply
from satchel.routing.contract import item, reply
from satchel.routing.native.lanes import Finding, Lanes
from satchel.routing.prepare import Prepared, lexical, prepared
from satchel.routing.text_relevance import exactly

NAME = "qmd"
# By meaning everything is near to something: what is less than this was not found.
LEAST = 0.005


def answer(asked: Asked, lanes: Lanes) -> Reply:
    """Search memories and documents, each in the form that the mode wants the query in."""
    mode = asked.mode or "query"
    query = prepared(asked.query)
    text = lexical(query) if mode == "search" else query.text
    found = [
        lane(text, mode=mode, limit=asked.limit, scope=asked.scope)
        for lane in (lanes.documents, lanes.memories)
        if lane
    ]
    items = [_item(one, query, mode) for part in found for one in part.findings]
    items = [one for one in items if one.relevance >= LEAST]
    notes = [part.note for part in found if part.note]
    return reply(NAME, asked, items, note="; ".join(dict.fromkeys(notes)) or None)


def _item(found: Finding, query: Prepared, mode: str) -> Item:
    # What is spelled out and found as it is written is right, however common its words are.
    exact = exactly(query, f"{found.path or ''} {found.text}") if mode != "vsearch" else 0.0
    return item(
        found.text,
        max(found.relevance, exact),
        NAME,
        iso(found.recorded_at),
        id=found.id,
        path=found.path,
        line=found.line,
    )
