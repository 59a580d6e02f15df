"""The receipt sections, warnings and result of a recall. Ids and scores only, never memory text."""

from msgspec import UNSET, UnsetType

from satchel.domain.canonical import digest
from satchel.domain.policies import Policies
from satchel.domain.ranking import Hit
from satchel.domain.receipt_sections import (
    ExcludedId,
    HitEntry,
    LifecycleSection,
    QuestionAsked,
    RecallConsidered,
    RecallDecided,
    ScoredId,
    ScoreEntry,
)
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.request import RecallRequest
from satchel.recall.values import Recalled
from satchel.recall.with_fallback import RecallOutcome


def request_section(request: RecallRequest, *, untrusted: bool) -> QuestionAsked:
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
        untrusted=untrusted,
    )


def recall_result(found: RecallOutcome, request: RecallRequest) -> Recalled:
    """Return the result of a recall."""
    return Recalled(
        hits=found.hits,
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
        hits=[_hit_entry(hit) for hit in found.hits],
        below_limit=[ScoredId(one.id, one.score) for part in found.answers for one in part.below_limit],
        held_out=[ExcludedId(one.id, one.rule) for part in found.answers for one in part.held_out],
        lifecycle=lifecycle,
    )


def recall_warnings(found: RecallOutcome, policies: Policies) -> list[str]:
    """Return warnings that a reader of the answer should see, each a code and a sentence."""
    placement, fallback = found.placement, found.fallback
    untrusted = found.hits and all(hit.memory.trust == "untrusted" for hit in found.hits)
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
        (placement.invalid, f"scope_invalid: the tagged scope is no valid name; '{placement.scope}' was searched"),
        (found.reach.everywhere, "scope_policy_off: scopes are not kept apart"),
        (
            fallback.used and policies.scope.fallback_marker,
            f"scope_fallback: '{placement.scope}' had too little; also found in {', '.join(fallback.used)}",
        ),
        (untrusted and policies.recall.trust_gate, "untrusted_only: no trusted memory answers this; check before use"),
    )
    return [warning for cause, warning in candidates if cause]


def _hit_entry(hit: Hit) -> HitEntry:
    return HitEntry(
        id=hit.memory.id,
        score=hit.score,
        relevance=hit.relevance,
        trust=hit.memory.trust,
        label=hit.memory.label,
        origin=hit.origin,
        parts={part.name: ScoreEntry(part.rank, part.raw, part.value) for part in hit.contributions},
    )
