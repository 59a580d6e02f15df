"""Whereabouts: how far one record came in a recall, told from the recall itself and from the functions it is made of."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.domain.explanation import LaneFinding, Whereabouts
from satchel.domain.ranking import Candidate, Ranked
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach
from satchel.domain.view import View, held_out_by
from satchel.errors import Unavailable
from satchel.recall import tiers
from satchel.recall.answer import Answer, Judge, judge_of
from satchel.recall.fuse import LEXICAL, VECTOR
from satchel.recall.lanes import measured
from satchel.recall.question import Mode, Question
from satchel.recall.recaller import CompletedRecall
from satchel.recall.request import Request
from satchel.recall.tiers import Step
from satchel.recall.with_fallback import RecallOutcome

# So far down a lane a record is looked for that the lane did not bring along.
LOOKED_AT = 10_000


def whereabouts(memory: Memory, search: CompletedRecall) -> Whereabouts:
    """Say how far a record came in a finished recall."""
    found = search.found
    question, ledger = search.request.question, search.ledger
    view, part, fallback = _searched_within(memory, found, search.request)
    held_out = None if view is None else held_out_by(memory, view)
    # Where it may not be seen, what the lanes would have made of it is told as if it might.
    seen = _admitting(memory, search.request.view if view is None else view)
    present = ledger.memories.tiers(seen.reach)
    step = _step_of(memory, tiers.steps(present, seen, search.request.policies.recall))
    narrowed = seen if step is None else tiers.narrowed(seen, step, present)
    held = ledger.memories.matching_terms(memory.id, question.terms, seen)
    place = next((hit.rank for hit in found.hits if hit.memory.id == memory.id), None)
    told = Whereabouts(
        returned=place,
        within="" if view is None else memory.scope,
        stands_in=view is not None and part is not found.primary,
        fallback=fallback,
        held_out_by=held_out,
        gate="" if part is None or held_out else _gate(memory, part),
        lanes=tuple(_lanes(memory, part, search, narrowed, bool(held))),
        terms=question.terms,
        held=tuple(term for term in question.terms if term in held),
    )
    return told if part is None else _placed(told, memory, part, search)


def _searched_within(memory: Memory, found: RecallOutcome, request: Request) -> tuple[View | None, Answer | None, str]:
    """Return the view and the answer of the scope that holds a record; or none, and why a fallback scope was left alone."""
    if request.view.reach.admits(memory.scope):
        return request.view, found.primary, ""
    consulted = dict(zip(found.fallback.consulted, found.others, strict=True))
    if memory.scope in consulted:
        return replace(request.view, reach=Reach((memory.scope,))), consulted[memory.scope], ""
    if memory.scope not in request.policies.scope.fallback_scopes:
        return None, None, ""
    return None, None, found.fallback.suppressed_reason or "enough"


def _admitting(memory: Memory, view: View) -> View:
    """Return a view, widened just so far that it admits a record."""
    return replace(
        view,
        reach=view.reach if view.reach.admits(memory.scope) else Reach((memory.scope,)),
        states=view.states if memory.state in view.states else (*view.states, memory.state),
        trusts=view.trusts if memory.trust in view.trusts else (*view.trusts, memory.trust),
        kinds=view.kinds if not view.kinds or memory.kind in view.kinds else (*view.kinds, memory.kind),
        timeless=view.timeless or held_out_by(memory, view) in ("expired", "not_yet_valid"),
    )


def _step_of(memory: Memory, planned: Sequence[Step]) -> Step | None:
    return next((step for step in planned if (memory.trust, memory.label) in step.tiers), None)


def _gate(memory: Memory, part: Answer) -> str:
    """Say why the tier of a record was not searched; empty when it was."""
    if any((memory.trust, memory.label) in step.tiers for step in part.searched):
        return ""
    return "tier" if any(memory.trust in step.trusts for step in part.searched) else "trust_gate"


def _lanes(
    memory: Memory, part: Answer | None, search: CompletedRecall, view: View, shares_words: bool
) -> list[LaneFinding]:
    mode, gathered = search.request.question.mode, {} if part is None else part.gathered.lanes
    findings = []
    if mode is not Mode.VECTOR or search.meaning is None:
        findings.append(_by_word(memory, gathered.get(LEXICAL), search, view, shares_words))
    if mode is not Mode.LEXICAL:
        findings.append(_by_meaning(memory, gathered.get(VECTOR), search, view))
    return findings


def _by_word(
    memory: Memory, brought: Sequence[Candidate] | None, search: CompletedRecall, view: View, shares_words: bool
) -> LaneFinding:
    question, pool = search.request.question, search.request.question.pool
    if (at := _rank(memory.id, brought)) is not None and brought is not None:
        return LaneFinding(LEXICAL, True, True, at, len(brought), pool, _score(memory.id, brought))
    lane = LaneFinding(LEXICAL, ran=brought is not None, brought=False, pool=pool)
    if not shares_words:
        return replace(lane, problem="no_common_word")
    deeper = _match(question, search, view)
    return replace(lane, rank=_rank(memory.id, deeper), of=len(deeper), score=_score(memory.id, deeper))


def _match(question: Question, search: CompletedRecall, view: View) -> list[Candidate]:
    """Ask for what the lexical lane asks for, where it asks, only deeper."""
    meaning = search.meaning
    if meaning is not None and meaning.current:
        try:
            return meaning.index.match(question.terms, view, LOOKED_AT)
        except Unavailable:
            pass
    return search.ledger.memories.match(question.terms, view, LOOKED_AT)


def _by_meaning(
    memory: Memory, brought: Sequence[Candidate] | None, search: CompletedRecall, view: View
) -> LaneFinding:
    meaning, pool = search.meaning, search.request.question.pool
    if (at := _rank(memory.id, brought)) is not None and brought is not None:
        return LaneFinding(VECTOR, True, True, at, len(brought), pool, _score(memory.id, brought))
    lane = LaneFinding(VECTOR, ran=brought is not None, brought=False, pool=pool)
    if meaning is None:
        return replace(lane, problem="no_vector_search")
    own = measured([Candidate(memory.id, 0.0, memory.content_hash)], search.ledger.vectors, meaning)
    if not own:
        return replace(lane, problem="not_embedded")
    try:
        nearest = meaning.index.nearest(meaning.vector, view, LOOKED_AT)
    except Unavailable:
        return replace(lane, score=own[0].score, problem="index_unusable")
    at = _rank(memory.id, nearest)
    unseen = "index_behind" if at is None and not meaning.current else ""
    return replace(lane, rank=at, of=len(nearest), score=own[0].score, problem=unseen)


def _rank(id: MemoryId, candidates: Sequence[Candidate] | None) -> int | None:
    ordered = sorted(candidates or (), key=lambda one: (-one.score, one.id))
    return next((rank for rank, one in enumerate(ordered, start=1) if one.id == id), None)


def _score(id: MemoryId, candidates: Sequence[Candidate]) -> float | None:
    return next((one.score for one in candidates if one.id == id), None)


def _placed(told: Whereabouts, memory: Memory, part: Answer, search: CompletedRecall) -> Whereabouts:
    """Add where a record stands among the candidates of its scope, by the order and the relevance that decided."""
    nominated = any(one.id == memory.id for lane in part.gathered.lanes.values() for one in lane)
    rank = next((rank for rank, one in enumerate(part.ranked, start=1) if one.id == memory.id), None)
    told = replace(told, stray=nominated and memory.id not in part.sound, ranked=len(part.ranked), rank=rank)
    if rank is None:
        return told
    judge = judge_of(search.request.question, search.ledger, search.meaning)
    least = search.request.policies.recall.min_relevance
    own = _relevance(judge, part.ranked[rank - 1], part)
    ahead = sum(_relevance(judge, one, part) >= least for one in part.ranked[: rank - 1])
    return replace(
        told,
        relevance=own,
        plausible=own >= tiers.PLAUSIBLE,
        place=ahead + 1 if own >= least else None,
        parts={one.name: one.value for one in part.ranked[rank - 1].contributions},
    )


def _relevance(judge: Judge, one: Ranked, part: Answer) -> float:
    return judge.hit(one, part.sound[one.id]).relevance
