"""The lanes that the router's native backends search, over the features of a store. Nothing here writes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.conversations.consulting import DecisionConsulting
from satchel.conversations.cues import is_question
from satchel.conversations.message_search import MessageSearch
from satchel.conversations.why_answers import WhyAnswer
from satchel.domain.conversation import ClauseKind, Conversation, Decision, Message
from satchel.domain.document import DocKind
from satchel.domain.document_hits import DocHit
from satchel.domain.embedding import cosine
from satchel.domain.observation import Observation
from satchel.domain.passage import EvidenceLane, PassageView
from satchel.domain.periods import Period
from satchel.domain.ranking import Hit
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Memory
from satchel.domain.routing import Traversal
from satchel.domain.scope import Reach, resolve_reach
from satchel.domain.sentences import sentences
from satchel.domain.text import normalize_text
from satchel.domain.view import View
from satchel.domain.words import question_terms, text_terms
from satchel.ports.reading import Discussion, Reading
from satchel.recall.fusion import VECTOR
from satchel.recall.relevance import hit_relevance, is_calibrated, term_weights
from satchel.recall.request import parse_question
from satchel.routing.lanes import LaneHit, LaneResult, Lanes
from satchel.routing.prepare import prepare_query
from satchel.routing.rules import asks_for_decision
from satchel.routing.settled import decision_text, newest_decisions, of_that_time, settled_first, without_open_questions
from satchel.routing.times import without_period

if TYPE_CHECKING:
    from satchel.app import Satchel
    from satchel.domain.graph_answers import GraphAnswer

# How many records are searched or listed to find those of a period.
MAX_SEARCHED = 50
MAX_LISTED = 500
# How many passages are rated by their sentences, and how much of each.
MAX_RATED = 10
MAX_RATED_CHARS = 4_000
MAX_SENTENCES = 12
MIN_SENTENCE_CHARS = 20
# Maximum for a message that is about the question only through the name of its conversation.
MAX_IN_CONTEXT = 0.45
# What a decision counts in a list of the newest, which answers no narrower question.
LISTED = 0.8
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

    def memories(
        self,
        text: str,
        *,
        mode: str,
        limit: int,
        scope: str | None,
        period: Period | None = None,
        untrusted: bool = False,
    ) -> LaneResult:
        answer = self._store.memories.recall(
            text, mode=_MODES[mode], limit=_depth(limit, period), scope=scope, untrusted=untrusted, fallback=False
        )
        return _within(period, [_of_hit(hit) for hit in answer.result.hits], limit, _note(answer.receipt))

    def sessions(
        self, text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None
    ) -> LaneResult:
        """Search what was observed and said. Messages that episodes repeat are found once."""
        depth = _depth(limit, period)
        found = [*self._observed(text, depth, scope), *self._episodes(text, mode, depth, scope, period)]
        found += self._messages(text, mode, depth, scope)
        relevant = sorted((one for one in _merged(found) if one.relevance > 0), key=lambda one: -one.relevance)
        return _within(period, relevant, limit)

    def _observed(self, text: str, limit: int, scope: str | None) -> Iterator[LaneHit]:
        terms = question_terms(text)
        frequencies = self._ledger.observations.frequencies(terms)
        weights = term_weights(frequencies.holding, frequencies.records)
        for hit in self._store.observations.search(text, limit=limit, scope=scope).result.hits:
            value = hit_relevance(terms, text_terms(hit.summary), None, None, weights)
            yield LaneHit(hit.id, hit.summary, value, hit.at)

    def _messages(self, text: str, mode: str, limit: int, scope: str | None) -> Iterator[LaneHit]:
        """Search messages. The name of a conversation says what all of it is about."""
        view, terms = View(self._reach(scope), self._store.parts.clock.now()), question_terms(text)
        found = MessageSearch(self._store.parts).find(parse_question(text, _MODES[mode], limit), view).found
        frequencies = self._ledger.passages.frequencies(terms, EvidenceLane.CONVERSATIONS)
        weights = term_weights(frequencies.holding, frequencies.records)
        for hit in found.hits:
            one = hit.passage
            own = text_terms(f"{one.text} {one.speaker or ''}")
            said = hit_relevance(terms, own, None, None, weights)
            in_context = hit_relevance(terms, own | text_terms(one.group), None, None, weights)
            value = max(hit.relevance, said, min(in_context, MAX_IN_CONTEXT))
            place = f"{one.group}#{one.position}"
            yield LaneHit(one.ref or one.id, one.text, value, one.at or 0, expanded_from=place, was_said=True)

    def _episodes(
        self, text: str, mode: str, limit: int, scope: str | None, period: Period | None
    ) -> Iterator[LaneHit]:
        if not self._ledger.passages.count(PassageView(EvidenceLane.EPISODES, self._reach(scope))):
            return
        since, until = (period.since, period.until) if period else (None, None)
        found = self._store.episodes.search(
            text, mode=_MODES[mode], limit=limit, scope=scope, since=since, until=until
        ).result
        for hit in found.hits:
            yield LaneHit(hit.id, hit.text, hit.relevance, hit.at or 0, was_said=True)

    def documents(
        self, text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None
    ) -> LaneResult:
        answer = self._store.documents.search(text, mode=mode, limit=_depth(limit, period), scope=scope)
        hits = answer.result.hits if mode == "search" else self._rated_by_sentences(text, answer.result.hits)
        return _within(period, [_of_document(hit) for hit in hits], limit, _note(answer.receipt))

    def _rated_by_sentences(self, text: str, hits: Sequence[DocHit]) -> list[DocHit]:
        """Rate the best passages of prose also by their closest sentence: a long passage is about many things."""
        terms = question_terms(text)
        rated = [hit for hit in hits[:MAX_RATED] if hit.kind is not DocKind.CODE and VECTOR in hit.match]
        embedder = self._store.parts.embedder(None) if rated else None
        if embedder is None or not is_calibrated(embedder.name, terms):
            return list(hits)
        parts = {hit.id: _sentences(hit.text) for hit in rated}
        flat = [sentence for several in parts.values() for sentence in several]
        question, *vectors = embedder.embed([text, *flat])
        following = iter(vectors)
        closest = {
            id: max((cosine(question, next(following)) for _ in several), default=0.0) for id, several in parts.items()
        }
        frequencies = self._ledger.passages.frequencies(terms, EvidenceLane.DOCUMENTS)
        weights = term_weights(frequencies.holding, frequencies.records)
        return [
            replace(hit, relevance=max(hit.relevance, _rating(hit, terms, closest[hit.id], embedder.name, weights)))
            if hit.id in closest
            else hit
            for hit in hits
        ]

    def graph(self, text: str, *, limit: int, scope: str | None) -> LaneResult:
        answers = self._store.graph.ask(text, limit=limit, scope=scope).result.answers
        # What an answer rests on was read at some time; nobody asks when, if there is no answer.
        sources = self._ledger.graph.sources(self._reach(scope)) if answers else []
        read_at = {one.id: one.at for one in sources}
        return LaneResult(tuple(_of_graph(one, read_at) for one in answers))

    def conversations(
        self, text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None
    ) -> LaneResult:
        asked, wants_decision = prepare_query(without_period(text, period)), asks_for_decision(text)
        if wants_decision and not asked.terms and not asked.exact:
            return _within(period, self._newest_decisions(scope), limit)
        items = self._store.conversations.search(asked.text, scope=scope, limit=_depth(limit, period)).result.items
        said = [LaneHit(one.id, one.text, one.relevance, one.at, expanded_from=_first(one.citations)) for one in items]
        # How a question is phrased tells whether a reason is asked for; what it is about is found by the rest of it.
        view = View(self._reach(scope), self._store.parts.clock.now())
        consulting = DecisionConsulting(self._store.parts)
        consulted = consulting.consult(without_period(text, period), view)
        readings: Sequence[Reading] = consulted.readings
        if readings and wants_decision:
            about = self._about(asked.text)
            if period is not None:
                _, made = consulting.newest(view, MAX_LISTED)
                readings = of_that_time(readings, [one for one in made if period.holds(one.decision.at)], about)
            said = settled_first(said, readings, about)
        elif wants_decision:
            said = without_open_questions(said, is_question)
        noted = self._noted_decisions(asked.text, _depth(limit, period), scope) if wants_decision else []
        return _within(period, _merged((*_of_recorded(consulted.recorded, said), *noted, *said)), limit)

    def _about(self, text: str) -> Callable[[Discussion], float]:
        """Return a function that says how relevant a discussion is to a text by the words of its messages and its name."""
        terms = question_terms(text)
        frequencies = self._ledger.passages.frequencies(terms, EvidenceLane.CONVERSATIONS)
        weights = term_weights(frequencies.holding, frequencies.records)

        def about(discussion: Discussion) -> float:
            words = text_terms(" ".join((discussion.conversation, *(one.content for one in discussion.messages))))
            return hit_relevance(terms, words, None, None, weights)

        return about

    def _noted_decisions(self, text: str, limit: int, scope: str | None) -> list[LaneHit]:
        """Search the memories that note a decision."""
        kinds = (Kind.DECISION.value,)
        hits = self._store.memories.recall(text, limit=limit, scope=scope, kinds=kinds, fallback=False).result.hits
        return [_of_hit(hit) for hit in hits]

    def _newest_decisions(self, scope: str | None) -> Sequence[LaneHit]:
        """List decisions of conversations and memories, newest first."""
        view = View(self._reach(scope), self._store.parts.clock.now())
        recorded, readings = DecisionConsulting(self._store.parts).newest(view, MAX_LISTED)
        memories = self._ledger.candidate_lists.recent(view, MAX_LISTED)
        found = [_of_decision(one, LISTED) for one in recorded]
        found += newest_decisions(readings, LISTED)
        found += [_of_memory(one, LISTED) for one in memories if one.kind is Kind.DECISION]
        return sorted(_merged(found), key=lambda one: (-_time_of(one), one.id))

    def _reach(self, scope: str | None) -> Reach:
        return resolve_reach(scope, self._store.parts.policies.scope)

    def recent(self, *, limit: int, scope: str | None, period: Period | None = None) -> LaneResult:
        """List the newest memories and observations, and as many of the newest turns and messages."""
        now = self._store.parts.clock.now()
        view, until = View(self._reach(scope), now), period.until if period else now + 1
        depth = MAX_LISTED if period else limit
        before, _ = self._ledger.observations.around(until, "", view, depth)
        turns = PassageView(EvidenceLane.EPISODES, view.reach, until=until)
        found = [_of_memory(one, 1.0) for one in self._ledger.candidate_lists.recent(view, depth)]
        found += [_of_observation(one) for one in before]
        found += [
            LaneHit(one.id, one.text, 1.0, one.at or 0, was_said=True)
            for one in self._ledger.passages.page(turns, depth)
        ]
        for conversation, messages in self._ledger.conversations.newest(view, depth):
            found += [_of_message(conversation, one) for one in messages if not one.erased]
        newest = sorted(_merged(found), key=lambda one: (-_time_of(one), one.id))
        kinds = [[one for one in newest if one.was_said is said] for said in (False, True)]
        parts = [_within(period, kind, limit).findings for kind in kinds]
        return LaneResult(tuple(sorted((one for part in parts for one in part), key=lambda one: -_time_of(one))))


def _sentences(text: str) -> list[str]:
    """Return the sentences of a passage that are long enough to say something."""
    found = (
        one
        for line in text[:MAX_RATED_CHARS].replace("\n\n", "\0").replace("\n", " ").split("\0")
        for one in sentences(line)
    )
    return [one for one in found if len(one) >= MIN_SENTENCE_CHARS][:MAX_SENTENCES]


def _rating(hit: DocHit, terms: Sequence[str], closest: float, space: str, weights: Mapping[str, float]) -> float:
    words = text_terms(f"{hit.path} {' '.join(hit.heading)} {hit.text}")
    return hit_relevance(terms, words, closest, space, weights)


def _depth(limit: int, period: Period | None) -> int:
    """Return how many to look for: what is of a period may be less relevant than what is not."""
    return limit if period is None else MAX_SEARCHED


def _within(period: Period | None, found: Sequence[LaneHit], limit: int, note: str | None = None) -> LaneResult:
    """Return the first findings of a period, or of any time."""
    kept = [one for one in found if period is None or period.holds(_time_of(one))]
    return LaneResult(tuple(kept[:limit]), note)


def _time_of(one: LaneHit) -> int:
    return one.recorded_at if one.happened_at is None else one.happened_at


def _note(receipt: Receipt) -> str | None:
    return next(iter(receipt.warnings), None)


def _of_hit(hit: Hit) -> LaneHit:
    return _of_memory(hit.memory, hit.relevance)


def _of_memory(memory: Memory, relevance: float) -> LaneHit:
    text = memory.text if not memory.title else f"{memory.title}: {memory.text}"
    return LaneHit(memory.id, text, relevance, memory.created_at, memory.valid_from)


def _of_observation(one: Observation) -> LaneHit:
    return LaneHit(one.id, one.summary, 1.0, one.at)


def _of_message(conversation: Conversation, one: Message) -> LaneHit:
    place = f"{conversation.name}#{one.seq}"
    return LaneHit(one.ref, one.content, 1.0, one.at, expanded_from=place, was_said=True)


def _of_document(hit: DocHit) -> LaneHit:
    return LaneHit(
        hit.citation,
        hit.text,
        hit.relevance,
        hit.at or 0,
        path=hit.path,
        line=hit.first_line,
        is_code=hit.kind is DocKind.CODE,
    )


def _of_recorded(answer: WhyAnswer, said: Iterable[LaneHit]) -> tuple[LaneHit, ...]:
    """Return the recorded decision that a question is about: as relevant as the message that made it."""
    one = answer.decision
    if one is None:
        return ()
    topical = max((hit.relevance for hit in said if hit.id in one.citations), default=0.0)
    return (_of_decision(one, max(answer.relevance, topical)),)


def _of_decision(one: Decision, relevance: float) -> LaneHit:
    """Return a decision with its reasons; what it replaced or rests on is said in it."""
    text = decision_text(one.statement, [clause.text for clause in one.clauses_of(ClauseKind.CAUSE)])
    return LaneHit(one.id, text, relevance, one.at, expanded_from=_first(one.citations))


def _merged(findings: Iterable[LaneHit]) -> tuple[LaneHit, ...]:
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
