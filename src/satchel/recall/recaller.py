"""The Recaller: the one way from a request to the memories that answer it.

`recall`, `recall --as-of`, `turn before`, `pack`, `why-not` and the tools all come through here, so gathering, fusion,
weighing, the trust gate, fallback scopes, reranking and the documents lane are the same for each of them.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.document_hits import ColdLane, DocHit
from satchel.domain.passage import Passage
from satchel.domain.policies import Policies
from satchel.domain.scope import Reach
from satchel.errors import Unavailable
from satchel.indexing import upkeep
from satchel.indexing.upkeep import Derived, Readiness
from satchel.ports import Ledger, Reranker
from satchel.recall.as_of import IndexAsOf
from satchel.recall.lanes import Meaning
from satchel.recall.prefetch import Prefetched, prefetch
from satchel.recall.question import Mode
from satchel.recall.request import Request
from satchel.recall.rerank import Reranking
from satchel.recall.with_fallback import RecallOutcome, answer_with_fallback
from satchel.threads import run_in_background


class DocumentLane(Protocol):
    """What a recall needs of the documents: the lane that is searched when memories have too little."""

    def consult(
        self, query: str, mode: Mode, reach: Reach, found: int, min_relevance: float, *, dry_run: bool = False
    ) -> ColdLane:
        """Return what documents add to a recall that found this many memories."""
        ...

    def ranked(self, query: str, mode: Mode, reach: Reach, limit: int, *, dry_run: bool = False) -> tuple[DocHit, ...]:
        """Search the documents alone."""
        ...

    def passage(self, id: str, within: Reach, reach: Reach, *, quarantined: bool) -> tuple[Passage, bool] | None:
        """Return a chunk by its id or citation, and whether a recall within `reach` may see it."""
        ...


class CompletedRecall(Struct, frozen=True):
    """A finished recall: the request, what was searched, and what was found."""

    request: Request
    ledger: Ledger
    ready: Readiness
    meaning: Meaning | None
    found: RecallOutcome


class Recaller:
    """Answers requests from one store."""

    def __init__(
        self,
        derived: Derived,
        policies: Policies,
        reranker: Callable[[], Reranker],
        documents: Callable[[], DocumentLane],
    ) -> None:
        self._derived = derived
        self._ledger = derived.ledger
        self._policies = policies
        self._reranking = Reranking(reranker, policies.rerank) if policies.rerank.enabled else None
        self._documents = documents

    def recall(self, request: Request) -> CompletedRecall:
        """Answer a request, after bringing vectors and index up to date within the policy's time limit."""
        ready, prefetched = self._prepare(request)
        recalled = self._answer(request, self._ledger, ready, self._meaning(ready), prefetched)
        if recalled.found.strays or recalled.found.problem:
            self._drop_damaged_index(ready)
        return recalled

    def recall_as_of(self, request: Request, seq: int, at: int) -> CompletedRecall:
        """Answer a request from the memories as they were after a sequence number."""
        then = replace(request, view=replace(request.view, now=at))
        ready = self._make_ready(request)
        meaning = self._meaning(ready)
        with self._ledger.as_of(seq) as ledger:
            if meaning is not None:
                # No index holds the words of that time: they are matched in the ledger.
                index = IndexAsOf(self._derived.index(), ledger.memories)
                meaning = Meaning(meaning.vector, meaning.space, index, current=False)
            return self._answer(then, ledger, ready, meaning, None)

    def dry_run(self, request: Request, ready: Readiness | None = None) -> CompletedRecall:
        """Answer a request without a trace: nothing is embedded for the store, indexed or kept.

        A request that differs only in its rules may reuse the readiness of an earlier run.
        """
        if ready is None:
            lexical = request.question.mode is Mode.LEXICAL
            ready = Readiness() if lexical else upkeep.as_it_stands(self._derived, request.question.text)
        return self._answer(request, self._ledger, ready, self._meaning(ready), None)

    def documents(self, request: Request, found: int, *, dry_run: bool = False) -> ColdLane:
        """Return what documents add, if the operator enabled them and the recall found too few memories."""
        if not request.policies.documents.enabled:
            return ColdLane()
        question, least = request.question, request.policies.recall.min_relevance
        return self._documents().consult(
            question.text, question.mode, request.view.reach, found, least, dry_run=dry_run
        )

    @property
    def document_lane(self) -> DocumentLane:
        """The documents lane itself."""
        return self._documents()

    @property
    def reranker(self) -> str | None:
        """The name of the reranker that gives a second opinion, if one is enabled."""
        policy = self._policies.rerank
        return (policy.model or policy.style) if self._reranking else None

    def _answer(
        self,
        request: Request,
        ledger: Ledger,
        ready: Readiness,
        meaning: Meaning | None,
        prefetched: Prefetched | None,
    ) -> CompletedRecall:
        found = answer_with_fallback(request, ledger, meaning, self._reranking, prefetched)
        return CompletedRecall(request, ledger, ready, meaning, found)

    def _prepare(self, request: Request) -> tuple[Readiness, Prefetched | None]:
        """Embed the question and catch up with the ledger while looking up what the words alone decide."""
        question = request.question
        if question.mode is Mode.LEXICAL:
            return Readiness(), None
        # Never inside a write: the other thread would wait for this one's lock, and this one for the other thread.
        ready = run_in_background(lambda: self._make_ready(request))
        words = question.mode is not Mode.VECTOR and self._derived.index().in_ledger
        prefetched = prefetch(question, request.view, self._ledger, request.policies.recall, words=words)
        return ready.result(), prefetched

    def _make_ready(self, request: Request) -> Readiness:
        if request.question.mode is Mode.LEXICAL:
            return Readiness()
        seconds = self._policies.recall.catch_up_ms / 1000
        return upkeep.make_ready(self._derived, request.question.text, seconds)

    def _meaning(self, ready: Readiness) -> Meaning | None:
        if ready.vector is None or ready.space is None:
            return None
        index = self._derived.index()
        return Meaning(ready.vector, ready.space, index, ready.current, index.in_ledger)

    def _drop_damaged_index(self, ready: Readiness) -> None:
        """Drop an index that disagrees with a ledger nobody changed meanwhile."""
        if ready.current and ready.tip == self._ledger.feed.tip():
            # Another process may be rebuilding it, or it may not be ours to remove: the answer stands either way.
            with suppress(Unavailable):
                self._derived.index().drop(only=ready.birth, seconds=0)
