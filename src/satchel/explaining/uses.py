"""Where a memory was used, what it replaced, and what is linked with it."""

from collections.abc import Callable, Iterable, Iterator

from satchel.domain.record import Memory, MemoryId
from satchel.domain.safety.preview import preview
from satchel.domain.safety.redact import mask
from satchel.domain.view import View
from satchel.explaining.explain import RECALL_LIKE, explain_receipt
from satchel.explaining.receipt_values import fields
from satchel.explaining.values import Link, RecordMention, RecordUse, Version
from satchel.ports import Ledger, StoredReceipt

# How many of the newest receipts are searched, and how many versions are followed in either direction.
SEARCHED_RECEIPTS = 5_000
MAX_VERSIONS = 20


def uses_of(ledger: Ledger, id: str, limit: int) -> Iterator[RecordUse]:
    """Yield the answers among the newest receipts that selected a record or left it out, newest first."""
    for kept in ledger.receipts.recent(limit, RECALL_LIKE, mentions=id, among=SEARCHED_RECEIPTS):
        why = explain_receipt(kept, mask)
        yield from _mention_in(kept, why.included, id, included=True)
        yield from _mention_in(kept, why.left_out, id, included=False)


def _mention_in(kept: StoredReceipt, mentions: Iterable[RecordMention], id: str, *, included: bool) -> list[RecordUse]:
    found = next((one for one in mentions if one.id == id), None)
    if found is None:
        return []
    return [RecordUse(kept.digest, kept.operation, kept.at, included, found.rule, found.meaning, found.reasons)]


def links_of(ledger: Ledger, memory: Memory, view: View) -> list[Link]:
    """Return the edges of a memory to and from memories in the view."""
    edges = ledger.edges.of(memory.id)
    others = [one.target if one.source == memory.id else one.source for one in edges]
    known = ledger.memories.fetch(others, view)
    return [
        Link(other, preview(known[other].text), edge.type, edge.source == memory.id, edge.weight)
        for edge, other in zip(edges, others, strict=True)
        if other in known
    ]


def versions_of(ledger: Ledger, memory: Memory, view: View) -> tuple[Version, ...]:
    """Return the memories that this one replaced and that replaced it, oldest first, with itself in between."""
    older = _followed(ledger, memory, view, lambda one: _replaced(ledger, one))
    newer = _followed(ledger, memory, view, lambda one: one.replaced_by)
    return tuple(
        Version(one.id, preview(one.text), one.state, one.created_at, one.id == memory.id)
        for one in (*reversed(older), memory, *newer)
    )


def _replaced(ledger: Ledger, memory: Memory) -> MemoryId | None:
    """Return what a memory replaced when it was stored: the receipt of that says so."""
    stored = next((one for one in ledger.memories.history(memory.id) if one.operation == "store"), None)
    if stored is None or stored.receipt is None:
        return None
    asked = (fields(one.body.get("asked")) for one in ledger.receipts.find(stored.receipt))
    return next((MemoryId(id) for one in asked if isinstance(id := one.get("replaces"), str)), None)


def _followed(ledger: Ledger, memory: Memory, view: View, step: Callable[[Memory], MemoryId | None]) -> list[Memory]:
    """Return the memories that are reached from one step by step, nearest first."""
    found: list[Memory] = []
    seen = {memory.id}
    while len(found) < MAX_VERSIONS and (id := step(memory)) is not None and id not in seen:
        there = ledger.memories.fetch([id], view)
        if id not in there:
            break
        memory = there[id]
        seen.add(id)
        found.append(memory)
    return found
