"""The lanes that the router's native backends search, over the features of a store. Nothing here writes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.domain.conversation import ClauseKind
from satchel.domain.document_hits import DocHit
from satchel.domain.observation import Observation
from satchel.domain.ranking import Hit
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.domain.routing import Traversal
from satchel.domain.scope import Reach, resolve_reach
from satchel.domain.text import normalize_text
from satchel.domain.view import View
from satchel.routing.lanes import LaneHit, LaneResult, Lanes
from satchel.routing.prepare import prepare_query
from satchel.routing.text_relevance import relevance

if TYPE_CHECKING:
    from satchel.app import Satchel
    from satchel.conversations.values import DecisionReason
    from satchel.domain.graph_answers import GraphAnswer

_MODES = {"search": "lexical", "vsearch": "vector", "query": "hybrid"}


def router_lanes(store: "Satchel") -> Lanes:
    """Return the lanes of a store. It should keep no receipts of its own: the router's receipt covers its lanes."""
    lanes = _StoreLanes(store)
    return Lanes(
        memories=lanes.memories,
        recent=lanes.recent,
        sessions=lanes.sessions,
        documents=lanes.documents,
        graph=lanes.graph,
        conversations=lanes.conversations,
    )


class _StoreLanes:
    """Searches one feature each, and returns what it finds as a backend expects it."""

    def __init__(self, store: "Satchel") -> None:
        self._store = store
        self._ledger = store.parts.ledger

    def memories(self, text: str, *, mode: str, limit: int, scope: str | None) -> LaneResult:
        answer = self._store.memories.recall(text, mode=_MODES[mode], limit=limit, scope=scope, fallback=False)
        return LaneResult(tuple(_of_hit(hit) for hit in answer.result.hits), _note(answer.receipt))

    def sessions(self, text: str, *, mode: str, limit: int, scope: str | None) -> LaneResult:
        hits = self._store.observations.search(text, limit=limit, scope=scope).result.hits
        asked = prepare_query(text)
        found = [LaneHit(hit.id, hit.summary, relevance(asked, hit.summary), hit.at) for hit in hits]
        return LaneResult(tuple(one for one in found if one.relevance > 0))

    def documents(self, text: str, *, mode: str, limit: int, scope: str | None) -> LaneResult:
        answer = self._store.documents.search(text, mode=mode, limit=limit, scope=scope)
        return LaneResult(tuple(_of_document(hit) for hit in answer.result.hits), _note(answer.receipt))

    def graph(self, text: str, *, limit: int, scope: str | None) -> LaneResult:
        answers = self._store.graph.ask(text, limit=limit, scope=scope).result.answers
        # What an answer rests on was read at some time; nobody asks when, if there is no answer.
        sources = self._ledger.graph.sources(self._reach(scope)) if answers else []
        read_at = {one.id: one.at for one in sources}
        return LaneResult(tuple(_of_graph(one, read_at) for one in answers))

    def conversations(self, text: str, *, mode: str, limit: int, scope: str | None) -> LaneResult:
        # How a question is phrased tells whether a reason is asked for; what it is about is found by the rest of it.
        why = self._store.conversations.why(text, scope=scope).result
        items = self._store.conversations.search(prepare_query(text).text, scope=scope, limit=limit).result.items
        said = [LaneHit(one.id, one.text, one.relevance, one.at, expanded_from=_first(one.citations)) for one in items]
        return LaneResult(_merged((*_of_why(why), *said)))

    def _reach(self, scope: str | None) -> Reach:
        return resolve_reach(scope, self._store.parts.policies.scope)

    def recent(self, *, limit: int, scope: str | None) -> LaneResult:
        now = self._store.parts.clock.now()
        view = View(self._reach(scope), now)
        before, _ = self._ledger.observations.around(now + 1, "", view, limit)
        found = [_of_memory(one, 1.0) for one in self._ledger.candidate_lists.recent(view, limit)]
        found += [_of_observation(one) for one in before]
        return LaneResult(tuple(sorted(found, key=lambda one: (-one.recorded_at, one.id))[:limit]))


def _note(receipt: Receipt) -> str | None:
    return next(iter(receipt.warnings), None)


def _of_hit(hit: Hit) -> LaneHit:
    return _of_memory(hit.memory, hit.relevance)


def _of_memory(memory: Memory, relevance: float) -> LaneHit:
    text = memory.text if not memory.title else f"{memory.title}: {memory.text}"
    return LaneHit(memory.id, text, relevance, memory.created_at, memory.valid_from)


def _of_observation(one: Observation) -> LaneHit:
    return LaneHit(one.id, one.summary, 1.0, one.at)


def _of_document(hit: DocHit) -> LaneHit:
    return LaneHit(hit.citation, hit.text, hit.relevance, hit.at or 0, path=hit.path, line=hit.first_line)


def _of_why(why: "DecisionReason") -> tuple[LaneHit, ...]:
    """Return the decision that a question is about, with its reasons; what it replaced or rests on is said in it."""
    if why.decision is None:
        return ()
    one = why.decision
    reasons = [clause.text for clause in one.clauses_of(ClauseKind.CAUSE) if clause.text not in one.statement]
    text = one.statement + (f" (because {'; '.join(reasons)})" if reasons else "")
    return (LaneHit(one.id, text, why.relevance, one.at, expanded_from=_first(one.citations)),)


def _merged(findings: tuple[LaneHit, ...]) -> tuple[LaneHit, ...]:
    """Return each finding once: what says the same counts as the first, as relevant as the most relevant of them."""
    best: dict[str, LaneHit] = {}
    for one in findings:
        key = normalize_text(one.text)
        known = best.setdefault(key, one)
        best[key] = replace(known, relevance=max(known.relevance, one.relevance))
    return tuple(best.values())


def _first(citations: tuple[str, ...]) -> str | None:
    return next(iter(citations), None)


def _of_graph(answer: "GraphAnswer", read_at: Mapping[str, int]) -> LaneHit:
    path = answer.path
    traversal = Traversal(
        path.hops, tuple(one.name for one in path.entities), tuple(one.relation.value for one in path.ties)
    )
    text = path.arrows if path.ties else answer.text
    newest = max((read_at.get(one.source, 0) for one in answer.citations), default=0)
    return LaneHit(answer.entity.id, text, answer.relevance, newest, traversal=traversal)
