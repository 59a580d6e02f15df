"""The lifecycle receipt of a recall, in the shape of its specification. Ids and scores, never memory text."""

from collections import Counter
from collections.abc import Sequence

from satchel.domain.policies import ReceiptPolicy
from satchel.domain.ranking import Candidate, Hit, Origin
from satchel.domain.receipt_sections import FallbackSection, LaneTop, LifecycleSection, TierCount, WhyHit, WhySummary
from satchel.domain.record import Label
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.tiers import TIER_NAMES
from satchel.recall.with_fallback import RecallOutcome

SCHEMA = "openclaw-mem-engine.recall.receipt.v1"
_SIGNALS = {LEXICAL: "fts", VECTOR: "vec"}


def lifecycle_receipt(found: RecallOutcome, policy: ReceiptPolicy, *, rejected: Sequence[str] = ()) -> LifecycleSection:
    """Return the receipt of a recall that ran. `rejected` holds reasons known before it ran."""
    labels = [label for one in found.answers for step in one.steps for label in step.labels]
    return LifecycleSection(
        schema=SCHEMA,
        verbosity=policy.verbosity,
        rejected=[*rejected, *_rejected(found)],
        scope=found.placement.scope,
        scope_mode=found.placement.mode,
        selection_mode="tier_first_v1",
        policy_tier=found.policy_tier,
        tiers_searched=[TIER_NAMES[label] for label in TIER_NAMES if label in labels],
        tier_counts=[_tier_count(found, label) for label in TIER_NAMES if label in labels],
        trust_searched=list(
            dict.fromkeys(str(trust) for one in found.answers for step in one.steps for trust in step.trusts)
        ),
        fts_top=[LaneTop(one.id, one.score) for one in _top(found, LEXICAL, policy.max_items)],
        vec_top=[
            LaneTop(one.id, one.score, cosine_distance(one.score)) for one in _top(found, VECTOR, policy.max_items)
        ],
        fused_top=[hit.memory.id for hit in found.hits[: policy.max_items]],
        why_summary=_why_summary(found.hits),
        why_these_ids=[_why(hit) for hit in found.hits[: policy.max_items]],
        final_count=len(found.hits),
        relevance=found.relevance,
        fallback=_fallback(found),
    )


def skipped_receipt(reason: str, policy: ReceiptPolicy) -> LifecycleSection:
    """Return the receipt of a recall that did not run."""
    return LifecycleSection(
        schema=SCHEMA, verbosity=policy.verbosity, skipped=True, skip_reason=reason, rejected=[reason]
    )


def _fallback(found: RecallOutcome) -> FallbackSection:
    fallback = found.fallback
    return FallbackSection(
        eligible=fallback.eligible,
        consulted=bool(fallback.consulted),
        consulted_scopes=list(fallback.consulted),
        used_scopes=list(fallback.used),
        contributed=sum(hit.origin is Origin.FALLBACK for hit in found.hits),
        suppressed_reason=fallback.suppressed_reason,
    )


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


def _tier_count(found: RecallOutcome, label: Label) -> TierCount:
    records = [memory for one in found.answers for memory in one.records.values()]
    return TierCount(
        tier=TIER_NAMES[label],
        labels=[label],
        candidates=sum(memory.label is label for memory in records),
        selected=sum(hit.memory.label is label for hit in found.hits),
    )


def _top(found: RecallOutcome, lane: str, count: int) -> list[Candidate]:
    candidates = [one for part in found.answers for one in part.candidates.lanes.get(lane, [])]
    return sorted(candidates, key=lambda one: (-one.score, one.id))[:count]


def _why_summary(hits: Sequence[Hit]) -> WhySummary:
    by_tier = Counter(TIER_NAMES[hit.memory.label] for hit in hits)
    origins = Counter(hit.origin for hit in hits)
    return WhySummary(
        by_tier={name: by_tier[name] for name in TIER_NAMES.values()},
        from_primary_scope=origins[Origin.PRIMARY],
        from_fallback_scope=origins[Origin.FALLBACK],
    )


def _why(hit: Hit) -> WhyHit:
    return WhyHit(
        id=hit.memory.id,
        tier=TIER_NAMES[hit.memory.label],
        scope=hit.memory.scope,
        origin=hit.origin,
        signals=hit_signals(hit),
        score=hit.score,
        relevance=hit.relevance,
    )
