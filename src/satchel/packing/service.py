"""Packing: a small, cited bundle for one request, from the lanes of several features.

A lane that fails does not stop the others: the trace names it.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.operations import Param, Scope, operation
from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.core.service import Service
from satchel.domain.arguments import check_range
from satchel.domain.canonical import digest
from satchel.domain.document_hits import DocHit
from satchel.domain.edges import EdgeType
from satchel.domain.envelope import Ok
from satchel.domain.episode import EpisodesFound
from satchel.domain.graph_answers import GraphAnswer, without_people
from satchel.domain.host_messages import parse_messages
from satchel.domain.observation import KeptObservation
from satchel.domain.ranking import Hit, LaneItem
from satchel.domain.receipt_sections import PackAsked, PackConsidered, PackDecided, PackEntry, PackLane
from satchel.domain.record import MemoryId, Trust
from satchel.domain.safety.private_paths import without_home_folders
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import EVERYWHERE, Placement, Reach, resolve_scope
from satchel.domain.tokens import estimate_tokens, token_share
from satchel.domain.view import View
from satchel.errors import SatchelError
from satchel.packing import bundle
from satchel.packing.choose import MIN_RELEVANCE, PackLimits, choose
from satchel.packing.offers import (
    document_offer,
    episode_offer,
    item_offer,
    memory_offer,
    observation_offer,
    rank_lane,
    record_offer,
    relation_offer,
    turn_offer,
    with_changes,
    with_unique_refs,
)
from satchel.packing.shape import context_pack, trace_object
from satchel.packing.values import ContextPack, LaneReport, Offer, OfferSource, PackDecision, Packed, Retriever
from satchel.recall.changes import settle_changes
from satchel.recall.recaller import CompletedRecall, Recaller
from satchel.recall.relevance import PLAUSIBLE, is_calibrated
from satchel.recall.request import MAX_LIMIT, Mode, RecallQuestion, RecallRequest, parse_question, recall_reach

MAX_BUDGET = 200_000
MAX_ITEMS = 500
# Estimated tokens of an item, which gives the number of items for a budget.
TOKENS_PER_ITEM = 25
MIN_ITEMS = 15
# Number of offers requested from a lane per item of the pack, with lower and upper bounds.
POOL_PER_ITEM, MIN_POOL, MAX_POOL = 2, 30, 120
# Maximum number of excluded offers named on the receipt.
MAX_EXCLUDED_NAMED = 40
MAX_FACTS, MAX_RELATIONS, MAX_CHUNKS, MAX_OBSERVATIONS = 12, 8, 30, 12
# Maximum number of untrusted memories considered.
MAX_UNTRUSTED = 12
# Lanes whose records count as used once they are in a pack.
COUNTED = (OfferSource.MEMORIES, OfferSource.OBSERVATIONS)
DECISION = "decision"
_DOC_MODES = {Mode.LEXICAL: "search", Mode.VECTOR: "vsearch", Mode.HYBRID: "query"}


class PackRequest(Struct, frozen=True):
    """What every lane is asked."""

    question: RecallQuestion
    placement: Placement
    pool: int
    """Maximum number of offers of a lane."""
    fallback: bool = True
    """Whether fallback scopes may be consulted."""

    @property
    def scope(self) -> str:
        """The scope of the pack."""
        return self.placement.scope


LaneOffers = tuple[list[Offer], str, tuple[Retriever, ...]]
"""The offers of a lane, best first; why they are incomplete, or ""; and the searches it ran."""
Lane = Callable[[PackRequest], LaneOffers]


class PackLanes(Struct, frozen=True):
    """The searches of other features that fill a pack."""

    facts: Callable[..., Sequence[LaneItem]]
    graph: Callable[..., Sequence[GraphAnswer]]
    conversations: Callable[..., Sequence[LaneItem]]
    episodes: Callable[..., Ok[EpisodesFound]]
    documents: Callable[..., Sequence[DocHit]]
    observations: Callable[..., Sequence[KeptObservation]]


class Packing(Service):
    """Makes packs. Memories and observations in a pack count as used."""

    def __init__(self, parts: Parts, recaller: Recaller, lanes: PackLanes) -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._lanes = lanes

    @operation(
        "pack",
        touches=True,
        operator_only=True,
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
            bool, Param("count the contents of the pack as used", off="do not count the contents of the pack as used")
        ] = True,
        fallback: Annotated[
            bool, Param("look in the fallback scopes too", off="do not look in the fallback scopes")
        ] = True,
    ) -> Ok[ContextPack]:
        """Make a small, cited bundle for a request.

        Memories, facts and relations come first, then documents, observations and episodes, then the newest turns. The
        bundle never exceeds its budget, and every line cites its record.
        """
        with self._run("pack") as run:
            policy = self._policies.pack
            budget = _limit(budget_tokens, "budget_tokens", policy.budget_tokens, MAX_BUDGET)
            items = _limit(max_items, "max_items", max(MIN_ITEMS, budget // TOKENS_PER_ITEM), MAX_ITEMS)
            limits = PackLimits(budget, items, self._tail_tokens(tail_budget_tokens, budget), policy)
            pool = min(MAX_POOL, max(MIN_POOL, POOL_PER_ITEM * items))
            request = self._request(query, mode, scope, pool=pool, fallback=fallback)
            question = request.question
            stages: dict[str, float] = {}
            offers, lanes = self._gather(request, tail, stages)
            choosing_from = self._clock.ticks()
            decisions = choose(offers, frozenset(question.terms), limits, token_share, _for_prompt)
            stages["choose"] = self._since(choosing_from)
            text = bundle.render_bundle([one for one in decisions if one.included])
            used = [one.offer for one in decisions if one.included and one.offer.source in COUNTED]
            touched = touch and not self._ledger.read_only
            packed = Packed(
                query=question.said,
                scope=request.scope,
                at=self._clock.now(),
                budget_tokens=budget,
                max_items=items,
                max_l2_items=policy.max_l2_items,
                nice_cap=policy.nice_cap,
                bundle_text=text,
                bundle_tokens=estimate_tokens(text),
                decisions=tuple(decisions),
                lanes=lanes,
                refreshed=tuple(one.ref for one in used) if touched else (),
                stages=stages,
            )
            _describe(run, packed, request)
            pack = context_pack(packed, trace_object(packed, run.elapsed_ms()) if trace else None)
            if touched:
                self._mark_selected([one.id for one in used])
            memories = [MemoryId(one.id) for one in used if one.source is OfferSource.MEMORIES]
            return run.keep_if_enabled(pack, memories) if touch else run.done(pack)

    def _request(self, query: str, mode: str, scope: str | None, *, pool: int, fallback: bool) -> PackRequest:
        question = parse_question(query, mode, min(pool, MAX_LIMIT))
        placement = resolve_scope(scope, question.said, self._policies.scope, strict=True)
        return PackRequest(question, placement, pool, fallback)

    def _tail_tokens(self, given: int | None, budget: int) -> int:
        if given is None:
            return int(budget * self._policies.pack.tail_share)
        return min(check_range(given, "tail_budget_tokens", 0, MAX_BUDGET), budget)

    def _since(self, ticks: float) -> float:
        return round((self._clock.ticks() - ticks) * 1000, 3)

    # Lanes

    def _gather(
        self, request: PackRequest, tail: Sequence[Any], stages: dict[str, float]
    ) -> tuple[list[Offer], tuple[LaneReport, ...]]:
        """Search the lanes one after the other."""
        turns = _turns(tail)
        offers: list[Offer] = list(turns)
        reports = [LaneReport("hot", OfferSource.TAIL, bool(turns), len(turns))]
        for source, lane in self._warm_lanes():
            found, report = self._search_lane("warm", source, lane, request, stages)
            offers += found
            reports.append(report)
        documents, report = self._search_documents(request, offers, stages)
        return with_unique_refs([*offers, *documents]), (*reports, report)

    def _search_lane(
        self, name: str, source: OfferSource, lane: Lane, request: PackRequest, stages: dict[str, float]
    ) -> tuple[list[Offer], LaneReport]:
        started = self._clock.ticks()
        try:
            found, problem, retrievers = lane(request)
            report = LaneReport(name, source, True, len(found), problem, retrievers)
        except SatchelError as error:
            found, report = [], LaneReport(name, source, searched=False, problem=f"{error.code}: {error.message}")
        stages[source] = self._since(started)
        calibrated = self._has_calibrated_cosines(request.question)
        return rank_lane([replace(one, rated=_is_rated(one, calibrated)) for one in found]), report

    def _has_calibrated_cosines(self, question: RecallQuestion) -> bool:
        space = self._ledger.vectors.space() if question.mode is not Mode.LEXICAL else None
        return is_calibrated(space.name if space else None, question.terms)

    def _search_documents(
        self, request: PackRequest, offers: Sequence[Offer], stages: dict[str, float]
    ) -> tuple[list[Offer], LaneReport]:
        """Search documents if there are any and the other lanes found too little."""
        policy = self._policies.documents
        plausible = sum(one.likelihood >= PLAUSIBLE for one in offers if one.source is not OfferSource.TAIL)
        wanted = policy.enabled and plausible < policy.min_hot_items
        if not wanted or not self._ledger.documents.collections(EVERYWHERE):
            return [], LaneReport("cold", OfferSource.DOCUMENTS, searched=False)
        return self._search_lane("cold", OfferSource.DOCUMENTS, self._chunks, request, stages)

    def _warm_lanes(self) -> tuple[tuple[OfferSource, Lane], ...]:
        """Return the lanes in the order they are searched; documents follow, only if needed."""
        return (
            (OfferSource.MEMORIES, self._memories),
            (OfferSource.FACTS, self._facts),
            (OfferSource.GRAPH, self._relations),
            (OfferSource.CONVERSATIONS, self._decisions),
            (OfferSource.EPISODES, self._episodes),
            (OfferSource.OBSERVATIONS, self._observations),
        )

    def _memories(self, request: PackRequest) -> LaneOffers:
        """Recall trusted memories, then untrusted ones apart, so that no number of these takes the place of those."""
        question = request.question
        view = View(recall_reach(request.placement, self._policies.scope), self._clock.now())
        trusted = replace(view, trusts=(Trust.TRUSTED,))
        recalled = self._recaller.recall(
            RecallRequest(question, request.placement, trusted, self._policies, request.fallback)
        )
        hits = [*recalled.found.hits, *self._untrusted_hits(recalled)]
        settled = settle_changes(hits, recalled.found.primary.nearest, self._ledger, view)
        offers = self._with_contradictions([memory_offer(hit) for hit in settled.hits], view)
        offers = with_changes(offers, hits, settled.changes)
        retrievers = tuple(
            Retriever(name, question.pool, len(one))
            for name, one in sorted(recalled.found.primary.candidates.lanes.items())
        )
        return offers, recalled.ready.warning, retrievers

    def _untrusted_hits(self, recalled: CompletedRecall) -> Sequence[Hit]:
        request = recalled.request
        scopes = (*request.view.reach.scopes, *self._policies.scope.fallback_scopes)
        reach = request.view.reach if request.view.reach.everywhere else Reach(scopes)
        if not any(trust is Trust.UNTRUSTED for trust, _ in self._ledger.memories.tiers(reach)):
            return ()
        question = replace(request.question, limit=min(request.question.limit, MAX_UNTRUSTED))
        view = replace(request.view, trusts=(Trust.UNTRUSTED,))
        return self._recaller.dry_run(replace(request, question=question, view=view), recalled.ready).found.hits

    def _facts(self, request: PackRequest) -> LaneOffers:
        items = self._lanes.facts(request.question.text, scope=request.scope, limit=MAX_FACTS)
        retriever = Retriever("lexical", MAX_FACTS, len(items))
        return [item_offer(one, OfferSource.FACTS) for one in items], "", (retriever,)

    def _relations(self, request: PackRequest) -> LaneOffers:
        answers = self._lanes.graph(request.question.text, scope=request.scope, limit=MAX_RELATIONS)
        shown = answers if self._policies.agents.show_people else [without_people(one) for one in answers]
        return [relation_offer(one) for one in shown], "", (Retriever("graph", MAX_RELATIONS, len(answers)),)

    def _decisions(self, request: PackRequest) -> LaneOffers:
        found = self._lanes.conversations(request.question.text, scope=request.scope, limit=MAX_FACTS)
        # Other messages are evidence: the episodes lane finds those.
        items = [one for one in found if one.kind == DECISION]
        retriever = Retriever("lexical", MAX_FACTS, len(items))
        return [item_offer(one, OfferSource.CONVERSATIONS) for one in items], "", (retriever,)

    def _episodes(self, request: PackRequest) -> LaneOffers:
        mode = request.question.mode
        found = self._lanes.episodes(request.question.text, scope=request.scope, mode=mode, limit=request.pool)
        hits = found.result.hits
        problem = "; ".join(found.receipt.warnings)
        return [episode_offer(one) for one in hits], problem, (Retriever(mode, request.pool, len(hits)),)

    def _observations(self, request: PackRequest) -> LaneOffers:
        kept = self._lanes.observations(
            request.question, scope=request.scope, limit=MAX_OBSERVATIONS, min_relevance=MIN_RELEVANCE
        )
        return [observation_offer(one) for one in kept], "", (Retriever("lexical", MAX_OBSERVATIONS, len(kept)),)

    def _chunks(self, request: PackRequest) -> LaneOffers:
        mode = _DOC_MODES[request.question.mode]
        hits = self._lanes.documents(request.question.text, scope=request.scope, mode=mode, limit=MAX_CHUNKS)
        return [document_offer(one) for one in hits], "", (Retriever(mode, MAX_CHUNKS, len(hits)),)

    def _with_contradictions(self, offers: Sequence[Offer], view: View) -> list[Offer]:
        """Mark offers that contradict another one, and add contradicting memories that no search found."""
        edges = [
            one.edge
            for one in self._ledger.edges.evidence([MemoryId(one.id) for one in offers], view, 1)
            if one.edge.type is EdgeType.CONTRADICTS and one.trust is not Trust.QUARANTINED
        ]
        relevance = {one.id: one.relevance for one in offers}
        contradicted = {edge.source: relevance[edge.target] for edge in edges}
        missing = self._ledger.memories.fetch([id for id in contradicted if id not in relevance], view)
        known = self._ledger.memories.fetch([id for id in contradicted if id in relevance], view)
        marked = {
            id: record_offer(memory, max(contradicted[id], relevance.get(id, 0.0)), dissent=True)
            for id, memory in (missing | known).items()
        }
        return [marked.pop(MemoryId(one.id), one) for one in offers] + list(marked.values())


def _describe(run: OperationRun, packed: Packed, request: PackRequest) -> None:
    """Write the receipt of a pack."""
    excluded = [one for one in packed.decisions if not one.included]
    run.asked = PackAsked(
        query_digest=digest(request.question.said),
        query_chars=len(request.question.said),
        scope=packed.scope,
        scope_mode=request.placement.mode,
        mode=request.question.mode,
        budget_tokens=packed.budget_tokens,
        max_items=packed.max_items,
    )
    run.considered = PackConsidered(
        {lane.source: PackLane(lane.searched, lane.found, lane.problem or None) for lane in packed.lanes}
    )
    run.decided = PackDecided(
        tokens=packed.bundle_tokens,
        included=[_entry(one) for one in packed.items],
        excluded=[_entry(one) for one in excluded[:MAX_EXCLUDED_NAMED]],
        excluded_unlisted=max(0, len(excluded) - MAX_EXCLUDED_NAMED),
        refreshed=list(packed.refreshed),
    )
    run.warn(*(f"lane_{lane.source}: {lane.problem}" for lane in packed.lanes if lane.problem))
    run.warn(
        *(
            f"contradicts: {one.offer.earlier_than} contradicts {one.offer.id}; 'satchel conflicts' says how to resolve it"
            for one in packed.items
            if one.offer.earlier_than
        )
    )


def _entry(one: PackDecision) -> PackEntry:
    """Describe a decision without its text."""
    return PackEntry(
        id=one.offer.id,
        lane=one.offer.source,
        relevance=one.offer.relevance,
        layer=one.layer if one.included else None,
        rules=list(one.reasons),
    )


def _turns(tail: Sequence[Any]) -> list[Offer]:
    messages = parse_messages(tail).messages
    return [
        turn_offer(number, one.role, "\n".join(one.blocks))
        for number, one in enumerate(messages, start=1)
        if one.blocks
    ]


def _limit(given: int | None, name: str, default: int, most: int) -> int:
    return default if given is None else check_range(given, name, 1, most)


def _is_rated(offer: Offer, calibrated: bool) -> bool:
    """Return whether more than words was compared. Contradicting memories without scores have the value of a rated one."""
    has_cosine = offer.scores.get("semantic") is not None or (offer.source is OfferSource.MEMORIES and not offer.scores)
    return offer.source is OfferSource.GRAPH or (calibrated and has_cosine)


def _for_prompt(text: str) -> str:
    """Return a text as it may leave in a pack: without secrets and home folders."""
    return without_home_folders(redacted(text).text)
