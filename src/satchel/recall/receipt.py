"""The receipt facts, warnings and result of a recall. Ids and scores only, never memory text."""

from satchel.domain.canonical import Json
from satchel.domain.policies import Policies
from satchel.domain.ranking import Hit
from satchel.domain.receipt import question_facts
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.request import RecallRequest
from satchel.recall.values import Recalled
from satchel.recall.with_fallback import RecallOutcome


def request_facts(request: RecallRequest) -> dict[str, Json]:
    """Return the question as a digest, the scope and the options of a request."""
    return {
        **question_facts(request.question.said),
        "scope": request.view.reach.name,
        "scope_mode": request.placement.mode,
        "mode": request.question.mode,
        "limit": request.question.limit,
        "kinds": list(request.view.kinds),
    }


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


def candidate_facts(found: RecallOutcome) -> dict[str, Json]:
    """Return the number of candidates per lane, and where the lexical ones came from."""
    counts: dict[str, Json] = {
        lane: sum(len(one.candidates.lanes[lane]) for one in found.answers if lane in one.candidates.lanes)
        for lane in (LEXICAL, VECTOR)
        if any(lane in one.candidates.lanes for one in found.answers)
    }
    fused = sum(len(one.ranked) for one in found.answers)
    return counts | {"fused": fused, "lexical_source": found.primary.candidates.lexical_source}


def decision_facts(found: RecallOutcome, policies: Policies) -> dict[str, Json]:
    """Return the hits with their scores, and which records were left out by which rule."""
    return {
        "fusion": policies.recall.fusion,
        "relevance": found.relevance,
        "hits": [_hit_facts(hit) for hit in found.hits],
        "below_limit": [{"id": one.id, "score": one.score} for part in found.answers for one in part.below_limit],
        "held_out": [{"id": one.id, "rule": one.rule} for part in found.answers for one in part.held_out],
    }


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


def _hit_facts(hit: Hit) -> dict[str, Json]:
    parts: dict[str, Json] = {
        part.name: {"rank": part.rank, "raw": part.raw, "value": part.value} for part in hit.contributions
    }
    return {
        "id": hit.memory.id,
        "score": hit.score,
        "relevance": hit.relevance,
        "trust": hit.memory.trust,
        "label": hit.memory.label,
        "origin": hit.origin,
        "parts": parts,
    }
