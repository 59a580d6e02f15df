"""Convert answers to the shapes of the memory tools."""

from typing import Any

from msgspec import Struct, to_builtins

from satchel.domain.answers import MemoryCounts, Stored
from satchel.domain.envelope import Ok
from satchel.domain.erasure import Forgotten
from satchel.domain.imports import Imported
from satchel.domain.media import media_kind
from satchel.domain.moment import DAY_MS, iso
from satchel.domain.policies import ScopePolicy
from satchel.domain.ranking import Hit
from satchel.domain.receipt import Receipt
from satchel.domain.record import ENGINE_CATEGORIES, Kind
from satchel.domain.scope import Placement, ScopeMode
from satchel.domain.view import RULES
from satchel.interfaces.slot import shapes
from satchel.interfaces.slot.documents import doc
from satchel.interfaces.slot.shapes import TABLE
from satchel.maintenance.values import Stats
from satchel.memories.values import Exported, MemoryPage
from satchel.recall.values import Recalled

_TIERS = {"must_remember": "must", "nice_to_have": "nice"}
_SIGNALS = {"lexical": "fts", "vector": "vec"}


class StoreInfo(Struct, frozen=True):
    """Folder, model and scope policy of a store, which the tools' receipts repeat."""

    folder: str
    model: str | None
    scope: ScopePolicy


def stored(answer: Ok[Stored], info: StoreInfo) -> shapes.StoreDetails:
    """Return the result of `memory_store`."""
    one, receipt = answer.result, answer.receipt
    return {
        "action": one.action,
        "id": one.id,
        "createdAt": one.created_at,
        "category": _category(one.kind),
        "importance": one.importance,
        "importance_label": one.label,
        "scope": one.scope,
        "trust_tier": one.trust,
        "likeness": one.likeness,
        "receipt": {
            "digest": receipt.digest,
            "dbPath": info.folder,
            "tableName": TABLE,
            "model": info.model,
            "latencyMs": receipt.duration_ms,
            "scope": one.scope,
            "scopeMode": one.placement.mode,
            "scopeFilterApplied": True,
            "scopeValidation": _validation(one.placement, info),
            "embeddingSkipped": one.embedding_skipped,
            "embeddingSkipReason": one.embedding_skip_reason,
            "weiJiMemoryPreflight": one.preflight or {"enabled": False, "attempted": False},
            "warnings": list(receipt.warnings),
        },
    }


def recalled(answer: Ok[Recalled], info: StoreInfo, limit: int) -> shapes.RecallDetails:
    """Return the result of `memory_recall`."""
    found, receipt = answer.result, answer.receipt
    lifecycle: Any = receipt.decided.get("lifecycle")
    shown: shapes.RecallReceipt = {
        "digest": receipt.digest,
        "dbPath": info.folder,
        "tableName": TABLE,
        "model": info.model,
        "limit": limit,
        "latencyMs": receipt.duration_ms,
        "ftsCount": _count(receipt, "lexical"),
        "vecCount": _count(receipt, "vector"),
        "fusedCount": _count(receipt, "fused"),
        "policyTier": found.policy_tier,
        "scopeMode": found.placement.mode,
        "scope": found.placement.scope,
        "scopeFilterApplied": info.scope.enabled or found.placement.mode is not ScopeMode.GLOBAL,
        "scopeValidation": _validation(found.placement, info),
        "fallback": lifecycle["fallback"] if lifecycle else {},
        "coldLane": to_builtins(found.cold.section),
        "warnings": list(receipt.warnings),
    }
    return {
        "count": len(found.hits),
        "relevance": found.relevance,
        "memories": [_recalled(hit, found) for hit in found.hits],
        "docs": [doc(hit, len(hit.text)) for hit in found.cold.docs],
        "nearest": [] if found.plausible else [_nearest(hit) for hit in found.nearest],
        "receipt": shown | {"lifecycle": lifecycle} if lifecycle else shown,
    }


def forgotten(answer: Ok[Forgotten], info: StoreInfo) -> shapes.ForgetDetails:
    """Return the result of `memory_forget`."""
    one, receipt = answer.result, answer.receipt
    found = len(one.candidates) if one.id is None else 1
    return {
        "action": one.action,
        "id": one.id,
        "found": found,
        "candidates": [
            {
                "id": candidate.id,
                "text": candidate.text,
                "category": _category(candidate.kind),
                "score": candidate.score,
                "createdAt": candidate.created_at,
            }
            for candidate in one.candidates
        ],
        "receipt": {
            "digest": receipt.digest,
            "dbPath": info.folder,
            "tableName": TABLE,
            "latencyMs": receipt.duration_ms,
            "filtersApplied": {"scope": receipt.asked["scope"]},
            "matchedCount": found,
            "erasedFrom": list(one.erased_from),
            "pending": list(one.pending),
        },
    }


def listed(answer: Ok[MemoryPage], info: StoreInfo, category: str | None, matched: int) -> shapes.ListDetails:
    """Return the result of `memory_list`."""
    items: list[shapes.ListedMemory] = [
        {
            "id": memory.id,
            "category": memory.category,
            "importance": memory.importance,
            "importance_label": memory.label,
            "scope": memory.scope,
            "trust_tier": memory.trust,
            "state": memory.state,
            "createdAt": memory.created_at,
            "createdAtIso": iso(memory.created_at),
            "text": memory.text,
        }
        for memory in answer.result.memories
    ]
    return {
        "count": len(items),
        "items": items,
        "next": answer.result.next,
        "receipt": _admin("list", answer.receipt, info, category, matched, len(items)),
    }


