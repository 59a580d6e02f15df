"""What the attention operations answer, field by field as the definition of the packet has it."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.attention import Packet
from satchel.domain.canonical import Json


class AttentionReady(Struct, frozen=True):
    """The store is there and can be used."""

    initialized: bool
    db_path: str


class Added(Struct, frozen=True):
    """A memory was added; what it replaced is retired."""

    memory_id: str
    replaces_memory_id: str | None
    retired_memory_ids: tuple[str, ...]
    edge_ids: tuple[str, ...]


class BlockReport(Struct, frozen=True):
    """A block, what it was worth, and why. Its score is the sum of its contributions."""

    block: str
    selected: bool
    score: float
    candidate_count: int
    reasons: tuple[str, ...]
    top_memory_ids: tuple[str, ...]
    contributions: Mapping[str, float]


class RowReport(Struct, frozen=True):
    """A ranked memory, what it was worth, and why. Its score is the sum of its contributions."""

    id: str
    memory_type: str
    block: str
    score: float
    title: str
    reasons: tuple[str, ...]
    contributions: Mapping[str, float]


class OmittedReport(Struct, frozen=True):
    """A text that did not get into the packet, and why. One without a memory is the request's own."""

    field: str
    memory_id: str | None
    text: str
    reason: str


class AttentionDebug(Struct, frozen=True):
    """How a packet came about."""

    selected_blocks: tuple[BlockReport, ...]
    selected_memories: tuple[RowReport, ...]
    omitted: tuple[OmittedReport, ...]
    warnings: tuple[str, ...]


class Routed(Struct, frozen=True):
    """The packet for a step, and how it came about."""

    packet_id: str | None
    """Its name in the list of packets; None when the store could not keep it."""
    packet: Packet
    debug: AttentionDebug


class Reflected(Struct, frozen=True):
    """A reflection was kept, and the procedure derived from it if one was asked for."""

    reflection_memory_id: str
    procedure_memory_id: str | None


class Refreshed(Struct, frozen=True):
    """Memories were retired."""

    deactivated: tuple[str, ...]
    replacement_memory_id: str | None
    refresh_reason: str
    edge_ids: tuple[str, ...]
    not_found: tuple[str, ...]


class AttentionItem(Struct, frozen=True):
    """A memory as a line of the list."""

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
    """Memories, the one changed last first."""

    items: tuple[AttentionItem, ...]


class AttentionMemory(Struct, frozen=True):
    """A memory with everything that is known of it."""

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
    """An edge as it is shown."""

    id: str
    from_memory_id: str
    to_memory_id: str
    edge_type: str
    weight: float
    created_at: str


class Inspected(Struct, frozen=True):
    """One memory with its edges in both directions, newest first."""

    memory: AttentionMemory
    edges: tuple[EdgeReport, ...]


class PacketReport(Struct, frozen=True):
    """A packet that was made earlier. What was forgotten since is no longer in it."""

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
