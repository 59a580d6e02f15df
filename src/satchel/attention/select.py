"""Select ranked memories for the packet, with reasons for those left out."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from satchel.attention.rank import Row
from satchel.attention.support import EvidenceGraph
from satchel.domain.attention import READS, SLOT_OF, MemoryType, Role, Slot
from satchel.domain.record import MemoryId, Trust
from satchel.domain.similarity import TextComparison

# Number of a role's types that keep a place of their own, if there is a memory for it.
LEADING_TYPES = 2


class Room(Struct, frozen=True):
    """How many memories fit into a packet and each of its lists."""

    memories: int
    slots: Mapping[Slot, int]
    said: Mapping[Slot, Sequence[str]]
    """Texts of the request itself in each list."""


class PacketSelection(Struct):
    """The memories of a packet, and why others were left out."""

    rows: list[Row] = field(default_factory=list)
    left_out: dict[MemoryId, str] = field(default_factory=dict)


def select(
    ranked: Sequence[Row], role: Role, room: Room, graph: EvidenceGraph, comparison: TextComparison
) -> PacketSelection:
    """Select from the best down, skipping overruled and duplicate memories; leading types keep a place."""
    chosen = PacketSelection()
    summaries = [row for row in ranked if row.type is MemoryType.SUMMARY and row.overruled_by is None]

    def objection(row: Row) -> str | None:
        return (
            _overruled(row)
            or _said(row, room, comparison)
            or _duplicate(row, chosen.rows, graph, comparison)
            or _no_room(row, chosen.rows, room)
        )

    for type in READS[role][:LEADING_TYPES]:
        _take_first(trusted_first(row for row in ranked if row.type is type), chosen, room, objection)
    for row in ranked:
        if len(chosen.rows) >= room.memories:
            break
        if row in chosen.rows:
            continue
        carrier = _carrier(row, summaries, graph, comparison)
        if carrier is None:
            _take_first([row], chosen, room, objection)
        else:
            # The summary takes the episode's place, whatever its own rank.
            chosen.left_out[row.memory.id] = f"carried-by:{carrier.memory.id}"
            _take_first([carrier] if carrier not in chosen.rows else [], chosen, room, objection)
    places = {row.memory.id: place for place, row in enumerate(ranked)}
    chosen.rows.sort(key=lambda row: places[row.memory.id])
    return chosen


def trusted_first(rows: Iterable[Row]) -> list[Row]:
    """Return rows in order, trusted ones first."""
    return sorted(rows, key=lambda row: row.memory.trust is not Trust.TRUSTED)


def _take_first(
    rows: Iterable[Row], chosen: PacketSelection, room: Room, objection: Callable[[Row], str | None]
) -> None:
    """Take the first row without an objection, and note the objections to those before it."""
    for row in rows:
        if len(chosen.rows) >= room.memories:
            return
        reason = objection(row)
        if reason is None:
            chosen.rows.append(row)
            return
        chosen.left_out[row.memory.id] = reason


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
