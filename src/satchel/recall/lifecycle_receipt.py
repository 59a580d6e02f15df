"""The lifecycle receipt of a recall, in the shape of its specification. Ids and scores, never memory text."""

from collections import Counter
from collections.abc import Sequence

from satchel.domain.canonical import Json
from satchel.domain.policies import ReceiptPolicy
from satchel.domain.ranking import Candidate, Hit, Origin
from satchel.domain.record import Label
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.tiers import TIER_NAMES
from satchel.recall.with_fallback import RecallOutcome

SCHEMA = "openclaw-mem-engine.recall.receipt.v1"
_SIGNALS = {LEXICAL: "fts", VECTOR: "vec"}


def lifecycle_receipt(found: RecallOutcome, policy: ReceiptPolicy, *, rejected: Sequence[str] = ()) -> dict[str, Json]:
    """Return the receipt of a recall that ran. `rejected` holds reasons known before it ran."""
    labels = [label for one in found.answers for step in one.steps for label in step.labels]
    return {
        "schema": SCHEMA,
        "verbosity": policy.verbosity,
        "skipped": False,
        "skipReason": None,
        "rejected": [*rejected, *_rejected(found)],
        "scope": found.placement.scope,
        "scopeMode": found.placement.mode,
        "selectionMode": "tier_first_v1",
        "policyTier": found.policy_tier,
        "tiersSearched": [TIER_NAMES[label] for label in TIER_NAMES if label in labels],
        "tierCounts": [_tier_count(found, label) for label in TIER_NAMES if label in labels],
        "trustSearched": list(
            dict.fromkeys(str(trust) for one in found.answers for step in one.steps for trust in step.trusts)
        ),
        "ftsTop": [{"id": one.id, "score": one.score} for one in _top(found, LEXICAL, policy.max_items)],
        "vecTop": [
            {"id": one.id, "score": one.score, "distance": cosine_distance(one.score)}
            for one in _top(found, VECTOR, policy.max_items)
        ],
        "fusedTop": [hit.memory.id for hit in found.hits[: policy.max_items]],
        "whySummary": _why_summary(found.hits),
        "whyTheseIds": [_why(hit) for hit in found.hits[: policy.max_items]],
        "finalCount": len(found.hits),
        "injectedCount": 0,
        "relevance": found.relevance,
        "fallback": fallback_section(found),
    }


def skipped_receipt(reason: str, policy: ReceiptPolicy) -> dict[str, Json]:
    """Return the receipt of a recall that did not run."""
    return {
        "schema": SCHEMA,
        "verbosity": policy.verbosity,
        "skipped": True,
        "skipReason": reason,
        "rejected": [reason],
        "finalCount": 0,
        "injectedCount": 0,
    }


def fallback_section(found: RecallOutcome) -> dict[str, Json]:
    """Return the receipt section about fallback scopes."""
    fallback = found.fallback
    return {
        "eligible": fallback.eligible,
        "consulted": bool(fallback.consulted),
        "consultedScopes": list(fallback.consulted),
        "usedScopes": list(fallback.used),
        "contributed": sum(hit.origin is Origin.FALLBACK for hit in found.hits),
        "suppressedReason": fallback.suppressed_reason,
    }


def cosine_distance(cosine: float) -> float:
    """Return the cosine distance: 0 for equal vectors."""
    return round(1 - cosine, 6)


def hit_signals(hit: Hit) -> list[str]:
    """Return the lanes that found a hit, by the names of the specification."""
    return [_SIGNALS[part.name] for part in hit.contributions if part.name in _SIGNALS]


def _rejected(found: RecallOutcome) -> list[str]:
    selected = {hit.memory.label for hit in found.hits}
    reasons = [
        ("no_results_must", Label.MUST_REMEMBER not in selected),
        ("no_results_nice", Label.NICE_TO_HAVE not in selected),
        ("budget_cap", any(one.below_limit for one in found.answers)),
    ]
    return [reason for reason, holds in reasons if holds]


def _tier_count(found: RecallOutcome, label: Label) -> dict[str, Json]:
    records = [memory for one in found.answers for memory in one.records.values()]
    return {
        "tier": TIER_NAMES[label],
        "labels": [label],
        "candidates": sum(memory.label is label for memory in records),
        "selected": sum(hit.memory.label is label for hit in found.hits),
    }


def _top(found: RecallOutcome, lane: str, count: int) -> list[Candidate]:
    candidates = [one for part in found.answers for one in part.candidates.lanes.get(lane, [])]
    return sorted(candidates, key=lambda one: (-one.score, one.id))[:count]


def _why_summary(hits: Sequence[Hit]) -> dict[str, Json]:
    by_tier = Counter(TIER_NAMES[hit.memory.label] for hit in hits)
    origins = Counter(hit.origin for hit in hits)
    return {
        "byTier": {name: by_tier[name] for name in TIER_NAMES.values()},
        "fromPrimaryScope": origins[Origin.PRIMARY],
        "fromFallbackScope": origins[Origin.FALLBACK],
    }


def _why(hit: Hit) -> dict[str, Json]:
    return {
        "id": hit.memory.id,
        "tier": TIER_NAMES[hit.memory.label],
        "scope": hit.memory.scope,
        "origin": hit.origin,
        "signals": hit_signals(hit),
        "score": hit.score,
        "relevance": hit.relevance,
    }
