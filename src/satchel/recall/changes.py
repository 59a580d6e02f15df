"""Apply changes to hits: leave out what a newer memory replaces, and mark what it contradicts as earlier."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.changes import Changes, Cosine, find_changes
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.embedding import BUNDLED_MODEL, Vector, cosine
from satchel.domain.ranking import Hit
from satchel.domain.record import MemoryId, Trust
from satchel.domain.view import View
from satchel.ports import Ledger

# Maximum number of hits that are compared with each other, best first.
MAX_COMPARED = 16
# What is shown in front of an older memory that a newer one contradicts.
EARLIER = "earlier: "


class SettledHits(Struct, frozen=True):
    """Hits after changes were applied, and the changes among them."""

    hits: list[Hit]
    """Without replaced memories; each newer one stands before the one it contradicts."""
    changes: Changes
    newest: Mapping[MemoryId, Hit]
    """The newer hit for each replaced or contradicted memory."""

    def arrange(self, chosen: Sequence[Hit]) -> list[Hit]:
        """Return chosen hits with each newer one before the one it contradicts, in whose place it stands if needed."""
        arranged = dict[MemoryId, Hit]()
        for hit in chosen:
            newer = self.newest.get(hit.memory.id)
            if newer is not None:
                arranged.setdefault(newer.memory.id, newer)
            arranged.setdefault(hit.memory.id, hit)
        return list(arranged.values())[: len(chosen)]


def settle_changes(hits: Sequence[Hit], others: Sequence[Hit], ledger: Ledger, view: View) -> SettledHits:
    """Apply changes to hits. What replaces one of them may be among the other hits of the recall, or linked to it."""
    if not hits:
        return SettledHits([], Changes({}, {}), {})
    pool, changes = _changes_among(hits, others, ledger, view)
    newest = {older: pool[newer] for older, newer in (*changes.left_out.items(), *changes.earlier.items())}
    settled = dict[MemoryId, Hit]()
    for hit in hits:
        newer = newest.get(hit.memory.id)
        if newer is not None:
            # It answers the same question as the one it replaces.
            settled.setdefault(newer.memory.id, replace(newer, relevance=max(newer.relevance, hit.relevance)))
        if hit.memory.id not in changes.left_out:
            settled.setdefault(hit.memory.id, hit)
    return SettledHits(
        list(settled.values()), changes, {older: settled.get(one.memory.id, one) for older, one in newest.items()}
    )


def changed_hits(hits: Sequence[Hit], others: Sequence[Hit], ledger: Ledger, view: View) -> dict[MemoryId, MemoryId]:
    """Return the hits that a newer memory replaces or contradicts, each with the newest that does."""
    if not hits:
        return {}
    _, changes = _changes_among(hits, others, ledger, view)
    newest = {**changes.earlier, **changes.left_out}
    return {hit.memory.id: newest[hit.memory.id] for hit in hits if hit.memory.id in newest}


def _changes_among(
    hits: Sequence[Hit], others: Sequence[Hit], ledger: Ledger, view: View
) -> tuple[dict[MemoryId, Hit], Changes]:
    """Return the hits that were compared, with those linked to them, and the changes among them."""
    pool = {hit.memory.id: hit for hit in (*hits, *others)[:MAX_COMPARED]}
    edges = _contradictions(list(pool), ledger, view)
    pool |= _linked(edges, pool, ledger, view)
    return pool, find_changes([hit.memory for hit in pool.values()], edges, _cosines(list(pool), ledger))


def _contradictions(ids: Sequence[MemoryId], ledger: Ledger, view: View) -> list[MemoryEdge]:
    found = ledger.edges.evidence(ids, view, 1) if ids else []
    return [one.edge for one in found if one.edge.type is EdgeType.CONTRADICTS and one.trust is not Trust.QUARANTINED]


def _linked(
    edges: Iterable[MemoryEdge], pool: Mapping[MemoryId, Hit], ledger: Ledger, view: View
) -> dict[MemoryId, Hit]:
    """Return hits for the contradicting memories that no search found."""
    relevance = {edge.source: pool[edge.target].relevance for edge in edges if edge.source not in pool}
    memories = ledger.memories.fetch(list(relevance), view)
    return {id: Hit(one, len(pool) + 1, 0.0, (), relevance[id]) for id, one in memories.items()}


def _cosines(ids: Sequence[MemoryId], ledger: Ledger) -> Cosine:
    """Return how close memories are in meaning. The limits for it were chosen with the bundled model, and hold for no other."""

    @cache
    def vectors() -> Mapping[MemoryId, Vector]:
        # Most memories are told apart by their words, and need none.
        space = ledger.vectors.space()
        return ledger.vectors.get(space, ids) if space is not None and space.name == BUNDLED_MODEL else {}

    def between(one: MemoryId, other: MemoryId) -> float | None:
        first, second = vectors().get(one), vectors().get(other)
        if first is None or second is None:
            return None
        return cosine(first, second)

    return between