def counted(answer: Ok[Stats], info: StoreInfo, category: str | None) -> shapes.StatsDetails:
    """Return the result of `memory_stats`."""
    tally = answer.result.tally
    by_category: dict[str, int] = {}
    for kind, count in tally.by_kind.items():
        by_category[_category(Kind(kind))] = by_category.get(_category(Kind(kind)), 0) + count
    return {
        "stats": {
            "count": tally.memories,
            "byScope": dict(tally.by_scope),
            "byCategory": dict(sorted(by_category.items())),
            "size": {
                "minChars": tally.shortest,
                "maxChars": tally.longest,
                "avgChars": round(tally.text_chars / tally.memories, 1) if tally.memories else 0.0,
                "p50Chars": tally.median_chars,
            },
            "ageDays": _ages(tally, answer.receipt.at),
            "oldestCreatedAt": tally.oldest,
            "newestCreatedAt": tally.newest,
        },
        "receipt": _admin("stats", answer.receipt, info, category, tally.memories, 0),
    }


def exported(answer: Ok[Exported], info: StoreInfo, category: str | None) -> shapes.ExportDetails:
    """Return the result of `memory_export`."""
    one = answer.result
    return {
        "path": one.path,
        "format": one.format,
        "count": one.count,
        "receipt": _admin("export", answer.receipt, info, category, one.matched, one.count),
    }


def imported(answer: Ok[Imported], info: StoreInfo) -> shapes.ImportDetails:
    """Return the result of `memory_import`."""
    one, receipt = answer.result, answer.receipt
    return {
        "imported": one.imported,
        "skipped": one.skipped,
        "failed": one.failed,
        "failures": [{"index": failure.index, "reason": failure.reason} for failure in one.failures],
        "receipt": {
            "digest": receipt.digest,
            "operation": "import",
            "source": one.source,
            "format": one.format,
            "dedupe": one.dedupe,
            "dryRun": one.dry_run,
            "parsedCount": one.parsed,
            "importedCount": one.imported,
            "skippedCount": one.skipped,
            "failedCount": one.failed,
            "filtersApplied": {"scope": receipt.asked["scope"], "limit": receipt.asked["limit"]},
            "dbPath": info.folder,
            "tableName": TABLE,
            "latencyMs": receipt.duration_ms,
            "warnings": list(receipt.warnings),
        },
    }


def _recalled(hit: Hit, found: Recalled) -> shapes.RecalledMemory:
    newer = (found.earlier or {}).get(hit.memory.id)
    return _memory(hit) if newer is None else {**_memory(hit), "earlier_than": newer}


def _memory(hit: Hit) -> shapes.RecalledMemory:
    memory, cosine = hit.memory, hit.raw("vector")
    return {
        "id": memory.id,
        "text": memory.text,
        "category": memory.category,
        "importance": memory.importance,
        "importance_label": memory.label,
        "scope": memory.scope,
        "trust_tier": memory.trust,
        "source_kind": memory.source_kind,
        "source_ref": memory.source_ref,
        "lang": memory.language,
        "media_refs": list(memory.media_refs),
        "media_kind": media_kind(memory.media_refs),
        "createdAt": memory.created_at,
        "distance": None if cosine is None else round(1 - cosine, 6),
        "score": hit.score,
        "relevance": hit.relevance,
        "parts": [
            {"name": part.name, "value": part.value, "rank": part.rank, "raw": part.raw} for part in hit.contributions
        ],
        "why": {
            "tier": _TIERS.get(memory.label, memory.label),
            "origin": hit.origin,
            "signals": [_SIGNALS[part.name] for part in hit.contributions if part.name in _SIGNALS],
            # A hit has passed all of them.
            "rules": [name for name, _ in RULES],
        },
    }


def _nearest(hit: Hit) -> shapes.NearestMemory:
    memory = hit.memory
    return {
        "id": memory.id,
        "text": memory.text,
        "category": memory.category,
        "trust_tier": memory.trust,
        "relevance": hit.relevance,
    }


def _validation(placement: Placement, info: StoreInfo) -> shapes.ScopeValidation:
    return {
        "validationMode": info.scope.validation_mode,
        "invalid": placement.invalid,
        "normalized": placement.normalized,
    }


def _admin(
    operation: str, receipt: Receipt, info: StoreInfo, category: str | None, matched: int, returned: int
) -> shapes.AdminReceipt:
    return {
        "digest": receipt.digest,
        "operation": operation,
        "filtersApplied": {"scope": receipt.asked["scope"], "category": category},
        "matchedCount": matched,
        "returnedCount": returned,
        "dbPath": info.folder,
        "tableName": TABLE,
        "latencyMs": receipt.duration_ms,
    }


def _ages(tally: MemoryCounts, now: int) -> shapes.AgeStats | None:
    if tally.oldest is None or tally.newest is None or tally.mean_created_at is None:
        return None
    youngest, oldest, mean = (
        round((now - at) / DAY_MS, 3) for at in (tally.newest, tally.oldest, tally.mean_created_at)
    )
    return {"min": youngest, "max": oldest, "avg": mean}


def _category(kind: Kind) -> str:
    return kind if kind in ENGINE_CATEGORIES else Kind.OTHER


def _count(receipt: Receipt, name: str) -> int:
    value = receipt.considered.get(name)
    return value if isinstance(value, int) else 0
