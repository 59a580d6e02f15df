"""Compose the packet from the selected memories and the request's own texts, within caps and budget."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest

from msgspec import Struct, field

from satchel.attention.rank import Row
from satchel.attention.request import AttentionRequest
from satchel.attention.select import Room
from satchel.domain.attention import CONSTRAINT_KEYS, SLOT_OF, Details, MemoryType, Packet, Slot
from satchel.domain.canonical import Json
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import MemoryId
from satchel.domain.safety.redact import mask
from satchel.domain.shorten import shorten
from satchel.domain.similarity import TextComparison
from satchel.ports import PacketItem

PITFALL_TAGS = frozenset({"failure", "pitfall", "warning"})
# Maximum number of rules from one preference, to leave room for others.
MAX_RULES = 3
# Maximum number of the request's own texts considered per list.
MAX_OWN_ITEMS = 20
NAMED_CHARS = 80
# What a text of an untrusted memory begins with in a packet.
UNTRUSTED_MARK = "[untrusted] "
_LESSONS = ("what_failed", "lessons", "next_time")


class Omitted(Struct, frozen=True):
    """A text left out of the packet, and why."""

    slot: Slot
    text: str
    memory_id: MemoryId | None
    reason: str


class Composed(Struct, frozen=True):
    """The texts of a packet with their sources, and those left out."""

    goal: str
    items: tuple[PacketItem, ...]
    omitted: tuple[Omitted, ...]

    @property
    def contributors(self) -> frozenset[MemoryId]:
        """Memories that contributed a text."""
        return frozenset(item.memory_id for item in self.items if item.memory_id is not None)

    def texts(self, slot: Slot) -> tuple[str, ...]:
        """Return one list of the packet."""
        return tuple(item.text for item in self.items if item.slot is slot)

    def packet(self, role: str, selected: Sequence[MemoryId]) -> Packet:
        """Return the packet of a role with these selected memories."""
        lists = {slot.value: self.texts(slot) for slot in Slot}
        return Packet(self.goal, role, **lists, selected_memory_ids=tuple(selected))


class _Shelf(Struct, frozen=True):
    """One list of a packet being filled: texts of the request, texts of memories, and limits."""

    slot: Slot
    cap: int
    kept: int
    own: tuple[PacketItem, ...] = ()
    stored: tuple[PacketItem, ...] = ()
    untrusted: tuple[PacketItem, ...] = ()
    max_untrusted: int = 0


class _Filled(Struct):
    own: list[PacketItem] = field(default_factory=list)
    stored: list[PacketItem] = field(default_factory=list)
    untrusted: list[PacketItem] = field(default_factory=list)
    omitted: list[Omitted] = field(default_factory=list)


def room_for(request: AttentionRequest, policy: AttentionPolicy) -> Room:
    """Return how many memories fit beside the request's own texts."""
    own = {Slot.CONSTRAINTS: request.constraints, Slot.PITFALLS: request.failures}
    caps = {
        Slot.CONSTRAINTS: (policy.max_constraints, policy.kept_constraints),
        Slot.FACTS: (policy.max_facts, 0),
        Slot.PROCEDURES: (policy.max_procedures, 0),
        Slot.PITFALLS: (policy.max_pitfalls, policy.kept_pitfalls),
    }
    slots = {slot: max(min(kept, cap), cap - len(own.get(slot, ()))) for slot, (cap, kept) in caps.items()}
    # Only the request's texts that no memory can displace.
    said = {slot: texts[: caps[slot][0] - min(caps[slot])] for slot, texts in own.items()}
    untrusted = {slot: _untrusted_places(cap, policy) for slot, (cap, _) in caps.items()}
    return Room(policy.max_selected, slots, untrusted, policy.max_every_step, said)


def _untrusted_places(cap: int, policy: AttentionPolicy) -> int:
    return int(cap * policy.untrusted_share)


