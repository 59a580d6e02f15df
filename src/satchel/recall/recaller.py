"""The Recaller: the single code path from a request to the memories that answer it.

`recall`, `recall --as-of`, `turn before`, `pack`, `why-not` and the tools all use it, so gathering, fusion, boosts, the
trust gate, fallback scopes, reranking and the documents lane are the same for each of them.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain, zip_longest
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.document_hits import DocHit, DocumentFallback
from satchel.domain.passage import Passage
from satchel.domain.policies import Policies
from satchel.domain.receipt_sections import ColdLane
from satchel.domain.record import MemoryId
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.indexing import memory_index
from satchel.indexing.memory_index import CurrentIndex, IndexedStore, SearchReadiness
from satchel.ports import Ledger, Reranker
from satchel.recall.as_of import IndexAsOf
from satchel.recall.lanes import LaneCandidates, VectorQuery, gather_candidates
from satchel.recall.prefetch import Prefetch, prefetch
from satchel.recall.request import Mode, RecallQuestion, RecallRequest
from satchel.recall.rerank import Reranking
from satchel.recall.with_fallback import RecallOutcome, answer_with_fallback
from satchel.threads import run_in_background


class DocumentLane(Protocol):
    """The documents lane, searched when there are too few memories."""

    def consult(
        self, query: str, mode: Mode, reach: Reach, found: int, min_relevance: float, *, dry_run: bool = False
    ) -> DocumentFallback:
        """Return the document hits to add to a recall that found this many memories."""
        ...

    def ranked(self, query: str, mode: Mode, reach: Reach, limit: int, *, dry_run: bool = False) -> tuple[DocHit, ...]:
        """Search the documents alone."""
        ...

    def passage(self, id: str, within: Reach, reach: Reach, *, quarantined: bool) -> tuple[Passage, bool] | None:
        """Return a chunk by its id or citation, and whether a recall within `reach` may see it."""
        ...


class CompletedRecall(Struct, frozen=True):
    """A finished recall: the request, what was searched, and what was found."""

    request: RecallRequest
    ledger: Ledger
    ready: SearchReadiness
    vector_query: VectorQuery | None
    found: RecallOutcome


class CandidateSearch(Struct, frozen=True):
    """The candidates of a question in each of some views, not ranked, and the vector they were compared with."""

    question: RecallQuestion
    vector_query: VectorQuery | None
    found: tuple[LaneCandidates, ...]
    warning: str = ""

    @property
    def ids(self) -> list[tuple[MemoryId, ...]]:
        """The ids of the candidates of each view, each once, those of every lane in turn."""
        by_lane = ([found.lanes[lane] for lane in sorted(found.lanes)] for found in self.found)
        in_turn = (chain.from_iterable(zip_longest(*lanes)) for lanes in by_lane)
        return [tuple(dict.fromkeys(one.id for one in found if one is not None)) for found in in_turn]


class Recaller:
    """Answers requests from one store."""

    def __init__(
        self,
        store: IndexedStore,
        policies: Policies,
        reranker: Callable[[], Reranker],
        documents: Callable[[], DocumentLane],
    ) -> None:
        self._store = store
        self._ledger = store.ledger
        self._policies = policies
        self._reranking = Reranking(reranker, policies.rerank) if policies.rerank.enabled else None
        self._documents = documents

    def recall(self, request: RecallRequest) -> CompletedRecall:
        """Answer a request, after bringing vectors and index up to date within the policy's time limit."""
        ready, prefetched = self._prepare(request)
        recalled = self._answer(request, self._ledger, ready, self._vector_query(ready), prefetched)
        if recalled.found.mismatches or recalled.found.problem:
            self._drop_damaged_index(ready)
        return recalled

    def recall_as_of(self, request: RecallRequest, seq: int, at: int) -> CompletedRecall:
        """Answer a request from the memories as they were after a sequence number."""
        then = replace(request, view=replace(request.view, now=at))
        ready = self._catch_up(request.question, may_leave_pending=False)
        query = self._vector_query(ready)
        with self._ledger.as_of(seq) as ledger:
            if query is not None:
                # The index has no full text of that time; the ledger does.
                index = IndexAsOf(self._store.index(), ledger.memories)
                query = VectorQuery(query.vector, query.space, index, current=False)
            return self._answer(then, ledger, ready, query, None)

    def candidates(self, question: RecallQuestion, views: Sequence[View]) -> CandidateSearch:
        """Return what the lanes find in each view, for a caller that ranks by other signals than a recall."""
        ready = self._catch_up(question)
        query, ledger = self._vector_query(ready), self._ledger
        found = [gather_candidates(question, view, ledger.memories, ledger.vectors, query) for view in views]
        return CandidateSearch(question, query, tuple(found), ready.warning)

    def dry_run(self, request: RecallRequest, ready: SearchReadiness | None = None) -> CompletedRecall:
        """Answer a request without writing: nothing is embedded for the store, indexed or kept.

        A request that differs only in its policies may reuse the readiness of an earlier run.
        """
        if ready is None:
            lexical = request.question.mode is Mode.LEXICAL
            ready = SearchReadiness() if lexical else memory_index.check_readiness(self._store, request.question.text)
        return self._answer(request, self._ledger, ready, self._vector_query(ready), None)

    def documents(self, request: RecallRequest, found: int, *, dry_run: bool = False) -> DocumentFallback:
        """Return hits from documents, if there are any and the recall found too few memories."""
        if not request.policies.documents.enabled:
            return DocumentFallback()
        if not self._ledger.documents.collections(EVERYWHERE):
            return DocumentFallback((), ColdLane(enabled=True, consulted=False, trigger="no_documents"))
        question, min_relevance = request.question, request.policies.recall.min_relevance
        return self._documents().consult(
            question.text, question.mode, request.view.reach, found, min_relevance, dry_run=dry_run
        )

    @property
    def document_lane(self) -> DocumentLane:
        """The documents lane itself."""
        return self._documents()

    @property
    def reranker(self) -> str | None:
        """The name of the reranker, if one is enabled."""
        policy = self._policies.rerank
        return (policy.model or policy.style) if self._reranking else None

    def _answer(
        self,
        request: RecallRequest,
        ledger: Ledger,
        ready: SearchReadiness,
        query: VectorQuery | None,
        prefetched: Prefetch | None,
    ) -> CompletedRecall:
        found = answer_with_fallback(request, ledger, query, self._reranking, prefetched)
        return CompletedRecall(request, ledger, ready, query, found)

    def _prepare(self, request: RecallRequest) -> tuple[SearchReadiness, Prefetch | None]:
        """Embed the question and catch up with the ledger while looking up what depends on the words alone."""
        question = request.question
        if question.mode is Mode.LEXICAL:
            return SearchReadiness(), None
        # Must not run inside a write transaction: both threads would wait for each other's lock.
        known = memory_index.current_index(self._store) if question.mode is not Mode.VECTOR else None
        later = run_in_background(lambda: self._catch_up(question, known=known))
        index = self._store.index()
        prefetched = prefetch(
            question,
            request.view,
            self._ledger,
            request.policies.recall,
            match_words=question.mode is not Mode.VECTOR and (known is not None or index.in_ledger),
            index=None if known is None else index,
        )
        ready = later.result()
        if known is not None and (not ready.current or (known.tip, known.generation) != (ready.tip, ready.generation)):
            # The ledger or the index has changed meanwhile.
            prefetched = replace(prefetched, early=None)
        return ready, prefetched

    def _catch_up(
        self, question: RecallQuestion, *, may_leave_pending: bool = True, known: CurrentIndex | None = None
    ) -> SearchReadiness:
        if question.mode is Mode.LEXICAL:
            return SearchReadiness()
        seconds = self._policies.recall.catch_up_ms / 1000
        return memory_index.catch_up(
            self._store, question.text, seconds, may_leave_pending=may_leave_pending, known=known
        )

    def _vector_query(self, ready: SearchReadiness) -> VectorQuery | None:
        if ready.vector is None or ready.space is None:
            return None
        index = self._store.index()
        return VectorQuery(ready.vector, ready.space, index, ready.current, index.in_ledger, ready.pending)

    def _drop_damaged_index(self, ready: SearchReadiness) -> None:
        """Drop an index that disagrees with the ledger, unless the ledger was changed meanwhile."""
        if (ready.current or ready.pending) and ready.tip == self._ledger.feed.tip():
            # Another process may be rebuilding it, or it may be read-only: the answer is the same either way.
            with suppress(Unavailable):
                self._store.index().drop(only=ready.generation, seconds=0)
