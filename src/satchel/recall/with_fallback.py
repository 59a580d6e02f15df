"""Answer from the requested scope and, if that has too few hits, from its fallback scopes."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import ScopePolicy
from satchel.domain.ranking import Hit, Origin
from satchel.domain.scope import Placement, Reach, fallback_scopes
from satchel.ports import Ledger
from satchel.recall import relevance
from satchel.recall.fusion import VECTOR
from satchel.recall.lanes import VectorQuery
from satchel.recall.prefetch import Prefetch
from satchel.recall.request import RecallQuestion, RecallRequest
from satchel.recall.rerank import Reranking
from satchel.recall.scope_answer import ScopeAnswer, answer_in_scope
from satchel.recall.tiers import policy_tier


class Fallback(Struct, frozen=True):
    """Which fallback scopes were searched and used, or why none was."""

    eligible: bool
    suppressed_reason: str | None = None
    consulted: tuple[str, ...] = ()
    used: tuple[str, ...] = ()


class RecallOutcome(Struct, frozen=True):
    """The combined hits of a recall, and the answer of each scope that was searched."""

    question: RecallQuestion
    placement: Placement
    reach: Reach
    primary: ScopeAnswer
    others: tuple[ScopeAnswer, ...]
    """Answers from fallback scopes, in search order."""
    hits: tuple[Hit, ...]
    fallback: Fallback
    calibrated: bool = False
    """Whether cosines to the question are calibrated."""

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """The best candidates of the requested scope below the minimum relevance, in the places that hits leave."""
        first = len(self.hits) + 1
        left = self.primary.nearest[: self.question.limit - len(self.hits)]
        return tuple(replace(hit, rank=rank) for rank, hit in enumerate(left, start=first))

    def likelihood(self, hit: Hit) -> float:
        """Return how likely a hit is about the question, considering whether its meaning was rated."""
        return _likelihood(hit, self.calibrated)

    @property
    def plausible(self) -> int:
        """Number of hits that may well be about the question."""
        return _plausible(self.hits, self.calibrated)

    @property
    def answers(self) -> tuple[ScopeAnswer, ...]:
        """The answers of all scopes, the requested one first."""
        return (self.primary, *self.others)

    @property
    def mismatches(self) -> int:
        """Number of candidates that do not match the ledger."""
        return sum(one.mismatches for one in self.answers)

    @property
    def problem(self) -> str:
        """Why the index could not be searched, or empty."""
        return next((one.candidates.problem for one in self.answers if one.candidates.problem), "")

    @property
    def policy_tier(self) -> str:
        """The importance labels that were searched until there were enough hits."""
        return policy_tier(label for one in self.answers for step in one.steps for label in step.labels)

    @property
    def relevance(self) -> float:
        """The relevance of the best hit."""
        return relevance.answer_relevance([hit.relevance for hit in self.hits])


def answer_with_fallback(
    request: RecallRequest,
    ledger: Ledger,
    vector_query: VectorQuery | None,
    reranking: Reranking | None = None,
    prefetched: Prefetch | None = None,
) -> RecallOutcome:
    """Answer from the requested scope, then from fallback scopes in order while there are too few plausible hits."""
    question, placement, view, policies = request.question, request.placement, request.view, request.policies
    primary = answer_in_scope(question, view, ledger, vector_query, policies.recall, reranking, prefetched)
    fallback = _eligibility(placement, view.reach, policies.scope, wanted=request.fallback)
    others: dict[str, ScopeAnswer] = {}
    calibrated = relevance.is_calibrated(vector_query.space.name if vector_query else None, question.terms)
    for scope in fallback_scopes(placement, policies.scope) if fallback.eligible else ():
        if sum(_plausible(one.hits, calibrated) for one in (primary, *others.values())) >= question.limit:
            break
        within = replace(view, reach=Reach((scope,)))
        others[scope] = answer_in_scope(question, within, ledger, vector_query, policies.recall)
    hits = tuple(_ordered(primary, others, question.limit, calibrated))
    used = {hit.memory.scope for hit in hits if hit.origin is Origin.FALLBACK}
    return RecallOutcome(
        question=question,
        placement=placement,
        reach=view.reach,
        primary=primary,
        others=tuple(others.values()),
        hits=hits,
        fallback=replace(fallback, consulted=tuple(others), used=tuple(scope for scope in others if scope in used)),
        calibrated=calibrated,
    )


def _eligibility(placement: Placement, reach: Reach, policy: ScopePolicy, *, wanted: bool) -> Fallback:
    if not policy.enabled or reach.everywhere or not wanted:
        return Fallback(False, "disabled")
    if not fallback_scopes(placement, policy):
        return Fallback(False, "no_fallback_scopes")
    if placement.invalid and policy.skip_fallback_on_invalid_scope:
        return Fallback(False, "invalid_scope")
    return Fallback(True)


def _plausible(hits: tuple[Hit, ...], calibrated: bool) -> int:
    return sum(_is_plausible(hit, calibrated) for hit in hits)


def _is_plausible(hit: Hit, calibrated: bool) -> bool:
    return _likelihood(hit, calibrated) >= relevance.PLAUSIBLE


def _likelihood(hit: Hit, calibrated: bool) -> float:
    return relevance.likelihood(hit.relevance, rated=calibrated and hit.raw(VECTOR) is not None)


def _ordered(primary: ScopeAnswer, others: dict[str, ScopeAnswer], limit: int, calibrated: bool) -> Iterator[Hit]:
    """Yield the primary's plausible hits, then plausible fallback hits, then the primary's other hits."""
    from_fallback = [
        replace(hit, origin=Origin.FALLBACK)
        for one in others.values()
        for hit in one.hits
        if _is_plausible(hit, calibrated)
    ]
    # Without fallback hits the primary's order stays.
    plausible = [hit for hit in primary.hits if _is_plausible(hit, calibrated) or not from_fallback]
    rest = [hit for hit in primary.hits if hit not in plausible]
    for rank, hit in enumerate([*plausible, *from_fallback, *rest][:limit], start=1):
        yield replace(hit, rank=rank)
