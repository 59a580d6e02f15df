"""The lanes that the router's native backends search, over the features of a store. Nothing here writes."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from satchel.conversations.message_search import MessageSearch
from satchel.domain.passage import EvidenceLane, PassageView
from satchel.domain.periods import Period
from satchel.domain.scope import Reach, resolve_reach
from satchel.domain.view import View
from satchel.domain.words import question_terms, text_terms
from satchel.recall.relevance import hit_relevance, term_weights, word_forms
from satchel.recall.request import parse_question
from satchel.routing.lanes import LaneHit, LaneResult, Lanes
from satchel.wiring.lane_hits import (
    MAX_LISTED,
    depth_for,
    first_warning,
    merged,
    of_document,
    of_graph,
    of_hit,
    of_memory,
    of_observation,
    of_passage,
    time_of,
    within,
)
from satchel.wiring.router_decisions import DecisionLane
from satchel.wiring.sentence_rating import rate_by_sentences

if TYPE_CHECKING:
    from satchel.app import Satchel

# Maximum for a message that is about the question only through the name of its conversation.
MAX_IN_CONTEXT = 0.45
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
        conversations=DecisionLane(store),
        unknown=lanes.unknown,
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
            text, mode=_MODES[mode], limit=depth_for(limit, period), scope=scope, untrusted=untrusted, fallback=False
        )
        return within(period, [of_hit(hit) for hit in answer.result.hits], limit, first_warning(answer.receipt))

    def sessions(
        self, text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None
    ) -> LaneResult:
        """Search what was observed and said. Messages that episodes repeat are found once."""
        depth = depth_for(limit, period)
        found = [*self._observed(text, depth, scope), *self._episodes(text, mode, depth, scope, period)]
        found += self._messages(text, mode, depth, scope)
        relevant = sorted((one for one in merged(found) if one.relevance > 0), key=lambda one: -one.relevance)
        return within(period, relevant, limit)

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
            ref, at = one.ref or one.id, one.at or 0
            yield LaneHit(ref, one.text, value, at, expanded_from=place, was_said=True, speaker=one.speaker)

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
            yield LaneHit(hit.id, hit.text, hit.relevance, hit.at or 0, was_said=True, speaker=hit.speaker)

    def documents(
        self, text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None
    ) -> LaneResult:
        answer = self._store.documents.search(text, mode=mode, limit=depth_for(limit, period), scope=scope)
        hits = (
            answer.result.hits if mode == "search" else rate_by_sentences(self._store.parts, text, answer.result.hits)
        )
        return within(period, [of_document(hit) for hit in hits], limit, first_warning(answer.receipt))

    def graph(self, text: str, *, limit: int, scope: str | None) -> LaneResult:
        answers = self._store.graph.ask(text, limit=limit, scope=scope).result.answers
        # The time at which the source of an answer was read; without an answer it is not needed.
        sources = self._ledger.graph.sources(self._reach(scope)) if answers else []
        read_at = {one.id: one.at for one in sources}
        return LaneResult(tuple(of_graph(one, read_at) for one in answers))

    def _reach(self, scope: str | None) -> Reach:
        return resolve_reach(scope, self._store.parts.policies.scope)

    def recent(self, *, limit: int, scope: str | None, period: Period | None = None) -> LaneResult:
        """List the newest memories and observations, and as many of the newest turns and messages."""
        now = self._store.parts.clock.now()
        view, until = View(self._reach(scope), now), period.until if period else now + 1
        depth = MAX_LISTED if period else limit
        before, _ = self._ledger.observations.around(until, "", view, depth)
        found = [of_memory(one, 1.0) for one in self._ledger.candidate_lists.recent(view, depth)]
        found += [of_observation(one) for one in before]
        for lane in (EvidenceLane.EPISODES, EvidenceLane.CONVERSATIONS):
            said = self._ledger.passages.page(PassageView(lane, view.reach, until=until), depth)
            found += [of_passage(one) for one in said]
        newest = sorted(merged(found), key=lambda one: (-time_of(one), one.id))
        kinds = [[one for one in newest if one.was_said is said] for said in (False, True)]
        parts = [within(period, kind, limit).findings for kind in kinds]
        return LaneResult(tuple(sorted((one for part in parts for one in part), key=lambda one: -time_of(one))))

    def unknown(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names that no memory, observation, turn, message or document has."""
        forms = {name: tuple(form for term in text_terms(name) for form in word_forms(term)) for name in names}
        wanted = list(dict.fromkeys(form for several in forms.values() for form in several))
        counted = [
            self._ledger.memories.frequencies(wanted),
            self._ledger.observations.frequencies(wanted),
            *(self._ledger.passages.frequencies(wanted, lane) for lane in EvidenceLane),
        ]
        held = {form for one in counted for form, count in one.holding.items() if count}
        return tuple(name for name, several in forms.items() if held.isdisjoint(several))
