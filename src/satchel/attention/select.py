"""Select ranked memories for the packet, with reasons for those left out."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from satchel.attention.fit import FIT_ORDER, Fit
from satchel.attention.rank import Row
from satchel.attention.support import EvidenceGraph
from satchel.domain.attention import READS, SLOT_OF, MemoryType, Role, Slot
from satchel.domain.record import MemoryId
from satchel.domain.similarity import TextComparison

# Number of a role's types that keep a place of their own, if there is a memory for it.
LEADING_TYPES = 2


class Room(Struct, frozen=True):
    """How many memories fit into a packet and each of its lists."""

    memories: int
    slots: Mapping[Slot, int]
    untrusted: Mapping[Slot, int]
    """How many of them may be untrusted."""
    every_step: int
    """How many may be rules for every step."""
    said: Mapping[Slot, Sequence[str]]
    """Texts of the request itself in each list."""


class PacketSelection(Struct):
    """The memories of a packet, and why others were left out."""

    rows: list[Row] = field(default_factory=list)
    left_out: dict[MemoryId, str] = field(default_factory=dict)


def select(
    ranked: Sequence[Row], role: Role, room: Room, graph: EvidenceGraph, comparison: TextComparison
) -> PacketSelection:
    """Select what belongs in the packet, from the best down, skipping overruled and duplicate memories.

    Trusted memories are selected as if there were no others; untrusted ones share the places that are left.
    """
    chosen = PacketSelection()
    _select_trusted([row for row in ranked if row.trusted], role, room, graph, comparison, chosen)
    _select_untrusted([row for row in ranked if not row.trusted], room, graph, comparison, chosen)
    for row in ranked:
        if row.fit is Fit.OTHER_TASK and row.measured.relevant:
            chosen.left_out[row.memory.id] = row.fit.value
    places = {row.memory.id: place for place, row in enumerate(ranked)}
    chosen.rows.sort(key=lambda row: places[row.memory.id])
    return chosen


def _select_trusted(
    ranked: Sequence[Row],
    role: Role,
    room: Room,
    graph: EvidenceGraph,
    comparison: TextComparison,
    chosen: PacketSelection,
) -> None:
    """Select one memory of each leading type, one rule for every step, then the rest, the best fitting first."""
    related = [row for row in _fitting(ranked) if row.fit not in (Fit.ROLE, Fit.EVERY_STEP)]
    every_step = [row for row in ranked if row.fit is Fit.EVERY_STEP]
    of_role = [row for row in ranked if row.fit is Fit.ROLE]
    summaries = _summaries(ranked)

    def objection(row: Row) -> str | None:
        return _objection(row, chosen.rows, room, graph, comparison)

    for type in READS[role][:LEADING_TYPES]:
        # A procedure that is only of the role stands in where no procedure is of the goal.
        fitting = [row for row in related if row.type is type] or [row for row in of_role if row.type is type]
        _take_first(fitting, chosen, room, objection)
    if room.every_step:
        _take_first(every_step, chosen, room, objection)
    for row in related:
        _take(row, _carrier(row, summaries, graph, comparison), chosen, room, objection)
    for row in every_step:
        if sum(one.fit is Fit.EVERY_STEP for one in chosen.rows) < room.every_step:
            _take(row, None, chosen, room, objection)
        elif row not in chosen.rows:
            chosen.left_out.setdefault(row.memory.id, f"no-room:{Fit.EVERY_STEP}")


def _select_untrusted(
    ranked: Sequence[Row], room: Room, graph: EvidenceGraph, comparison: TextComparison, chosen: PacketSelection
) -> None:
    summaries = _summaries(ranked)

    def objection(row: Row) -> str | None:
        slot = SLOT_OF[row.type]
        taken = sum(SLOT_OF[one.type] is slot and not one.trusted for one in chosen.rows)
        full = f"untrusted-share:{slot}" if taken >= room.untrusted[slot] else None
        return _objection(row, chosen.rows, room, graph, comparison) or full

    for row in _fitting(ranked):
        _take(row, _carrier(row, summaries, graph, comparison), chosen, room, objection)


def _fitting(ranked: Sequence[Row]) -> list[Row]:
    """Return the rows that belong in the packet, the best fitting first."""
    return sorted((row for row in ranked if row.fit.belongs), key=lambda row: FIT_ORDER[row.fit])


def _summaries(ranked: Sequence[Row]) -> list[Row]:
    return [row for row in ranked if row.type is MemoryType.SUMMARY and row.overruled_by is None]


def _objection(
    row: Row, chosen: Sequence[Row], room: Room, graph: EvidenceGraph, comparison: TextComparison
) -> str | None:
    return (
        _overruled(row)
        or _said(row, room, comparison)
        or _duplicate(row, chosen, graph, comparison)
        or _no_room(row, chosen, room)
    )


def _take(
    row: Row, carrier: Row | None, chosen: PacketSelection, room: Room, objection: Callable[[Row], str | None]
) -> None:
    """Take a row, or the summary that carries it, whatever its own rank."""
    if row in chosen.rows:
        return
    if carrier is not None:
        chosen.left_out[row.memory.id] = f"carried-by:{carrier.memory.id}"
        row = carrier
    if row not in chosen.rows:
        _take_first([row], chosen, room, objection)


def _take_first(
    rows: Iterable[Row], chosen: PacketSelection, room: Room, objection: Callable[[Row], str | None]
) -> None:
    """Take the first row without an objection, and note the objections to those before it."""
    for row in rows:
        reason = objection(row)
        if reason is None and len(chosen.rows) < room.memories:
            chosen.rows.append(row)
            chosen.left_out.pop(row.memory.id, None)
            return
        chosen.left_out[row.memory.id] = reason or "no-room:packet"


def _overruled(row: Row) -> str | None:
    return None if row.overruled_by is None else f"contradicted-by:{row.overruled_by}"


def _said(row: Row, room: Room, comparison: TextComparison) -> str | None:
    texts = room.said.get(SLOT_OF[row.type], ())
    return "duplicate-of:request" if any(comparison.says_same(row.memory.text, text) for text in texts) else None


def _duplicate(row: Row, chosen: Sequence[Row], graph: EvidenceGraph, comparison: TextComparison) -> str | None:
    for other in chosen:
        linked = frozenset((row.memory.id, other.memory.id)) in graph.similar
        if SLOT_OF[other.type] is SLOT_OF[row.type] and (
            linked or comparison.says_same(row.memory.text, other.memory.text)
        ):
            return f"duplicate-of:{other.memory.id}"
    return None


def _no_room(row: Row, chosen: Sequence[Row], room: Room) -> str | None:
    slot = SLOT_OF[row.type]
    taken = sum(SLOT_OF[one.type] is slot for one in chosen)
    return f"no-room:{slot}" if taken >= room.slots[slot] else None


def _carrier(row: Row, summaries: Sequence[Row], graph: EvidenceGraph, comparison: TextComparison) -> Row | None:
    """Return the summary that covers an episode, if there is one."""
    if row.type is not MemoryType.EPISODE:
        return None
    derived = graph.derived.get(row.memory.id, ())
    return next(
        (one for one in summaries if one.memory.id in derived or comparison.covers(one.memory.text, row.memory.text)),
        None,
    )
