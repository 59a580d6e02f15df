"""Views of attention packets and memories."""

from satchel.attention import values
from satchel.domain.attention import Packet, Slot
from satchel.domain.imports import TakenOver
from satchel.interfaces.cli.views.lines import Lines, Views, count, one_line
from satchel.interfaces.serialization import to_json

HEADINGS = {
    Slot.CONSTRAINTS: "must",
    Slot.FACTS: "know",
    Slot.PROCEDURES: "do",
    Slot.PITFALLS: "avoid",
    Slot.QUESTIONS: "still open",
}


def _ready(result: values.AttentionReady) -> Lines:
    yield f"ready: {result.db_path}", "green"
    if result.not_imported:
        yield f"{one_line(result.not_imported.source)} was not taken over: {result.not_imported.reason}", "yellow"
    if result.imported:
        yield from _taken_over(result.imported)


def _taken_over(done: TakenOver) -> Lines:
    parts = [f"{count(done.memories, 'memory')} taken over", f"{done.untrusted} untrusted"]
    parts += [f"{done.quarantined} quarantined"] if done.quarantined else []
    parts += [f"{done.known} already there"] if done.known else []
    parts += [f"{done.retired} retired before left out"] if done.retired else []
    yield f"{one_line(done.source)}: {', '.join(parts)}; {count(done.edges, 'edge')}", "green"
    for one in done.refused:
        yield f"  refused {one.place}: {one.reason}", "red"
    if done.refused_unlisted:
        yield f"  and {done.refused_unlisted} more refused", "red"
    if done.next:
        yield f"  {done.next}", "yellow"


def _added(result: values.Added) -> Lines:
    if result.duplicate:
        yield f"already stored as {result.memory_id}; nothing was added", "yellow"
        return
    yield f"added {result.memory_id}", "green"
    for id in result.retired_memory_ids:
        yield f"  retired {id}", "dim"
    if result.edge_ids:
        yield f"  {count(len(result.edge_ids), 'edge')}", "dim"


def _routed(result: values.Routed) -> Lines:
    yield from packet_lines(result.packet)
    chosen = set(result.packet.selected_memory_ids)
    for row in result.debug.selected_memories:
        yield from _score(row, row.id in chosen)
    for out in result.debug.omitted:
        yield f"left out of {out.field}: {one_line(out.text, 60)} ({out.reason})", "yellow"
    yield f"packet {result.packet_id or '(not kept)'}", "dim"


def _score(row: values.RowReport, chosen: bool) -> Lines:
    yield f"  {'✓' if chosen else '·'} {row.score:.3f}  {one_line(row.title, 60)}  {row.id}", "" if chosen else "dim"
    yield f"      {', '.join(row.reasons)}", "dim"


def packet_lines(packet: Packet) -> Lines:
    """Yield the lists of a packet that are not empty, each under its heading."""
    yield f"{packet.step_role}: {one_line(packet.goal)}", "bold"
    lists = {slot: getattr(packet, slot) for slot in Slot}
    for slot, texts in lists.items():
        if texts:
            yield f"{HEADINGS[slot]}:", "cyan"
        for text in texts:
            yield f"  - {one_line(text, 400)}", ""
    if not any(lists.values()):
        yield "the packet is empty", "dim"


def _reflected(result: values.Reflected) -> Lines:
    yield f"stored reflection {result.reflection_memory_id}", "green"
    if result.procedure_memory_id:
        yield f"  and procedure {result.procedure_memory_id}", "green"


def _refreshed(result: values.Refreshed) -> Lines:
    for id in result.deactivated:
        by = f", replaced by {result.replacement_memory_id}" if result.replacement_memory_id else ""
        yield f"retired {id}{by}: {one_line(result.refresh_reason)}", "green"
    for id in result.not_found:
        yield f"not found: {one_line(id, 80)}", "yellow"


def _listed(result: values.AttentionList) -> Lines:
    for item in result.items:
        yield f"{item.id}  {one_line(item.title, 80)}", "" if item.is_active else "dim"
        yield f"  {_attributes(item)}", "dim"
    if not result.items:
        yield "no memories", "dim"


def _attributes(item: values.AttentionItem) -> str:
    replacement = f", see {item.replaced_by_memory_id}" if item.replaced_by_memory_id else ""
    state = "" if item.is_active else f" · retired{replacement}"
    return f"{item.memory_type} · {item.role_scope} · importance {item.importance:g}{state} · {item.updated_at[:10]}"


def _inspected(result: values.Inspected) -> Lines:
    yield result.memory.summary, "bold"
    for name, value in dict(to_json(result.memory)).items():  # type: ignore[arg-type]
        if name != "summary" and value not in (None, [], {}, ""):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            yield f"  {name.replace('_', ' ')}: {shown}", ""
    for edge in result.edges:
        other = edge.to_memory_id if edge.from_memory_id == result.memory.id else f"(from {edge.from_memory_id})"
        yield f"  {edge.edge_type} {other}, weight {edge.weight:g}", "cyan"


def _packets(result: values.PacketList) -> Lines:
    for one in result.items:
        yield f"{one.id}  {one.created_at}", "dim"
        yield from packet_lines(one.packet)
    if not result.items:
        yield "no packets yet", "dim"


VIEWS: Views = {
    "attention init": _ready,
    "attention add": _added,
    "attention route": _routed,
    "attention reflect": _reflected,
    "attention refresh": _refreshed,
    "attention list": _listed,
    "attention inspect": _inspected,
    "attention packets": _packets,
}
