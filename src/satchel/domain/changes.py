"""Which of several memories stand for a change: the newer one, and the older one that it replaces or contradicts.

A newer memory replaces an older one if it says that it changes something, and very likely this. If that is only likely, or they
contradict each other, by an edge or by their words, both are shown, the older one marked. A less trusted memory does neither
to a more trusted one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from satchel.domain.change_likelihood import changed_odds, is_about_other_item, subject_odds
from satchel.domain.concern import Concern, concern, same_subject
from satchel.domain.contradiction import contradiction
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.record import Kind, Memory, MemoryId
from satchel.domain.statements.comparable import Statement, analyse
from satchel.domain.trust import outranks

# Intent, events and what is derived from other memories do not change decisions.
COMPARED_KINDS = (Kind.PREFERENCE, Kind.DECISION, Kind.FACT, Kind.PROCEDURE, Kind.OTHER, Kind.ENTITY)
ANNOUNCED, LIKELY, LINKED = "announced", "likely", "linked"
# Memories less alike in meaning are about different subjects.
MIN_COSINE = 0.3
# Most of the cost is the analysis of texts, and prompts about one project find the same ones again.
RECENT_TEXTS = 500

Cosine = Callable[[MemoryId, MemoryId], float | None]
"""Returns how close two memories are in meaning, or None if that is unknown."""


class MinOdds(Struct, frozen=True):
    """Minimum log-odds that two memories are about the same subject, and that what the older one says is changed."""

    same_subject: float
    changed: float


# To leave the older one out, the same by words only, and to mark it. Chosen by cross-validation (`python -m training changes`).
VERY_LIKELY = MinOdds(same_subject=1.5, changed=0.0)
VERY_LIKELY_BY_WORDS = MinOdds(same_subject=2.0, changed=0.2)
LIKELY_CHANGE = MinOdds(same_subject=1.0, changed=-0.15)
# Below this, a newer memory that describes a change and seems to be about the same only adds to the older one.
MIN_CHANGED = -0.5


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


_analysed = lru_cache(RECENT_TEXTS)(analyse)


def no_cosine(one: MemoryId, other: MemoryId) -> float | None:
    """Say that meanings are unknown."""
    return None


def find_changes(memories: Sequence[Memory], edges: Iterable[MemoryEdge], cosine: Cosine = no_cosine) -> Changes:
    """Return what changed among some memories."""
    linked = {frozenset((edge.source, edge.target)) for edge in edges if edge.type is EdgeType.CONTRADICTS}
    newest_first = sorted(memories, key=lambda one: (-one.created_at, one.id))
    pairs = [
        pair
        for place, newer in enumerate(newest_first)
        for older in newest_first[place + 1 :]
        if (pair := _pair(newer, older, linked, cosine))
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
    cosine: Cosine,
) -> ChangedPair | None:
    if newer.scope != older.scope or outranks(older.trust, newer.trust):
        return None
    if frozenset((newer.id, older.id)) in linked:
        return ChangedPair(newer.id, older.id, replaces=False, reason=LINKED)
    if newer.kind not in COMPARED_KINDS or older.kind not in COMPARED_KINDS:
        return None
    said, other = _analysed(newer.text), _analysed(older.text)
    likely = (
        likely_change(said, other, cosine(newer.id, older.id)) if _is_comparable(newer, older, said, other) else None
    )
    if likely is ANNOUNCED:
        return ChangedPair(newer.id, older.id, replaces=True, reason=ANNOUNCED)
    reason = contradiction(said, other) or likely
    return ChangedPair(newer.id, older.id, replaces=False, reason=reason) if reason else None


def _is_comparable(newer: Memory, older: Memory, said: Statement, other: Statement) -> bool:
    return newer.created_at > older.created_at and not said.terms.isdisjoint(other.terms)


def likely_change(newer: Statement, older: Statement, cosine: float | None) -> str | None:
    """Return whether a statement announces that it changes an older one, or likely changes it; None otherwise.

    A proposal changes nothing yet, an exception nothing for long, and one issue nothing about another.
    """
    if is_about_other_item(newer, older):
        return None
    if (cosine is not None and cosine < MIN_COSINE) or newer.cues.is_open or newer.cues.is_temporary:
        return None
    subject, by_rule = subject_odds(newer, older, cosine), _by_rule(newer, older, cosine)
    if subject < LIKELY_CHANGE.same_subject and not by_rule:
        return None
    changed = changed_odds(newer, older, cosine)
    least = VERY_LIKELY_BY_WORDS if cosine is None else VERY_LIKELY
    very_likely = subject >= least.same_subject and changed >= least.changed
    if (very_likely and _announces(newer)) or (by_rule and changed >= MIN_CHANGED):
        return ANNOUNCED
    return LIKELY if subject >= LIKELY_CHANGE.same_subject and changed >= LIKELY_CHANGE.changed else None


def _announces(newer: Statement) -> bool:
    return newer.is_newer or newer.cues.ended or newer.cues.begins


def _by_rule(newer: Statement, older: Statement, cosine: float | None) -> bool:
    return newer.is_newer and (concern(newer, older) is Concern.CLEAR or same_subject(newer, older, cosine))