def compose(
    request: AttentionRequest,
    rows: Sequence[Row],
    details: Mapping[MemoryId, Details],
    policy: AttentionPolicy,
    comparison: TextComparison,
) -> Composed:
    """Fill the lists of a packet, then apply the packet's budget."""
    filled = {shelf.slot: _fill(shelf, comparison) for shelf in _shelves(request, rows, details, policy)}
    goal = shorten(request.goal, min(policy.item_chars, policy.packet_chars // 4))
    kept, too_much = _within(policy.packet_chars - len(goal), filled)
    omitted = [one for shelf in filled.values() for one in shelf.omitted] + too_much
    items = tuple(
        item
        for shelf in filled.values()
        for item in (
            *(one for one in (*shelf.own, *shelf.stored) if one in kept),
            *(_marked(one) for one in shelf.untrusted if one in kept),
        )
    )
    return Composed(goal, items, tuple(omitted))


def _marked(item: PacketItem) -> PacketItem:
    return item._replace(text=UNTRUSTED_MARK + item.text)


def _shelves(
    request: AttentionRequest, rows: Sequence[Row], details: Mapping[MemoryId, Details], policy: AttentionPolicy
) -> tuple[_Shelf, ...]:
    trusted = _stored_texts([row for row in rows if row.trusted], details, policy.item_chars)
    short = policy.item_chars - len(UNTRUSTED_MARK)
    untrusted = _stored_texts([row for row in rows if not row.trusted], details, short)
    own = {
        Slot.CONSTRAINTS: request.constraints,
        Slot.PITFALLS: request.failures,
        Slot.QUESTIONS: request.questions,
    }
    caps = {
        Slot.CONSTRAINTS: (policy.max_constraints, policy.kept_constraints),
        Slot.FACTS: (policy.max_facts, 0),
        Slot.PROCEDURES: (policy.max_procedures, 0),
        Slot.PITFALLS: (policy.max_pitfalls, policy.kept_pitfalls),
        Slot.QUESTIONS: (policy.max_questions, 0),
    }
    return tuple(
        _Shelf(
            slot,
            cap,
            kept,
            tuple(
                PacketItem(slot, shorten(text, policy.item_chars), None) for text in own.get(slot, ())[:MAX_OWN_ITEMS]
            ),
            trusted.get(slot, ()),
            untrusted.get(slot, ()),
            _untrusted_places(cap, policy),
        )
        for slot, (cap, kept) in caps.items()
    )


def _stored_texts(
    rows: Sequence[Row], details: Mapping[MemoryId, Details], limit: int
) -> dict[Slot, tuple[PacketItem, ...]]:
    """Return the texts that memories contribute to each list."""
    facts = ((row.memory.id, row.memory.text) for row in rows if row.type in (MemoryType.SUMMARY, MemoryType.EPISODE))
    steps = ((row.memory.id, row.memory.text) for row in rows if row.type is MemoryType.PROCEDURE)
    texts: dict[Slot, Iterable[tuple[MemoryId, str]]] = {
        Slot.CONSTRAINTS: _rules(rows, details),
        Slot.FACTS: facts,
        Slot.PROCEDURES: steps,
        Slot.PITFALLS: ((row.memory.id, _warning(row, details, limit)) for row in rows if _is_pitfall(row)),
    }
    return {slot: tuple(PacketItem(slot, shorten(text, limit), id) for id, text in of) for slot, of in texts.items()}


def _rules(rows: Sequence[Row], details: Mapping[MemoryId, Details]) -> Iterator[tuple[MemoryId, str]]:
    """Yield the rules of preferences: the text of each first, then the rules in its details, round robin."""
    by_row = [
        [(row.memory.id, text) for text in (row.memory.text, *_spelled_out(details.get(row.memory.id)))][:MAX_RULES]
        for row in rows
        if row.type is MemoryType.PREFERENCE
    ]
    yield from (rule for rule in chain.from_iterable(zip_longest(*by_row)) if rule is not None)


def _spelled_out(details: Details | None) -> list[str]:
    return [] if details is None else [text for key in CONSTRAINT_KEYS for text in _texts(details.data.get(key))]


def _texts(value: Json) -> list[str]:
    """Return the texts in a field that may hold a text, a list or anything else."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, str) and item.strip()]


def _is_pitfall(row: Row) -> bool:
    return row.type is MemoryType.REFLECTION or any(tag.casefold() in PITFALL_TAGS for tag in row.memory.tags)


def _warning(row: Row, details: Mapping[MemoryId, Details], limit: int) -> str:
    """Return a pitfall's text, or its lessons only if the text would be cut before them."""
    carried = details.get(row.memory.id)
    if len(row.memory.text) <= limit or carried is None:
        return row.memory.text
    lessons = [text for key in _LESSONS for text in _texts(carried.data.get(key))]
    return "; ".join(lessons) or row.memory.text


def _fill(shelf: _Shelf, comparison: TextComparison) -> _Filled:
    """Fill one list: texts of the request first, except in the places reserved for memories."""
    filled = _Filled()
    own, stored = _distinct(shelf.own, comparison, filled), _distinct(shelf.stored, comparison, filled)
    for item in own:
        unsaid = sum(not any(comparison.says_same(one.text, said.text) for said in filled.own) for one in stored)
        if len(filled.own) < shelf.cap - min(shelf.kept, unsaid):
            filled.own.append(item)
        else:
            filled.omitted.append(_omitted(item, "no-room"))
    for item in stored:
        if any(comparison.says_same(item.text, one.text) for one in filled.own):
            filled.omitted.append(_omitted(item, "duplicate-of:request"))
        elif len(filled.own) + len(filled.stored) < shelf.cap:
            filled.stored.append(item)
        else:
            filled.omitted.append(_omitted(item, "no-room"))
    _add_untrusted(shelf, comparison, filled)
    return filled


def _add_untrusted(shelf: _Shelf, comparison: TextComparison, filled: _Filled) -> None:
    """Add untrusted texts, up to their share, in the places that are left."""
    for item in _distinct(shelf.untrusted, comparison, filled):
        taken = [*filled.own, *filled.stored]
        twin = next((one for one in taken if comparison.says_same(item.text, one.text)), None)
        if twin is not None:
            filled.omitted.append(_omitted(item, f"duplicate-of:{twin.memory_id or 'request'}"))
        elif len(filled.untrusted) >= shelf.max_untrusted:
            filled.omitted.append(_omitted(item, f"untrusted-share:{shelf.slot}"))
        elif len(taken) + len(filled.untrusted) >= shelf.cap:
            filled.omitted.append(_omitted(item, "no-room"))
        else:
            filled.untrusted.append(item)


def _distinct(items: Sequence[PacketItem], comparison: TextComparison, filled: _Filled) -> list[PacketItem]:
    """Drop duplicates. Rules of one memory count as duplicates only if their words are equal."""
    kept: list[PacketItem] = []
    for item in items:
        twin = next((one for one in kept if _is_twin(item, one, comparison)), None)
        if twin is None:
            kept.append(item)
        else:
            filled.omitted.append(_omitted(item, f"duplicate-of:{twin.memory_id or 'request'}"))
    return kept


def _is_twin(item: PacketItem, other: PacketItem, comparison: TextComparison) -> bool:
    if item.memory_id == other.memory_id:
        return " ".join(item.text.split()) == " ".join(other.text.split())
    return comparison.says_same(item.text, other.text)


def _within(budget: int, filled: Mapping[Slot, _Filled]) -> tuple[set[PacketItem], list[Omitted]]:
    """Return the items that fit into the budget, taken round robin from all lists and sources, untrusted ones last."""
    order = (Slot.CONSTRAINTS, Slot.PROCEDURES, Slot.PITFALLS, Slot.FACTS, Slot.QUESTIONS)
    streams = [stream for slot in order for stream in (filled[slot].stored, filled[slot].own)]
    untrusted = [filled[slot].untrusted for slot in order]
    kept: set[PacketItem] = set()
    omitted: list[Omitted] = []
    sized = chain(
        ((item, 0) for item in chain.from_iterable(zip_longest(*streams))),
        ((item, len(UNTRUSTED_MARK)) for item in chain.from_iterable(zip_longest(*untrusted))),
    )
    for item, mark in sized:
        if item is None:
            continue
        if len(item.text) + mark <= budget:
            budget -= len(item.text) + mark
            kept.add(item)
        else:
            omitted.append(_omitted(item, "budget"))
    return kept, omitted


def omitted_row(row: Row, reason: str) -> Omitted:
    """Return a memory that was not selected as an omission from its list."""
    return Omitted(SLOT_OF[row.type], shorten(mask(row.memory.text), NAMED_CHARS), row.memory.id, reason)


def _omitted(item: PacketItem, reason: str) -> Omitted:
    return Omitted(item.slot, shorten(item.text, NAMED_CHARS), item.memory_id, reason)
