"""Build the ContextPack and its trace in the specified shape."""

from collections.abc import Mapping, Sequence

from satchel.domain.canonical import Json
from satchel.domain.moment import iso
from satchel.packing.bundle import HOW_TO_USE
from satchel.packing.values import (
    SCHEMA,
    TRACE,
    Citations,
    ContextPack,
    Layer,
    Meta,
    Notes,
    PackDecision,
    Packed,
    PackItem,
)

# Version of the specification.
TRACE_VERSION = "1"
# Maximum number of candidates in a trace, which contains no text.
MAX_CANDIDATES = 400


def context_pack(packed: Packed, trace: Mapping[str, Json] | None) -> ContextPack:
    """Return a pack in the specified shape."""
    meta = Meta(
        ts=iso(packed.at),
        query=packed.query,
        scope=packed.scope,
        budgetTokens=packed.budget_tokens,
        maxItems=packed.max_items,
        tokens=packed.bundle_tokens,
    )
    items = tuple(_item(one) for one in packed.items)
    if not items and packed.over_budget:
        meta["overBudget"] = packed.over_budget
    return ContextPack(SCHEMA, meta, packed.bundle_text, items, Notes(how_to_use=list(HOW_TO_USE)), trace)


def trace_object(packed: Packed, duration_ms: float) -> dict[str, Json]:
    """Return the trace of a pack: every candidate with lane, scores and deciding rules."""
    candidates = packed.decisions[:MAX_CANDIDATES]
    return {
        "kind": TRACE,
        "ts": iso(packed.at),
        "version": {"openclaw_mem": TRACE_VERSION, "schema": SCHEMA},
        "query": {"text": packed.query, "scope": packed.scope, "intent": None},
        "budgets": {
            "budgetTokens": packed.budget_tokens,
            "maxItems": packed.max_items,
            "maxL2Items": packed.max_l2_items,
            "niceCap": packed.nice_cap,
        },
        "lanes": [
            {
                "name": lane.name,
                "source": lane.source,
                "searched": lane.searched,
                "retrievers": [{"kind": one.kind, "topK": one.top_k, "k": one.k} for one in lane.retrievers],
                "found": lane.found,
                "problem": lane.problem or None,
            }
            for lane in packed.lanes
        ],
        "candidates": [_candidate(one) for one in candidates],
        "output": _output(packed),
        "timing": {"durationMs": duration_ms, "stages": dict(packed.stages), "total_ms": duration_ms},
        "extensions": {"tokens": packed.bundle_tokens, "candidatesUnlisted": len(packed.decisions) - len(candidates)},
    }


def _item(one: PackDecision) -> PackItem:
    offer = one.offer
    return PackItem(
        recordRef=offer.ref,
        layer=one.layer,
        type=offer.type,
        importance=offer.label,
        trust=offer.trust,
        text=one.text,
        citations=Citations(url=offer.url, recordRef=offer.ref),
        id=offer.id,
        lane=offer.source,
        kind=offer.kind or None,
        said=iso(offer.at) if offer.at is not None else None,
        relevance=offer.relevance,
        dissent=offer.dissent,
    )


def _candidate(one: PackDecision) -> dict[str, Json]:
    offer = one.offer
    return {
        "id": offer.id,
        "layer": one.layer if one.included else None,
        "importance": offer.label,
        "trust": offer.trust,
        "lane": offer.source,
        "relevance": offer.relevance,
        "scores": {name: offer.scores.get(name) for name in ("rrf", "fts", "semantic")},
        "decision": {
            "included": one.included,
            "reason": list(one.reasons),
            "rationale": list(one.rationale),
            "caps": {"niceCapHit": one.nice_cap_hit, "l2CapHit": one.l2_cap_hit},
        },
        "citations": {"url": offer.url, "recordRef": offer.ref},
    }


def _output(packed: Packed) -> dict[str, Json]:
    items: Sequence[PackDecision] = packed.items
    rationale_missing = sum(not one.rationale for one in items)
    citation_missing = sum(not one.offer.ref for one in items)
    return {
        "includedCount": len(items),
        "excludedCount": len(packed.decisions) - len(items),
        "l2IncludedCount": sum(one.layer is Layer.DETAIL for one in items),
        "citationsCount": len(items) - citation_missing,
        "refreshedRecordRefs": list(packed.refreshed),
        "coverage": {
            "rationaleMissingCount": rationale_missing,
            "citationMissingCount": citation_missing,
            "allIncludedHaveRationale": not rationale_missing,
            "allIncludedHaveCitations": not citation_missing,
        },
    }
