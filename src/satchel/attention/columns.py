"""Convert memories, edges and packets into the rows of list, inspect and packets."""

from satchel.attention.values import AttentionItem, AttentionMemory, EdgeReport, PacketReport
from satchel.domain.attention import TYPE_OF, Details, graded, role_scope_of
from satchel.domain.edges import MemoryEdge
from satchel.domain.moment import iso
from satchel.domain.record import Memory, MemoryId
from satchel.domain.safety.redact import mask
from satchel.domain.shorten import shorten
from satchel.domain.view import LIVE_STATES
from satchel.ports import StoredPacket

HEADING_CHARS = 80


def heading(memory: Memory) -> str:
    """Return the title of a memory, or the beginning of its text."""
    return memory.title or shorten(" ".join(mask(memory.text).split()), HEADING_CHARS)


def item(memory: Memory, current: MemoryId | None) -> AttentionItem:
    """Return a memory as a list row; `current` is the memory that finally replaced it."""
    return AttentionItem(
        id=memory.id,
        memory_type=TYPE_OF[memory.kind],
        role_scope=role_scope_of(memory),
        task_id=memory.task,
        session_id=memory.session,
        title=heading(memory),
        importance=graded(memory.importance),
        confidence=graded(memory.confidence),
        success_score=graded(memory.success),
        is_active=int(memory.state in LIVE_STATES),
        replaced_by_memory_id=current,
        retired_reason=memory.reason,
        updated_at=iso(memory.updated_at),
    )


def whole_memory(memory: Memory, details: Details, current: MemoryId | None) -> AttentionMemory:
    """Return a memory with all its fields."""
    return AttentionMemory(
        id=memory.id,
        memory_type=TYPE_OF[memory.kind],
        abstraction_level=memory.abstraction,
        role_scope=role_scope_of(memory),
        session_id=memory.session,
        task_id=memory.task,
        title=heading(memory),
        summary=memory.text,
        details=details.data,
        keywords=memory.keywords,
        tags=memory.tags,
        source_refs=details.source_refs or ((memory.source_ref,) if memory.source_ref else ()),
        importance=graded(memory.importance),
        confidence=graded(memory.confidence),
        success_score=graded(memory.success),
        recency_ts=iso(memory.created_at if details.recency is None else details.recency),
        valid_from_ts=_moment(memory.valid_from),
        valid_to_ts=_moment(memory.valid_to),
        is_active=int(memory.state in LIVE_STATES),
        replaced_by_memory_id=current,
        retired_reason=memory.reason,
        created_at=iso(memory.created_at),
        updated_at=iso(memory.updated_at),
    )


def edge(one: MemoryEdge) -> EdgeReport:
    """Return an edge as a row."""
    return EdgeReport(one.id, one.source, one.target, one.type, one.weight, iso(one.created_at))


def packet(one: StoredPacket) -> PacketReport:
    """Return a packet as a row."""
    return PacketReport(
        one.id, one.session, one.task, one.packet.step_role, one.packet.goal, one.packet, iso(one.created_at)
    )


def _moment(value: int | None) -> str | None:
    return None if value is None else iso(value)
