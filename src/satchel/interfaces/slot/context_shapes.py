"""The results of `memory_get` and `memory_pack`: one record in full, and a bundle of records for a prompt."""

from typing import TypedDict

from satchel.domain.envelope import Ok
from satchel.domain.history import RecordEvent
from satchel.domain.media import media_kind
from satchel.domain.moment import iso
from satchel.domain.receipt import Receipt
from satchel.memories.values import MemoryShown
from satchel.observations.values import Observed
from satchel.packing.values import ContextPack, Meta, Notes, PackItem

MAX_EVENTS = 20


class ContextReceipt(TypedDict):
    """The receipt of a get or a pack."""

    digest: str
    latencyMs: float
    warnings: list[str]


class HistoryEntry(TypedDict):
    """One change of a record."""

    seq: int
    operation: str
    actor: str
    reason: str | None
    at: str


class GetDetails(TypedDict):
    """One memory or observation."""

    record: str
    """memory or observation"""
    id: str
    text: str
    title: str | None
    category: str
    """The category of a memory, the kind of an observation."""
    importance: float | None
    importance_label: str
    scope: str
    trust_tier: str
    state: str
    source_kind: str
    source_ref: str | None
    lang: str | None
    media_refs: list[str]
    media_kind: str | None
    createdAt: int
    createdAtIso: str
    lastUsedAt: int | None
    """When it was last selected into a bundle."""
    replacedBy: str | None
    detail: str | None
    """The other fields of an observed event, as JSON."""
    changes: int
    history: list[HistoryEntry]
    """The newest changes, oldest first."""
    receipt: ContextReceipt


class PackDetails(TypedDict):
    """A bundle with its items, in the shape that its specification fixes."""

    schema: str
    meta: Meta
    bundle_text: str
    items: list[PackItem]
    notes: Notes
    receipt: ContextReceipt


def shown(answer: Ok[MemoryShown | Observed]) -> GetDetails:
    """Return the result of `memory_get`."""
    found, receipt = answer.result, answer.receipt
    return _memory(found, receipt) if isinstance(found, MemoryShown) else _observation(found, receipt)


def packed(answer: Ok[ContextPack]) -> PackDetails:
    """Return the result of `memory_pack`."""
    pack = answer.result
    return {
        "schema": pack.schema,
        "meta": pack.meta,
        "bundle_text": pack.bundle_text,
        "items": list(pack.items),
        "notes": pack.notes,
        "receipt": _receipt(answer.receipt),
    }


def _memory(found: MemoryShown, receipt: Receipt) -> GetDetails:
    one = found.memory
    return {
        "record": "memory",
        "id": one.id,
        "text": one.text,
        "title": one.title,
        "category": one.category,
        "importance": one.importance,
        "importance_label": one.label,
        "scope": one.scope,
        "trust_tier": one.trust,
        "state": one.state,
        "source_kind": one.source_kind,
        "source_ref": one.source_ref,
        "lang": one.language,
        "media_refs": list(one.media_refs),
        "media_kind": media_kind(one.media_refs),
        "createdAt": one.created_at,
        "createdAtIso": iso(one.created_at),
        "lastUsedAt": found.last_used_at,
        "replacedBy": one.replaced_by,
        "detail": None,
        "changes": len(found.history),
        "history": _history(found.history),
        "receipt": _receipt(receipt),
    }


def _observation(found: Observed, receipt: Receipt) -> GetDetails:
    one = found.observation
    return {
        "record": "observation",
        "id": one.id,
        "text": one.text or one.summary,
        "title": one.tool_name,
        "category": one.kind,
        "importance": one.importance,
        "importance_label": one.label,
        "scope": one.scope,
        "trust_tier": one.trust,
        "state": one.state,
        "source_kind": "tool",
        "source_ref": one.agent,
        "lang": one.language,
        "media_refs": [],
        "media_kind": None,
        "createdAt": one.at,
        "createdAtIso": iso(one.at),
        "lastUsedAt": found.last_used_at,
        "replacedBy": None,
        "detail": one.detail,
        "changes": len(found.history),
        "history": _history(found.history),
        "receipt": _receipt(receipt),
    }


def _history(events: tuple[RecordEvent, ...]) -> list[HistoryEntry]:
    return [
        {"seq": one.seq, "operation": one.operation, "actor": one.actor, "reason": one.reason, "at": iso(one.at)}
        for one in events[-MAX_EVENTS:]
    ]


def _receipt(receipt: Receipt) -> ContextReceipt:
    return {"digest": receipt.digest, "latencyMs": receipt.duration_ms, "warnings": list(receipt.warnings)}
