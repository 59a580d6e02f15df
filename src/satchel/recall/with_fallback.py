"""Answer from the requested scope and, when it has too little, from its fallback scopes."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import ScopePolicy
from satchel.domain.ranking import Hit, Origin
from satchel.domain.scope import Placement, Reach
from satchel.ports import Ledger
from satchel.recall import relevance
from satchel.recall.answer import Answer, answer
from satchel.recall.lanes import Meaning
from satchel.recall.prefetch import Prefetched
from satchel.recall.question import Question
from satchel.recall.request import Request
from satchel.recall.rerank import Reranking
from satchel.recall.tiers import PLAUSIBLE, policy_tier


class Fallback(Struct, frozen=True):
    """Whether other scopes stood in, and why not if not."""

    eligible: bool
    suppressed_reason: str | None = None
    consulted: tuple[str, ...] = ()
    used: tuple[str, ...] = ()


class RecallOutcome(Struct, frozen=True):
    """What was found where."""

    question: Question
    placement: Placement
    reach: Reach
    primary: Answer
    others: tuple[Answer, ...]
    """Answers from fallback scopes, in the order they were consulted."""
    hits: tuple[Hit, ...]
    fallback: Fallback

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All of them, the scope that was asked first."""
        return (self.primary, *self.others)

    @property
    def strays(self) -> int:
        """Candidates that are not in the ledger as the index has them."""
        return sum(one.strays for one in self.answers)

    @property
    def problem(self) -> str:
        """What went wrong with the index, or empty."""
        return next((one.gathered.problem for one in self.answers if one.gathered.problem), "")

    @property
    def policy_tier(self) -> str:
        """The importances that were looked at until there was enough."""
        return policy_tier(label for one in self.answers for step in one.searched for label in step.labels)

    @property
    def relevance(self) -> float:
        """How likely it is that the answer holds something about what was asked."""
        return relevance.of_answer([hit.relevance for hit in self.hits])


def answer_with_fallback(
    request: Request,
    ledger: Ledger,
    meaning: Meaning | None,
    reranking: Reranking | None = None,
    prefetched: Prefetched | None = None,
) -> RecallOutcome:
    """Answer from the requested scope, then from the fallback scopes in order while there are too few hits."""
    question, placement, view, policies = request.question, request.placement, request.view, request.policies
    primary = answer(question, view, ledger, meaning, policies.recall, reranking, prefetched)
    terms = _terms(placement, view.reach, policies.scope, wanted=request.fallback)
    others: dict[str, Answer] = {}
    for scope in _others(placement, policies.scope) if terms.eligible else ():
        if _plausible(primary.hits) + sum(_plausible(one.hits) for one in others.values()) >= question.limit:
            break
        within = replace(view, reach=Reach((scope,)))
        others[scope] = answer(question, within, ledger, meaning, policies.recall)
    hits = tuple(_ordered(primary, others, question.limit))
    used = {hit.memory.scope for hit in hits if hit.origin is Origin.FALLBACK}
    return RecallOutcome(
        question=question,
        placement=placement,
        reach=view.reach,
        primary=primary,
        others=tuple(others.values()),
        hits=hits,
        fallback=replace(terms, consulted=tuple(others), used=tuple(scope for scope in others if scope in used)),
    )


def _terms(placement: Placement, reach: Reach, policy: ScopePolicy, *, wanted: bool) -> Fallback:
    if not policy.enabled or reach.everywhere or not wanted:
        return Fallback(False, "disabled")
    if not _others(placement, policy):
        return Fallback(False, "no_fallback_scopes")
    if placement.invalid and policy.skip_fallback_on_invalid_scope:
        return Fallback(False, "invalid_scope")
    return Fallback(True)


def _others(placement: Placement, policy: ScopePolicy) -> list[str]:
    return [scope for scope in dict.fromkeys(policy.fallback_scopes) if scope != placement.scope]


def _plausible(hits: tuple[Hit, ...]) -> int:
    return sum(hit.relevance >= PLAUSIBLE for hit in hits)


def _ordered(primary: Answer, others: dict[str, Answer], limit: int) -> Iterator[Hit]:
    """Yield the primary's plausible hits, then those that stand in, then whatever else the primary had."""
    standing_in = [
        replace(hit, origin=Origin.FALLBACK)
        for one in others.values()
        for hit in one.hits
        if hit.relevance >= PLAUSIBLE
    ]
    # Nothing stands in: the primary's order is left alone.
    plausible = [hit for hit in primary.hits if hit.relevance >= PLAUSIBLE or not standing_in]
    rest = [hit for hit in primary.hits if hit not in plausible]
    for rank, hit in enumerate([*plausible, *standing_in, *rest][:limit], start=1):
        yield replace(hit, rank=rank)
