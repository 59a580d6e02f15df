"""Packing: a small, cited bundle for one request, from every lane that has something to say.

A lane that fails or is not there leaves the others alone: the trace says so.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.operations import Param, Scope, operation
from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.arguments import check_range
from satchel.domain.canonical import Json
from satchel.domain.document_hits import DocHit
from satchel.domain.edges import EdgeType
from satchel.domain.envelope import Ok
from satchel.domain.episode import EpisodesFound
from satchel.domain.graph_answers import GraphAnswer
from satchel.domain.host_messages import parse_messages
from satchel.domain.ranking import Candidate, LaneItem
from satchel.domain.receipt import Receipt, question_facts
from satchel.domain.record import MemoryId, Trust
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import Placement, check_scope, resolve_scope
from satchel.domain.tokens import estimate_tokens
from satchel.domain.view import View
from satchel.errors import SatchelError
from satchel.packing import bundle
from satchel.packing.choose import Limits, choose
from satchel.packing.offers import (
    document_offer,
    episode_offer,
    item_offer,
    memory_offer,
    rank_lane,
    record_offer,
    relation_offer,
    turn_offer,
)
from satchel.packing.shape import context_pack, trace_object
from satchel.packing.values import ContextPack, LaneReport, Offer, OfferSource, PackDecision, Packed, Retriever
from satchel.recall.question import MAX_LIMIT, Mode, RecallQuestion, parse_question
from satchel.recall.recaller import Recaller
from satchel.recall.request import RecallRequest, recall_reach
from satchel.recall.tiers import PLAUSIBLE_RELEVANCE
from satchel.recall.with_fallback import RecallOutcome

MAX_BUDGET = 200_000
MAX_ITEMS = 500
# So many tokens a line has at the least: what more items than this could a budget hold?
TOKENS_PER_ITEM = 25
LEAST_ITEMS = 15
# Each lane brings at most so many, for each item that may go in, and never fewer than so many.
POOL, LEAST_POOL, MOST_POOL = 2, 30, 120
# How many of those that stayed out a kept receipt names.
NAMED_OTHERS = 40
MOST_FACTS, MOST_RELATIONS, MOST_PIECES = 12, 8, 30
DECISION = "decision"
_DOC_MODES = {Mode.LEXICAL: "search", Mode.VECTOR: "vsearch", Mode.HYBRID: "query"}


class PackRequest(Struct, frozen=True):
    """What every lane is asked."""

    question: RecallQuestion
    placement: Placement
    pool: int
    """How many it may offer."""

    @property
    def scope(self) -> str:
        """The scope that is meant."""
        return self.placement.scope


Brought = tuple[list[Offer], str, tuple[Retriever, ...]]
"""What a lane offers, best first; what kept it from giving more; and how it searched."""
Lane = Callable[[PackRequest], Brought]


class PackLanes(Struct, frozen=True):
    """The searches of other features that a pack is filled from. None of them keeps a receipt of its own."""

    facts: Callable[..., Sequence[LaneItem]]
    graph: Callable[..., Sequence[GraphAnswer]]
    conversations: Callable[..., Sequence[LaneItem]]
    episodes: Callable[..., Ok[EpisodesFound]]
    documents: Callable[..., Sequence[DocHit]]


class Packing(Service):
    """Makes packs. What a pack includes is what counts as used."""

    def __init__(self, parts: Parts, recaller: Recaller, lanes: PackLanes) -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._lanes = lanes

    @operation(
        "pack",
        touches=True,
        served=True,
        examples=(
            'satchel pack --query "prepare the release" --budget-tokens 800',
            'satchel pack --query "prepare the release" --json --trace',
        ),
    )
    def pack(
        self,
        query: Annotated[str, Param("what the next step is about", stdin=True)],
        *,
        budget_tokens: Annotated[int | None, Param("maximum size in tokens; as configured if omitted")] = None,
        scope: Scope = None,
        max_items: Annotated[int | None, Param("maximum number of items; by the budget if omitted")] = None,
        tail: Annotated[
            Sequence[Any], Param("the newest turns of the conversation, which are included first", in_file=True)
        ] = (),
        tail_budget_tokens: Annotated[
            int | None, Param("tokens reserved for them; a share of the budget if omitted")
        ] = None,
        mode: Annotated[str, Param("how to search", choices=Mode)] = "hybrid",
        trace: Annotated[bool, Param("say for every candidate why it is included or excluded")] = False,
        touch: Annotated[
            bool, Param("count the contents of the pack as used", off="only look: nothing in the pack counts as used")
        ] = True,
    ) -> Ok[ContextPack]:
        """Make a small, cited bundle for a request.

        Memories, facts and relations come first, then episodes and documents, then the newest turns. The bundle never
        exceeds its budget, and every line cites its record.
        """
        started, policy = self._clock.ticks(), self._policies.pack
        budget = _whole(budget_tokens, "budget_tokens", policy.budget_tokens, MAX_BUDGET)
        items = _whole(max_items, "max_items", max(LEAST_ITEMS, budget // TOKENS_PER_ITEM), MAX_ITEMS)
        limits = Limits(budget, items, self._tail_tokens(tail_budget_tokens, budget), policy)
        request = self._request(query, mode, scope, pool=min(MOST_POOL, max(LEAST_POOL, POOL * items)))
        question = request.question
        stages: dict[str, float] = {}
        offers, lanes = self._offered(request, tail, stages)
        begun = self._clock.ticks()
        decisions = choose(offers, frozenset(question.terms), limits, estimate_tokens, lambda text: redacted(text).text)
        stages["choose"] = self._since(begun)
        text = bundle.render_bundle([one for one in decisions if one.included])
        used = [one.offer.id for one in decisions if one.included and one.offer.source is OfferSource.MEMORIES]
        touched = touch and not self._ledger.read_only
        packed = Packed(
            query=question.said,
            scope=request.placement.scope,
            at=self._clock.now(),
            budget_tokens=budget,
            max_items=items,
            max_l2_items=policy.max_l2_items,
            nice_cap=policy.nice_cap,
            bundle_text=text,
            bundle_tokens=estimate_tokens(text),
            decisions=tuple(decisions),
            lanes=lanes,
            refreshed=tuple(one.offer.ref for one in decisions if one.offer.id in used) if touched else (),
            stages=stages,
        )
        receipt = self._pack_receipt(packed, request, started)
        if touched:
            self._mark_selected(used)
        if touch and self._policies.receipts.enabled:
            receipt = replace(receipt, kept=self._ledger.receipts.keep(receipt, [MemoryId(id) for id in used]))
        shown = trace_object(packed, receipt.duration_ms) if trace else None
        return Ok(context_pack(packed, shown), receipt)

    def _request(self, query: str, mode: str, scope: str | None, *, pool: int) -> PackRequest:
        question = parse_question(query, mode, min(pool, MAX_LIMIT))
        named = None if scope is None else check_scope(scope, self._policies.scope)
        return PackRequest(question, resolve_scope(named, question.said, self._policies.scope), pool)

    def _tail_tokens(self, given: int | None, budget: int) -> int:
        if given is None:
            return int(budget * self._policies.pack.tail_share)
        return min(check_range(given, "tail_budget_tokens", 0, MAX_BUDGET), budget)

    def _since(self, ticks: float) -> float:
        return round((self._clock.ticks() - ticks) * 1000, 3)

    # Lanes

    def _offered(
        self, request: PackRequest, tail: Sequence[Any], stages: dict[str, float]
    ) -> tuple[list[Offer], tuple[LaneReport, ...]]:
        """Ask the lanes one after the other. None of them can keep the others from answering."""
        turns = _turns(tail)
        offers: list[Offer] = list(turns)
        reports = [LaneReport("hot", OfferSource.TAIL, bool(turns), len(turns))]
        for name, source, lane in self._warm_lanes():
            found, report = self._asked(name, source, lane, request, stages)
            offers += found
            reports.append(report)
        cold, report = self._documents(request, offers, stages)
        return _told_apart([*offers, *cold]), (*reports, report)

    def _asked(
        self, name: str, source: OfferSource, lane: Lane, request: PackRequest, stages: dict[str, float]
    ) -> tuple[list[Offer], LaneReport]:
        begun = self._clock.ticks()
        try:
            found, problem, retrievers = lane(request)
            report = LaneReport(name, source, True, len(found), problem, retrievers)
        except SatchelError as error:
            found, report = [], LaneReport(name, source, searched=False, problem=f"{error.code}: {error.message}")
        stages[source] = self._since(begun)
        return rank_lane(found), report

    def _documents(
        self, request: PackRequest, hot: Sequence[Offer], stages: dict[str, float]
    ) -> tuple[list[Offer], LaneReport]:
        """Consult documents where memory has too little."""
        if not self._policies.documents.enabled:
            return [], LaneReport("cold", OfferSource.DOCUMENTS, searched=False)
        enough = self._policies.documents.min_hot_items
        if sum(one.relevance >= PLAUSIBLE_RELEVANCE for one in hot if one.source is not OfferSource.TAIL) >= enough:
            return [], LaneReport("cold", OfferSource.DOCUMENTS, searched=False)
        return self._asked("cold", OfferSource.DOCUMENTS, self._chunks, request, stages)

    def _warm_lanes(self) -> tuple[tuple[str, OfferSource, Lane], ...]:
        """Return the lanes in the order in which they are asked; documents are consulted last, and only if need be."""
        return (
            ("warm", OfferSource.MEMORIES, self._memories),
            ("warm", OfferSource.FACTS, self._facts),
            ("warm", OfferSource.GRAPH, self._relations),
            ("warm", OfferSource.CONVERSATIONS, self._decisions),
            ("warm", OfferSource.EPISODES, self._episodes),
        )

    def _memories(self, request: PackRequest) -> Brought:
        question = request.question
        view = View(recall_reach(request.placement, self._policies.scope), self._clock.now())
        recalled = self._recaller.recall(RecallRequest(question, request.placement, view, self._policies))
        found = recalled.found
        offers = self._with_dissent([memory_offer(hit) for hit in found.hits], view)
        retrievers = tuple(Retriever(name, question.pool, len(one)) for name, one in _lanes_of(found))
        return offers, recalled.ready.warning, retrievers

    def _facts(self, request: PackRequest) -> Brought:
        items = self._lanes.facts(request.question.text, scope=request.scope, limit=MOST_FACTS)
        return (
            [item_offer(one, OfferSource.FACTS) for one in items],
            "",
            (Retriever("lexical", MOST_FACTS, len(items)),),
        )

    def _relations(self, request: PackRequest) -> Brought:
        answers = self._lanes.graph(request.question.text, scope=request.scope, limit=MOST_RELATIONS)
        return [relation_offer(one) for one in answers], "", (Retriever("graph", MOST_RELATIONS, len(answers)),)

    def _decisions(self, request: PackRequest) -> Brought:
        found = self._lanes.conversations(request.question.text, scope=request.scope, limit=MOST_FACTS)
        # Other messages are evidence: the episodes lane finds those.
        items = [one for one in found if one.kind == DECISION]
        retriever = Retriever("lexical", MOST_FACTS, len(items))
        return [item_offer(one, OfferSource.CONVERSATIONS) for one in items], "", (retriever,)

    def _episodes(self, request: PackRequest) -> Brought:
        mode = request.question.mode
        found = self._lanes.episodes(request.question.text, scope=request.scope, mode=mode, limit=request.pool)
        hits = found.result.hits
        problem = "; ".join(found.receipt.warnings)
        return [episode_offer(one) for one in hits], problem, (Retriever(mode, request.pool, len(hits)),)

    def _chunks(self, request: PackRequest) -> Brought:
        mode = _DOC_MODES[request.question.mode]
        hits = self._lanes.documents(request.question.text, scope=request.scope, mode=mode, limit=MOST_PIECES)
        return [document_offer(one) for one in hits], "", (Retriever(mode, MOST_PIECES, len(hits)),)

    def _with_dissent(self, offers: Sequence[Offer], view: View) -> list[Offer]:
        """Mark what contradicts another offer, and bring in what nobody found that does."""
        ids = [MemoryId(one.id) for one in offers]
        against = [
            one.edge
            for one in self._ledger.edges.evidence(ids, view, 1)
            if one.edge.type is EdgeType.CONTRADICTS and one.trust is not Trust.QUARANTINED
        ]
        relevance = {one.id: one.relevance for one in offers}
        disputed = {edge.source: relevance[edge.target] for edge in against}
        missing = self._ledger.memories.fetch([id for id in disputed if id not in relevance], view)
        known = self._ledger.memories.fetch([id for id in disputed if id in relevance], view)
        dissenting = {
            id: record_offer(memory, max(disputed[id], relevance.get(id, 0.0)), dissent=True)
            for id, memory in (missing | known).items()
        }
        return [dissenting.pop(MemoryId(one.id), one) for one in offers] + list(dissenting.values())

    def _pack_receipt(self, packed: Packed, request: PackRequest, started: float) -> Receipt:
        asked: dict[str, Json] = {
            **question_facts(request.question.said),
            "scope": packed.scope,
            "scope_mode": request.placement.mode,
            "mode": request.question.mode,
            "budget_tokens": packed.budget_tokens,
            "max_items": packed.max_items,
        }
        lanes: dict[str, Json] = {
            lane.source: {"searched": lane.searched, "found": lane.found, "problem": lane.problem or None}
            for lane in packed.lanes
        }
        out = [one for one in packed.decisions if not one.included]
        decided: dict[str, Json] = {
            "tokens": packed.bundle_tokens,
            "included": [_fact(one) for one in packed.items],
            "excluded": [_fact(one) for one in out[:NAMED_OTHERS]],
            "excluded_unlisted": max(0, len(out) - NAMED_OTHERS),
            "refreshedRecordRefs": list(packed.refreshed),
        }
        warnings = tuple(f"lane_{lane.source}: {lane.problem}" for lane in packed.lanes if lane.problem)
        return self._receipt(
            "pack", started, asked=asked, considered={"lanes": lanes}, decided=decided, warnings=warnings
        )


def _fact(one: PackDecision) -> dict[str, Json]:
    """Return what a receipt says of a decision: names, numbers and rules."""
    return {
        "id": one.offer.id,
        "lane": one.offer.source,
        "relevance": one.offer.relevance,
        "layer": one.layer if one.included else None,
        "rules": list(one.reasons),
    }


def _turns(tail: Sequence[Any]) -> list[Offer]:
    said = parse_messages(tail).messages
    return [
        turn_offer(number, one.role, "\n".join(one.blocks)) for number, one in enumerate(said, start=1) if one.blocks
    ]


def _lanes_of(found: RecallOutcome) -> list[tuple[str, Sequence[Candidate]]]:
    return sorted(found.primary.candidates.lanes.items())


def _told_apart(offers: Sequence[Offer]) -> list[Offer]:
    """Give records whole names where two would be cited by the same short one."""
    names = Counter(one.ref for one in offers)
    return [replace(one, ref=one.id) if names[one.ref] > 1 else one for one in offers]


def _whole(given: int | None, name: str, default: int, max_tokens: int) -> int:
    return default if given is None else check_range(given, name, 1, max_tokens)
