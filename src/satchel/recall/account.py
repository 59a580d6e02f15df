"""Account: what the receipt of a recall says was considered and decided. Ids and scores only."""

from satchel.domain.answers import Recalled
from satchel.domain.canonical import Json
from satchel.domain.policies import Policies
from satchel.domain.ranking import Hit
from satchel.domain.receipt import question_facts
from satchel.recall.fuse import LEXICAL, VECTOR
from satchel.recall.request import Request
from satchel.recall.with_fallback import RecallOutcome


def asked(request: Request) -> dict[str, Json]:
    """Say what was asked, and where, without repeating it."""
    return {
        **question_facts(request.question.said),
        "scope": request.view.reach.name,
        "scope_mode": request.placement.mode,
        "mode": request.question.mode,
        "limit": request.question.limit,
        "kinds": list(request.view.kinds),
    }


def recalled(found: RecallOutcome, request: Request) -> Recalled:
    """Return what a recall answers."""
    return Recalled(
        hits=found.hits,
        relevance=found.relevance,
        mode=request.question.mode,
        scope=request.view.reach.name,
        placement=request.placement,
        policy_tier=found.policy_tier,
        held_out=tuple(one for part in found.answers for one in part.held_out),
    )


def considered(found: RecallOutcome) -> dict[str, Json]:
    """Say how many candidates each lane brought, and from where."""
    counts: dict[str, Json] = {
        lane: sum(len(one.gathered.lanes[lane]) for one in found.answers if lane in one.gathered.lanes)
        for lane in (LEXICAL, VECTOR)
        if any(lane in one.gathered.lanes for one in found.answers)
    }
    fused = sum(len(one.ranked) for one in found.answers)
    return counts | {"fused": fused, "lexical_source": found.primary.gathered.lexical_source}


def decided(found: RecallOutcome, policies: Policies) -> dict[str, Json]:
    """Say what was returned and why, and what was not and why."""
    return {
        "fusion": policies.recall.fusion,
        "relevance": found.relevance,
        "hits": [_hit_facts(hit) for hit in found.hits],
        "below_limit": [{"id": one.id, "score": one.score} for part in found.answers for one in part.below_limit],
        "held_out": [{"id": one.id, "rule": one.rule} for part in found.answers for one in part.held_out],
    }


def warnings(found: RecallOutcome, policies: Policies) -> list[str]:
    """Say what a reader of the answer should know before relying on it."""
    placement, fallback = found.placement, found.fallback
    untrusted = found.hits and all(hit.memory.trust == "untrusted" for hit in found.hits)
    candidates = (
        (found.problem, f"index_unusable: {found.problem}"),
        (
            found.primary.rerank_problem,
            f"rerank_failed: {found.primary.rerank_problem}; the order is that of the lanes",
        ),
        (found.question.clamped, "query_clamped: only the beginning of the query was used"),
        (found.strays, f"index_mismatch: {found.strays} candidates did not match the ledger and were left out"),
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
