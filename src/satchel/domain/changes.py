"""Which of several memories stand for a change: the newer one, and the older one that it replaces or contradicts.

A newer memory replaces an older one if it says that it changes it. If they only contradict each other, by an edge or by
their words, both are shown, the older one marked. A less trusted memory does neither to a more trusted one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from msgspec import Struct

from satchel.domain.contradiction import Concern, Statement, analyse, concern, contradiction, same_subject
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.record import Kind, Memory, MemoryId
from satchel.domain.trust import outranks

# Intent, events and what is derived from other memories do not change decisions.
COMPARED_KINDS = (Kind.PREFERENCE, Kind.DECISION, Kind.FACT, Kind.PROCEDURE, Kind.OTHER, Kind.ENTITY)
ANNOUNCED, LINKED = "announced", "linked"

Cosine = Callable[[MemoryId, MemoryId], float | None]
"""Returns how close two memories are in meaning, or None if that is unknown."""


class ChangedPair(Struct, frozen=True):
    """Two memories of which the newer one changes the older one."""

    newer: MemoryId
    older: MemoryId
    replaces: bool
    """Whether the newer one says so; otherwise they contradict each other."""
    reason: str


class Changes(Struct, frozen=True):
    """What changed among some memories."""

    left_out: Mapping[MemoryId, MemoryId]
    """Replaced memories, each with the newest one that replaces it."""
    earlier: Mapping[MemoryId, MemoryId]
    """Contradicted memories that are shown as earlier, each with the newest one that contradicts it."""
    pairs: tuple[ChangedPair, ...] = ()


def no_cosine(one: MemoryId, other: MemoryId) -> float | None:
    """Say that meanings are unknown."""
    return None


def find_changes(memories: Sequence[Memory], edges: Iterable[MemoryEdge], cosine: Cosine = no_cosine) -> Changes:
    """Return what changed among some memories."""
    linked = {frozenset((edge.source, edge.target)) for edge in edges if edge.type is EdgeType.CONTRADICTS}
    analysed = cache(analyse)
    newest_first = sorted(memories, key=lambda one: (-one.created_at, one.id))
    pairs = [
        pair
        for place, newer in enumerate(newest_first)
        for older in newest_first[place + 1 :]
        if (pair := _pair(newer, older, linked, analysed, cosine))
    ]
    left_out, earlier = dict[MemoryId, MemoryId](), dict[MemoryId, MemoryId]()
    for pair in pairs:
        # Newest first: what is replaced itself replaces and contradicts nothing any more.
        if pair.newer in left_out or pair.older in left_out:
            continue
        if pair.replaces:
            left_out[pair.older] = pair.newer
            earlier.pop(pair.older, None)
        else:
            earlier.setdefault(pair.older, pair.newer)
    return Changes(left_out, earlier, tuple(pairs))


def _pair(
    newer: Memory,
    older: Memory,
    linked: set[frozenset[MemoryId]],
    analysed: Callable[[str], Statement],
    cosine: Cosine,
) -> ChangedPair | None:
    if newer.scope != older.scope or outranks(older.trust, newer.trust):
        return None
    if frozenset((newer.id, older.id)) in linked:
        return ChangedPair(newer.id, older.id, replaces=False, reason=LINKED)
    if newer.kind not in COMPARED_KINDS or older.kind not in COMPARED_KINDS:
        return None
    said, other = analysed(newer.text), analysed(older.text)
    if newer.created_at > older.created_at and _replaces(said, other, lambda: cosine(newer.id, older.id)):
        return ChangedPair(newer.id, older.id, replaces=True, reason=ANNOUNCED)
    opposed = contradiction(said, other)
    return ChangedPair(newer.id, older.id, replaces=False, reason=opposed) if opposed else None


def _replaces(said: Statement, other: Statement, cosine: Callable[[], float | None]) -> bool:
    if said.terms.isdisjoint(other.terms) or not said.is_newer:
        return False
    return concern(said, other) is Concern.CLEAR or same_subject(said, other, cosine())
