"""Results of the attention operations, with the field names of the packet specification."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.attention import Packet
from satchel.domain.canonical import Json
from satchel.domain.imports import NotTakenOver, TakenOver


class AttentionReady(Struct, frozen=True):
    """The store exists and is usable."""

    initialized: bool
    db_path: str
    imported: TakenOver | None = None
    """What came of a database of the original skill, if there is one."""
    not_imported: NotTakenOver | None = None
    """Why it could not be taken over."""


class Added(Struct, frozen=True):
    """An added memory, and what it retired; or the existing memory that it would have repeated."""

    memory_id: str
    replaces_memory_id: str | None
    retired_memory_ids: tuple[str, ...]
    edge_ids: tuple[str, ...]
    duplicate: bool = False
    """Whether the memory existed before, so that nothing was stored."""


class BlockReport(Struct, frozen=True):
    """A block with its score and reasons. The score is the sum of the contributions."""

    block: str
    selected: bool
    score: float
    candidate_count: int
    reasons: tuple[str, ...]
    top_memory_ids: tuple[str, ...]
    contributions: Mapping[str, float]


class RowReport(Struct, frozen=True):
    """A ranked memory with its score and reasons. The score is the sum of the contributions."""

    id: str
    memory_type: str
    block: str
    score: float
    title: str
    reasons: tuple[str, ...]
    contributions: Mapping[str, float]


class OmittedReport(Struct, frozen=True):
    """A text left out of the packet, and why. Without a memory id it is the request's own."""

    field: str
    memory_id: str | None
    text: str
    reason: str


class AttentionDebug(Struct, frozen=True):
    """How a packet was made."""

    selected_blocks: tuple[BlockReport, ...]
    selected_memories: tuple[RowReport, ...]
    omitted: tuple[OmittedReport, ...]
    warnings: tuple[str, ...]


class Routed(Struct, frozen=True):
    """The packet of a step, and how it was made."""

    packet_id: str | None
    """Its id in the list of packets; None if the store could not keep it."""
    packet: Packet
    debug: AttentionDebug


class Reflected(Struct, frozen=True):
    """A stored reflection, and the procedure derived from it, if requested."""

    reflection_memory_id: str
    procedure_memory_id: str | None


class Refreshed(Struct, frozen=True):
    """Retired memories."""

    deactivated: tuple[str, ...]
    replacement_memory_id: str | None
    refresh_reason: str
    edge_ids: tuple[str, ...]
    not_found: tuple[str, ...]


class AttentionItem(Struct, frozen=True):
    """A memory in the list."""

    id: str
    memory_type: str
    role_scope: str
    task_id: str | None
    session_id: str | None
    title: str
    importance: float
    confidence: float
    success_score: float
    is_active: int
    replaced_by_memory_id: str | None
    retired_reason: str | None
    updated_at: str


class AttentionList(Struct, frozen=True):
    """Memories, last changed first."""

    items: tuple[AttentionItem, ...]


class AttentionMemory(Struct, frozen=True):
    """A memory with all its fields."""

    id: str
    memory_type: str
    abstraction_level: int
    role_scope: str
    session_id: str | None
    task_id: str | None
    title: str
    summary: str
    details: Mapping[str, Json]
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    source_refs: tuple[str, ...]
    importance: float
    confidence: float
    success_score: float
    recency_ts: str
    valid_from_ts: str | None
    valid_to_ts: str | None
    is_active: int
    replaced_by_memory_id: str | None
    retired_reason: str | None
    created_at: str
    updated_at: str


class EdgeReport(Struct, frozen=True):
    """An edge between two memories."""

    id: str
    from_memory_id: str
    to_memory_id: str
    edge_type: str
    weight: float
    created_at: str


class Inspected(Struct, frozen=True):
    """A memory with its edges in both directions, newest first."""

    memory: AttentionMemory
    edges: tuple[EdgeReport, ...]


class PacketReport(Struct, frozen=True):
    """A packet made earlier, without anything forgotten since."""

    id: str
    session_id: str | None
    task_id: str | None
    step_role: str
    goal: str
    packet: Packet
    created_at: str


class PacketList(Struct, frozen=True):
    """Packets, newest first."""

    items: tuple[PacketReport, ...]
