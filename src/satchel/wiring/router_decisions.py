"""The router's lane of conversations: what was decided, with its reasons, and what was said. Nothing here writes."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from satchel.conversations.consulting import DecisionConsulting
from satchel.conversations.cues import is_question
from satchel.domain.passage import EvidenceLane
from satchel.domain.periods import Period
from satchel.domain.record import Kind
from satchel.domain.scope import resolve_reach
from satchel.domain.view import View
from satchel.domain.words import question_terms, text_terms
from satchel.ports.reading import Discussion, Reading
from satchel.recall.relevance import hit_relevance, term_weights
from satchel.routing.classify import may_ask_for_decision
from satchel.routing.lanes import LaneHit, LaneResult
from satchel.routing.prepare import PreparedQuery, prepare_query
from satchel.routing.settled import (
    contains_question,
    held_in,
    newest_decisions,
    of_that_time,
    settled_first,
    states_all,
    without_open_questions,
)
from satchel.routing.times import without_period
from satchel.wiring.lane_hits import (
    MAX_LISTED,
    depth_for,
    merged,
    of_decision,
    of_hit,
    of_memory,
    of_recorded,
    of_said,
    time_of,
    within,
)

if TYPE_CHECKING:
    from satchel.app import Satchel

# What a decision counts in a list of the newest, which answers no narrower question.
LISTED = 0.8


class DecisionLane:
    """Searches the conversations of a store. Implements routing.lanes.LaneSearch."""

    def __init__(self, store: "Satchel") -> None:
        self._store = store
        self._ledger = store.parts.ledger

    def __call__(
        self, text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None
    ) -> LaneResult:
        timeless = without_period(text, period)
        asked, wants_decision = prepare_query(timeless), may_ask_for_decision(text)
        view = View(resolve_reach(scope, self._store.parts.policies.scope), self._store.parts.clock.now())
        if wants_decision and not asked.terms and not asked.exact:
            return within(period, self._newest(text, view), limit)
        depth = depth_for(limit, period)
        said = [
            of_said(one) for one in self._store.conversations.search(asked.text, scope=scope, limit=depth).result.items
        ]
        # How a question is phrased tells whether a reason is asked for; what it is about is found by the rest of it.
        consulted = DecisionConsulting(self._store.parts).consult(timeless, view)
        if wants_decision:
            said = self._settled(said, consulted.readings, asked, view, period)
        noted = self._noted(asked.text, depth, scope) if wants_decision else []
        recorded = of_recorded(consulted.recorded, said)
        known = {one.id for one in recorded}
        others = [one for one in said if one.id not in known]
        return within(period, merged((*recorded, *noted, *others)), limit, consulted.warning)

    def _settled(
        self,
        said: Sequence[LaneHit],
        readings: Sequence[Reading],
        asked: PreparedQuery,
        view: View,
        period: Period | None,
    ) -> list[LaneHit]:
        states_it, asks = states_all(question_terms(asked.text), is_question), contains_question(is_question)
        if not readings:
            return without_open_questions(said, asks, states_it)
        about = self._about(asked.text)
        if period is not None:
            _, made = DecisionConsulting(self._store.parts).newest(asked.text, view, MAX_LISTED)
            readings = of_that_time(
                held_in(period, readings), [one for one in made if period.holds(one.decision.at)], about
            )
        return settled_first(said, readings, about, states_it, asks)

    def _about(self, text: str) -> Callable[[Discussion], float]:
        """Return a function that says how relevant a discussion is to a text by the words of its messages and its name."""
        terms = question_terms(text)
        frequencies = self._ledger.passages.frequencies(terms, EvidenceLane.CONVERSATIONS)
        weights = term_weights(frequencies.holding, frequencies.records)

        def about(discussion: Discussion) -> float:
            said = (f"{one.by or ''} {one.content}" for one in discussion.messages)
            words = text_terms(" ".join((discussion.conversation, *said)))
            return hit_relevance(terms, words, None, None, weights)

        return about

    def _noted(self, text: str, limit: int, scope: str | None) -> list[LaneHit]:
        """Search the memories that note a decision."""
        kinds = (Kind.DECISION.value,)
        hits = self._store.memories.recall(text, limit=limit, scope=scope, kinds=kinds, fallback=False).result.hits
        return [of_hit(hit) for hit in hits]

    def _newest(self, text: str, view: View) -> Sequence[LaneHit]:
        """List decisions of conversations and memories, newest first."""
        recorded, readings = DecisionConsulting(self._store.parts).newest(text, view, MAX_LISTED)
        memories = self._ledger.candidate_lists.recent(view, MAX_LISTED)
        read = list(newest_decisions(readings, LISTED))
        # What was read has its reasons, also those of other messages.
        known = {one.id for one in read}
        found = [of_decision(one, LISTED) for one in recorded if one.message not in known]
        found += read
        found += [of_memory(one, LISTED) for one in memories if one.kind is Kind.DECISION]
        return sorted(merged(found), key=lambda one: (-time_of(one), one.id))
