"""Working memory, as a person sees it."""

from collections.abc import Callable

from satchel.attention.values import (
    Added,
    AttentionItem,
    AttentionList,
    AttentionReady,
    Inspected,
    PacketList,
    Reflected,
    Refreshed,
    Routed,
    RowReport,
)
from satchel.domain.attention import Packet, Slot
from satchel.interfaces.cli.views.lines import Lines, one_line
from satchel.interfaces.encode import encoded

HEADINGS = {
    Slot.CONSTRAINTS: "must",
    Slot.FACTS: "know",
    Slot.PROCEDURES: "do",
    Slot.PITFALLS: "avoid",
    Slot.QUESTIONS: "still open",
}


def _ready(result: AttentionReady) -> Lines:
    yield f"ready: {result.db_path}", "green"


def _added(result: Added) -> Lines:
    yield f"added {result.memory_id}", "green"
    for id in result.retired_memory_ids:
        yield f"  retired {id}", "dim"
    if result.edge_ids:
        yield f"  {len(result.edge_ids)} {'edge' if len(result.edge_ids) == 1 else 'edges'}", "dim"


def _routed(result: Routed) -> Lines:
    yield from packet_lines(result.packet)
    chosen = set(result.packet.selected_memory_ids)
    for row in result.debug.selected_memories:
        yield from _why(row, row.id in chosen)
    for out in result.debug.omitted:
        yield f"left out of {out.field}: {one_line(out.text, 60)} ({out.reason})", "yellow"
    yield f"packet {result.packet_id or '(not kept)'}", "dim"


def _why(row: RowReport, chosen: bool) -> Lines:
    yield f"  {'✓' if chosen else '·'} {row.score:.3f}  {one_line(row.title, 60)}  {row.id}", "" if chosen else "dim"
    yield f"      {', '.join(row.reasons)}", "dim"


def packet_lines(packet: Packet) -> Lines:
    """Yield the lists of a packet, each under its heading; empty ones are not mentioned."""
    yield f"{packet.step_role}: {one_line(packet.goal)}", "bold"
    lists = {slot: getattr(packet, slot) for slot in Slot}
    for slot, texts in lists.items():
        if texts:
            yield f"{HEADINGS[slot]}:", "cyan"
        for text in texts:
            yield f"  - {one_line(text, 400)}", ""
    if not any(lists.values()):
        yield "nothing to say about it", "dim"


def _reflected(result: Reflected) -> Lines:
    yield f"kept the reflection {result.reflection_memory_id}", "green"
    if result.procedure_memory_id:
        yield f"  and the procedure {result.procedure_memory_id}", "green"


def _refreshed(result: Refreshed) -> Lines:
    for id in result.deactivated:
        by = f", replaced by {result.replacement_memory_id}" if result.replacement_memory_id else ""
        yield f"retired {id}{by}: {one_line(result.refresh_reason)}", "green"
    for id in result.not_found:
        yield f"not found: {one_line(id, 80)}", "yellow"


def _listed(result: AttentionList) -> Lines:
    for item in result.items:
        yield f"{item.id}  {one_line(item.title, 80)}", "" if item.is_active else "dim"
        yield f"  {_standing(item)}", "dim"
    if not result.items:
        yield "no memories", "dim"


def _standing(item: AttentionItem) -> str:
    state = (
        ""
        if item.is_active
        else f" · retired{f', see {item.replaced_by_memory_id}' if item.replaced_by_memory_id else ''}"
    )
    return f"{item.memory_type} · {item.role_scope} · importance {item.importance:g}{state} · {item.updated_at[:10]}"


def _inspected(result: Inspected) -> Lines:
    yield result.memory.summary, "bold"
    for name, value in dict(encoded(result.memory)).items():  # type: ignore[arg-type]
        if name != "summary" and value not in (None, [], {}, ""):
            yield (
                f"  {name.replace('_', ' ')}: {', '.join(map(str, value)) if isinstance(value, (list, tuple)) else value}",
                "",
            )
    for edge in result.edges:
        other = edge.to_memory_id if edge.from_memory_id == result.memory.id else f"(said by {edge.from_memory_id})"
        yield f"  {edge.edge_type} {other}, weight {edge.weight:g}", "cyan"


def _packets(result: PacketList) -> Lines:
    for one in result.items:
        yield f"{one.id}  {one.created_at}", "dim"
        yield from packet_lines(one.packet)
    if not result.items:
        yield "no packets yet", "dim"


VIEWS: dict[str, Callable[..., Lines]] = {
    "attention init": _ready,
    "attention add": _added,
    "attention route": _routed,
    "attention reflect": _reflected,
    "attention refresh": _refreshed,
    "attention list": _listed,
    "attention inspect": _inspected,
    "attention packets": _packets,
}
