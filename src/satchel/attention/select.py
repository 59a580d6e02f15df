"""Selecting: which of the ranked memories go into the packet, which do not, and why not."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from satchel.attention.duplicates import Comparison
from satchel.attention.rank import Row
from satchel.attention.support import Graph
from satchel.domain.attention import READS, SLOT_OF, MemoryType, Role, Slot
from satchel.domain.record import MemoryId, Trust

# So many of a role's types keep a place of their own, if there is a memory for it: those it cannot do without.
LEADING_TYPES = 2


class Room(Struct, frozen=True):
    """How many memories fit into a packet, and into each of its lists."""

    memories: int
    slots: Mapping[Slot, int]
    said: Mapping[Slot, Sequence[str]]
    """What the request itself puts into each list."""


class Selection(Struct):
    """The memories of a packet, and why others were left out."""

    rows: list[Row] = field(default_factory=list)
    left_out: dict[MemoryId, str] = field(default_factory=dict)


def select(ranked: Sequence[Row], role: Role, room: Room, graph: Graph, compared: Comparison) -> Selection:
    """Choose memories from the best down, none that is overruled or said already; leading types keep a place."""
    chosen = Selection()
    summaries = [row for row in ranked if row.type is MemoryType.SUMMARY and row.overruled_by is None]

    def objection(row: Row) -> str | None:
        return (
            _overruled(row)
            or _said(row, room, compared)
            or _duplicate(row, chosen.rows, graph, compared)
            or _no_room(row, chosen.rows, room)
        )

    for type in READS[role][:LEADING_TYPES]:
        _take_first(trusted_first(row for row in ranked if row.type is type), chosen, room, objection)
    for row in ranked:
        if len(chosen.rows) >= room.memories:
            break
        if row in chosen.rows:
            continue
        carrier = _carrier(row, summaries, graph, compared)
        if carrier is None:
            _take_first([row], chosen, room, objection)
        else:
            # The summary takes the episode's place, wherever it ranks itself.
            chosen.left_out[row.memory.id] = f"carried-by:{carrier.memory.id}"
            _take_first([carrier] if carrier not in chosen.rows else [], chosen, room, objection)
    places = {row.memory.id: place for place, row in enumerate(ranked)}
    chosen.rows.sort(key=lambda row: places[row.memory.id])
    return chosen


def trusted_first(rows: Iterable[Row]) -> list[Row]:
    """Return rows in their order, but first what the operator said and then what tools, pages and files say."""
    return sorted(rows, key=lambda row: row.memory.trust is not Trust.TRUSTED)


def _take_first(rows: Iterable[Row], chosen: Selection, room: Room, objection: Callable[[Row], str | None]) -> None:
    """Take the first row that nothing speaks against, and note what spoke against those before it."""
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


def _said(row: Row, room: Room, compared: Comparison) -> str | None:
    texts = room.said.get(SLOT_OF[row.type], ())
    return "duplicate-of:request" if any(compared.same(row.memory.text, text) for text in texts) else None


def _duplicate(row: Row, chosen: Sequence[Row], graph: Graph, compared: Comparison) -> str | None:
    for other in chosen:
        linked = frozenset((row.memory.id, other.memory.id)) in graph.similar
        if SLOT_OF[other.type] is SLOT_OF[row.type] and (linked or compared.same(row.memory.text, other.memory.text)):
            return f"duplicate-of:{other.memory.id}"
    return None


def _no_room(row: Row, chosen: Sequence[Row], room: Room) -> str | None:
    slot = SLOT_OF[row.type]
    taken = sum(SLOT_OF[one.type] is slot for one in chosen)
    return f"no-room:{slot}" if taken >= room.slots[slot] else None


def _carrier(row: Row, summaries: Sequence[Row], graph: Graph, compared: Comparison) -> Row | None:
    """Return the summary that tells what an episode tells, if there is one."""
    if row.type is not MemoryType.EPISODE:
        return None
    derived = graph.derived.get(row.memory.id, ())
    return next(
        (one for one in summaries if one.memory.id in derived or compared.carries(one.memory.text, row.memory.text)),
        None,
    )
