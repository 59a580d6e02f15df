"""Search the lanes of a pack: what each offers for a request.

A lane that fails does not stop the others: the trace names it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.document_hits import DocHit
from satchel.domain.edges import EdgeType
from satchel.domain.envelope import Ok
from satchel.domain.episode import EpisodesFound
from satchel.domain.graph_answers import GraphAnswer
from satchel.domain.host_messages import parse_messages
from satchel.domain.observation import KeptObservation
from satchel.domain.ranking import Hit, LaneItem
from satchel.domain.record import MemoryId, Trust
from satchel.domain.scope import EVERYWHERE, Placement, Reach
from satchel.domain.view import View
from satchel.errors import SatchelError
from satchel.packing.choose import MIN_RELEVANCE
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
from satchel.packing.values import LaneReport, Offer, OfferSource, Retriever
from satchel.ports import Clock
from satchel.recall.changes import settle_changes
from satchel.recall.recaller import CompletedRecall, Recaller
from satchel.recall.relevance import PLAUSIBLE, is_calibrated
from satchel.recall.request import Mode, RecallQuestion, RecallRequest, recall_reach

MAX_FACTS, MAX_RELATIONS, MAX_CHUNKS, MAX_OBSERVATIONS = 12, 8, 30, 12
# Maximum number of untrusted memories considered.
MAX_UNTRUSTED = 12
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


class GatheredOffers(Struct, frozen=True):
    """What the lanes offer."""

    offers: Sequence[Offer]
    lanes: tuple[LaneReport, ...]
    stages: Mapping[str, float]
    """Milliseconds that each lane took."""


class OfferSearch(Service):
    """Searches the lanes of a pack, one after the other."""

    def __init__(self, parts: Parts, recaller: Recaller, sources: PackLanes) -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._sources = sources

    def gather(self, request: PackRequest, tail: Sequence[Any]) -> GatheredOffers:
        """Search the lanes one after the other."""
        turns = _turns(tail)
        offers: list[Offer] = list(turns)
        reports = [LaneReport("hot", OfferSource.TAIL, bool(turns), len(turns))]
        stages: dict[str, float] = {}
        for source, lane in self._warm_lanes():
            found, report = self._search_lane("warm", source, lane, request, stages)
            offers += found
            reports.append(report)
        documents, report = self._search_documents(request, offers, stages)
        return GatheredOffers(with_unique_refs([*offers, *documents]), (*reports, report), stages)

    def _search_lane(
        self, name: str, source: OfferSource, lane: Lane, request: PackRequest, stages: dict[str, float]
    ) -> tuple[list[Offer], LaneReport]:
        started = self._clock.ticks()
        try:
            found, problem, retrievers = lane(request)
            report = LaneReport(name, source, True, len(found), problem, retrievers)
        except SatchelError as error:
            found, report = [], LaneReport(name, source, searched=False, problem=f"{error.code}: {error.message}")
        stages[source] = ms_since(self._clock, started)
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
        items = self._sources.facts(request.question.text, scope=request.scope, limit=MAX_FACTS)
        retriever = Retriever("lexical", MAX_FACTS, len(items))
        return [item_offer(one, OfferSource.FACTS) for one in items], "", (retriever,)

    def _relations(self, request: PackRequest) -> LaneOffers:
        answers = self._sources.graph(request.question.text, scope=request.scope, limit=MAX_RELATIONS)
        return [relation_offer(one) for one in answers], "", (Retriever("graph", MAX_RELATIONS, len(answers)),)

    def _decisions(self, request: PackRequest) -> LaneOffers:
        found = self._sources.conversations(request.question.text, scope=request.scope, limit=MAX_FACTS)
        # Other messages are evidence: the episodes lane finds those.
        items = [one for one in found if one.kind == DECISION]
        retriever = Retriever("lexical", MAX_FACTS, len(items))
        return [item_offer(one, OfferSource.CONVERSATIONS) for one in items], "", (retriever,)

    def _episodes(self, request: PackRequest) -> LaneOffers:
        mode = request.question.mode
        found = self._sources.episodes(request.question.text, scope=request.scope, mode=mode, limit=request.pool)
        hits = found.result.hits
        problem = "; ".join(found.receipt.warnings)
        return [episode_offer(one) for one in hits], problem, (Retriever(mode, request.pool, len(hits)),)

    def _observations(self, request: PackRequest) -> LaneOffers:
        kept = self._sources.observations(
            request.question, scope=request.scope, limit=MAX_OBSERVATIONS, min_relevance=MIN_RELEVANCE
        )
        return [observation_offer(one) for one in kept], "", (Retriever("lexical", MAX_OBSERVATIONS, len(kept)),)

    def _chunks(self, request: PackRequest) -> LaneOffers:
        mode = _DOC_MODES[request.question.mode]
        hits = self._sources.documents(request.question.text, scope=request.scope, mode=mode, limit=MAX_CHUNKS)
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


def ms_since(clock: Clock, ticks: float) -> float:
    """Return the milliseconds since a moment of a clock."""
    return round((clock.ticks() - ticks) * 1000, 3)


def _turns(tail: Sequence[Any]) -> list[Offer]:
    messages = parse_messages(tail).messages
    return [
        turn_offer(number, one.role, "\n".join(one.blocks))
        for number, one in enumerate(messages, start=1)
        if one.blocks
    ]


def _is_rated(offer: Offer, calibrated: bool) -> bool:
    """Return whether more than words was compared. Contradicting memories without scores have the value of a rated one."""
    has_cosine = offer.scores.get("semantic") is not None or (offer.source is OfferSource.MEMORIES and not offer.scores)
    return offer.source is OfferSource.GRAPH or (calibrated and has_cosine)
