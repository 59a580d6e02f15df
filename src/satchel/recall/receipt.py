"""The receipt sections, warnings and result of a recall. Ids and scores only, never memory text."""

from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from satchel.domain.canonical import digest
from satchel.domain.policies import Policies, ReceiptPolicy
from satchel.domain.ranking import Candidate, Hit, Origin
from satchel.domain.receipt_sections import (
    ExcludedId,
    FallbackSection,
    HitEntry,
    LaneTop,
    LifecycleSection,
    QuestionAsked,
    RecallConsidered,
    RecallDecided,
    ScoredId,
    ScoreEntry,
    TierCount,
    WhyHit,
    WhySummary,
)
from satchel.domain.record import Label
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.request import RecallRequest
from satchel.recall.tiers import TIER_NAMES
from satchel.recall.values import Recalled
from satchel.recall.with_fallback import RecallOutcome


def request_section(request: RecallRequest, *, untrusted: bool, redact: bool) -> QuestionAsked:
    """Return the question as a digest, the scope and the options of a request."""
    said = request.question.said
    return QuestionAsked(
        query_digest=digest(said),
        query_chars=len(said),
        scope=request.view.reach.name,
        scope_mode=request.placement.mode,
        mode=request.question.mode,
        limit=request.question.limit,
        kinds=list(request.view.kinds),
        media=UNSET if request.view.media is None else request.view.media,
        untrusted=untrusted,
        redact=UNSET if redact else False,
    )


def recall_result(found: RecallOutcome, request: RecallRequest) -> Recalled:
    """Return the result of a recall."""
    return Recalled(
        hits=found.hits,
        nearest=found.nearest,
        relevance=found.relevance,
        mode=request.question.mode,
        scope=request.view.reach.name,
        placement=request.placement,
        policy_tier=found.policy_tier,
        held_out=tuple(one for part in found.answers for one in part.held_out),
    )


def candidates_section(found: RecallOutcome) -> RecallConsidered:
    """Return the number of candidates per lane, and where the lexical ones came from."""
    return RecallConsidered(
        lexical=_lane_count(found, LEXICAL),
        vector=_lane_count(found, VECTOR),
        fused=sum(len(one.ranked) for one in found.answers),
        lexical_source=found.primary.candidates.lexical_source,
    )


def _lane_count(found: RecallOutcome, lane: str) -> int | UnsetType:
    counts = [len(one.candidates.lanes[lane]) for one in found.answers if lane in one.candidates.lanes]
    return sum(counts) if counts else UNSET


def decision_section(
    found: RecallOutcome, policies: Policies, lifecycle: LifecycleSection | UnsetType
) -> RecallDecided:
    """Return the hits with their scores, and which records were left out by which rule."""
    return RecallDecided(
        fusion=policies.recall.fusion,
        relevance=found.relevance,
        hits=[hit_entry(hit) for hit in found.hits],
        below_limit=[ScoredId(one.id, one.score) for part in found.answers for one in part.below_limit],
        held_out=[ExcludedId(one.id, one.rule) for part in found.answers for one in part.held_out],
        lifecycle=lifecycle,
    )


def recall_warnings(found: RecallOutcome, policies: Policies) -> list[str]:
    """Return warnings that a reader of the answer should see, each a code and a sentence."""
    placement, fallback = found.placement, found.fallback
    untrusted = [hit.memory.id for hit in found.hits if hit.memory.trust == "untrusted"]
    candidates = (
        (found.problem, f"index_unusable: {found.problem}"),
        (
            found.primary.rerank_problem,
            f"rerank_failed: {found.primary.rerank_problem}; the order is that of the lanes",
        ),
        (found.question.clamped, "query_clamped: only the beginning of the query was used"),
        (
            found.mismatches,
            f"index_mismatch: {found.mismatches} candidates did not match the ledger and were left out",
        ),
        (placement.invalid, f"scope_invalid: the scope name is not valid; '{placement.scope}' was searched"),
        (found.reach.everywhere and not policies.scope.enabled, "scope_policy_off: scopes are not kept apart"),
        (
            fallback.used and policies.scope.fallback_marker,
            f"scope_fallback: '{placement.scope}' had too little; also found in {', '.join(fallback.used)}",
        ),
        (
            policies.recall.trust_gate and untrusted and len(untrusted) == len(found.hits),
            "untrusted_only: no trusted memory answers this; check before use",
        ),
    )
    return [warning for cause, warning in candidates if cause]


def hit_entry(hit: Hit) -> HitEntry:
    """Return a hit with its score and the parts of it."""
    return HitEntry(
        id=hit.memory.id,
        score=hit.score,
        relevance=hit.relevance,
        trust=hit.memory.trust,
        label=hit.memory.label,
        origin=hit.origin,
        parts={part.name: ScoreEntry(part.rank, part.raw, part.value) for part in hit.contributions},
    )


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
        why_summary=why_summary(found.hits),
        why_these_ids=why_these_ids(found.hits, policy),
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


def why_summary(hits: Sequence[Hit]) -> WhySummary:
    """Return how many hits of each tier and origin an answer has."""
    by_tier = Counter(TIER_NAMES[hit.memory.label] for hit in hits)
    origins = Counter(hit.origin for hit in hits)
    return WhySummary(
        by_tier={name: by_tier[name] for name in TIER_NAMES.values()},
        from_primary_scope=origins[Origin.PRIMARY],
        from_fallback_scope=origins[Origin.FALLBACK],
    )


def why_these_ids(hits: Sequence[Hit], policy: ReceiptPolicy) -> list[WhyHit]:
    """Return why the first hits of an answer are in it."""
    return [_why(hit) for hit in hits[: policy.max_items]]


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
