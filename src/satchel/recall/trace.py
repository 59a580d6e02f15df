"""Trace one record through a finished recall, with the same functions that the recall uses."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.domain.media import has_media
from satchel.domain.ranking import Candidate
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach, fallback_scopes
from satchel.domain.view import View, held_out_by
from satchel.errors import Unavailable
from satchel.recall import tiers
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.lanes import score_by_cosine
from satchel.recall.named import name_distinction
from satchel.recall.recaller import CompletedRecall
from satchel.recall.relevance import PLAUSIBLE
from satchel.recall.request import Mode, RecallQuestion, RecallRequest
from satchel.recall.scope_answer import ScopeAnswer, relevance_scorer, split_hits
from satchel.recall.tiers import TierStep
from satchel.recall.values import LaneFinding, RecordTrace
from satchel.recall.with_fallback import RecallOutcome

# How deep a lane is searched for a record that it did not return.
MAX_DEPTH = 10_000


def trace_record(memory: Memory, search: CompletedRecall) -> RecordTrace:
    """Return how far a record got in a finished recall."""
    found = search.found
    question, ledger = search.request.question, search.ledger
    view, part, fallback = _searched_scope(memory, found, search.request)
    held_out = None if view is None else held_out_by(memory, view)
    # For a record outside the view, the lanes are searched as if it were inside.
    widened = _admitting(memory, search.request.view if view is None else view)
    present = ledger.memories.tiers(widened.reach)
    step = _step_of(memory, tiers.plan_steps(present, widened, search.request.policies.recall))
    narrowed = widened if step is None else tiers.narrow_view(widened, step, present)
    held = ledger.memories.matching_terms(memory.id, question.terms, widened)
    place = next((hit.rank for hit in found.hits if hit.memory.id == memory.id), None)
    trace = RecordTrace(
        returned=place,
        within="" if view is None else memory.scope,
        in_fallback=view is not None and part is not found.primary,
        fallback=fallback,
        held_out_by=held_out,
        gate="" if part is None or held_out else _gate(memory, part),
        lanes=tuple(_lanes(memory, part, search, narrowed, bool(held))),
        terms=question.terms,
        held=tuple(term for term in question.terms if term in held),
    )
    return trace if part is None else _add_rank(trace, memory, part, search)


def _searched_scope(
    memory: Memory, found: RecallOutcome, request: RecallRequest
) -> tuple[View | None, ScopeAnswer | None, str]:
    """Return the view and the answer of the searched scope that holds a record, or why its fallback scope was skipped."""
    if request.view.reach.admits(memory.scope):
        return request.view, found.primary, ""
    consulted = dict(zip(found.fallback.consulted, found.others, strict=True))
    if memory.scope in consulted:
        return replace(request.view, reach=Reach((memory.scope,))), consulted[memory.scope], ""
    if memory.scope not in fallback_scopes(request.placement, request.policies.scope):
        return None, None, ""
    return None, None, found.fallback.suppressed_reason or "enough"


def _admitting(memory: Memory, view: View) -> View:
    """Return a view, widened just enough to admit a record."""
    return replace(
        view,
        reach=view.reach if view.reach.admits(memory.scope) else Reach((memory.scope,)),
        states=view.states if memory.state in view.states else (*view.states, memory.state),
        trusts=view.trusts if memory.trust in view.trusts else (*view.trusts, memory.trust),
        kinds=view.kinds if not view.kinds or memory.kind in view.kinds else (*view.kinds, memory.kind),
        media=None if view.media is None or not has_media(memory.media_refs, view.media) else view.media,
        timeless=view.timeless or held_out_by(memory, view) in ("expired", "not_yet_valid"),
    )


def _step_of(memory: Memory, planned: Sequence[TierStep]) -> TierStep | None:
    return next((step for step in planned if (memory.trust, memory.label) in step.tiers), None)


def _gate(memory: Memory, part: ScopeAnswer) -> str:
    """Return why the tier of a record was not searched; empty if it was."""
    # An untrusted record that is clearly the better answer passes the gate alone.
    if memory.id in part.records or any((memory.trust, memory.label) in step.tiers for step in part.steps):
        return ""
    return "tier" if any(memory.trust in step.trusts for step in part.steps) else "trust_gate"


def _lanes(
    memory: Memory, part: ScopeAnswer | None, search: CompletedRecall, view: View, shares_words: bool
) -> list[LaneFinding]:
    mode, lanes = search.request.question.mode, {} if part is None else part.candidates.lanes
    findings = []
    if mode is not Mode.VECTOR or search.vector_query is None:
        findings.append(_lexical_finding(memory, lanes.get(LEXICAL), search, view, shares_words))
    if mode is not Mode.LEXICAL:
        findings.append(_vector_finding(memory, lanes.get(VECTOR), search, view))
    return findings


def _finding(lane: str, memory: Memory, candidates: Sequence[Candidate] | None, pool: int) -> LaneFinding:
    if candidates is not None and (rank := _rank(memory.id, candidates)) is not None:
        return LaneFinding(lane, True, True, rank, len(candidates), pool, _score(memory.id, candidates))
    return LaneFinding(lane, ran=candidates is not None, brought=False, pool=pool)


def _lexical_finding(
    memory: Memory, candidates: Sequence[Candidate] | None, search: CompletedRecall, view: View, shares_words: bool
) -> LaneFinding:
    question = search.request.question
    lane = _finding(LEXICAL, memory, candidates, question.pool)
    if lane.brought:
        return lane
    if not shares_words:
        return replace(lane, problem="no_common_word")
    deeper = _match(question, search, view)
    return replace(lane, rank=_rank(memory.id, deeper), of=len(deeper), score=_score(memory.id, deeper))


def _match(question: RecallQuestion, search: CompletedRecall, view: View) -> list[Candidate]:
    """Repeat the lexical search, only deeper."""
    query = search.vector_query
    if query is not None and query.current:
        try:
            return query.index.match(question.terms, view, MAX_DEPTH)
        except Unavailable:
            pass
    return search.ledger.memories.match(question.terms, view, MAX_DEPTH)


def _vector_finding(
    memory: Memory, candidates: Sequence[Candidate] | None, search: CompletedRecall, view: View
) -> LaneFinding:
    query = search.vector_query
    lane = _finding(VECTOR, memory, candidates, search.request.question.pool)
    if lane.brought:
        return lane
    if query is None:
        return replace(lane, problem="no_vector_search")
    own = score_by_cosine([Candidate(memory.id, 0.0, memory.content_hash)], search.ledger.vectors, query)
    if not own:
        return replace(lane, problem="not_embedded")
    try:
        nearest = query.index.nearest(query.vector, view, MAX_DEPTH)
    except Unavailable:
        return replace(lane, score=own[0].score, problem="index_unusable")
    rank = _rank(memory.id, nearest)
    problem = "index_behind" if rank is None and not query.current else ""
    return replace(lane, rank=rank, of=len(nearest), score=own[0].score, problem=problem)


def _rank(id: MemoryId, candidates: Sequence[Candidate]) -> int | None:
    ordered = sorted(candidates, key=lambda one: (-one.score, one.id))
    return next((rank for rank, one in enumerate(ordered, start=1) if one.id == id), None)


def _score(id: MemoryId, candidates: Sequence[Candidate]) -> float | None:
    return next((one.score for one in candidates if one.id == id), None)


def _add_rank(trace: RecordTrace, memory: Memory, part: ScopeAnswer, search: CompletedRecall) -> RecordTrace:
    """Add the rank and relevance of a record among the candidates of its scope."""
    proposed = any(one.id == memory.id for lane in part.candidates.lanes.values() for one in lane)
    rank = next((rank for rank, one in enumerate(part.ranked, start=1) if one.id == memory.id), None)
    trace = replace(trace, mismatch=proposed and memory.id not in part.records, ranked=len(part.ranked), rank=rank)
    if rank is None:
        return trace
    scorer = relevance_scorer(search.request.question, search.ledger, search.vector_query)
    min_relevance = search.request.policies.recall.min_relevance
    hit = scorer.to_hit(part.ranked[rank - 1], memory, name_distinction(one.contributions for one in part.ranked))
    relevant, _ = split_hits(part.ranked, part.records, scorer, min_relevance, len(part.ranked))
    return replace(
        trace,
        relevance=hit.relevance,
        plausible=scorer.likelihood(hit) >= PLAUSIBLE,
        place=next((hit.rank for hit in relevant if hit.memory.id == memory.id), None),
        parts={one.name: one.value for one in part.ranked[rank - 1].contributions},
    )
