"""Reads facts from the ledger: those about a subject, those true at a moment, those that match words."""

from collections.abc import Sequence

from satchel.domain.facts import SourcedFact
from satchel.domain.ranking import LaneItem
from satchel.domain.record import Trust
from satchel.domain.scope import Reach
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View
from satchel.domain.words import text_terms
from satchel.errors import InvalidRequest
from satchel.facts.packing import fact_line
from satchel.facts.people import KnownPeople, without_people
from satchel.facts.predicates import require_predicate
from satchel.facts.replay import replay
from satchel.facts.selection import select_current, trust_of
from satchel.facts.values import ExcludedFact, Proposal
from satchel.ports.facts import FactStore
from satchel.recall import relevance


def everything(within: Reach) -> View:
    """Return the view of every fact in reach, whatever its trust."""
    return View(within, 0, trusts=tuple(Trust))


def facts_about(facts: FactStore, subject: str, view: View, known_at: int | None = None) -> list[SourcedFact]:
    """Return the facts about a subject, as they are known now or were known at a time."""
    if not subject.strip():
        raise InvalidRequest("the subject is empty", code="empty_text", hint="'satchel fact subjects' lists them")
    name = replace_undecodable(subject)
    if known_at is None:
        return facts.of_subject(name, view)
    events = facts.events(view.reach, name, known_at)
    return facts.with_sources(list(replay(events).values()))


def current_facts(
    facts: FactStore,
    subject: str,
    view: View,
    moment: int,
    *,
    known_at: int | None = None,
    include_stale: bool = False,
    predicate: str | None = None,
) -> tuple[list[SourcedFact], list[ExcludedFact]]:
    """Return the facts about a subject that are true at a moment, and the others with the rule that excluded them."""
    found = facts_about(facts, subject, view, known_at)
    if predicate is not None:
        name = require_predicate(predicate).name
        found = [one for one in found if one.fact.assertion.predicate == name]
    return select_current(found, moment, view.trusts, include_stale=include_stale)


def is_known(facts: FactStore, proposal: Proposal, view: View) -> bool:
    """Return whether a current fact already says what a proposal does."""
    current, _ = current_facts(facts, proposal.subject, view, view.now, predicate=proposal.predicate)
    return any(one.fact.assertion.object.value == proposal.object for one in current)


def search_facts(facts: FactStore, terms: Sequence[str], view: View, limit: int, people: KnownPeople) -> list[LaneItem]:
    """Return the current facts that match any of the terms, most relevant first."""
    found = facts.match(terms, view, limit)
    hidden = people(view.reach) if found else frozenset()
    frequencies = facts.frequencies(terms)
    weights = relevance.term_weights(frequencies.holding, frequencies.records)
    items = [
        LaneItem(
            id=one.fact.id,
            text=fact_line(without_people(one, hidden)),
            relevance=relevance.hit_relevance(terms, text_terms(fact_line(one)), None, None, weights),
            trust=trust_of(one),
            citations=tuple(f"{ref.kind}:{ref.ref}" for ref in one.fact.assertion.source_refs),
            kind="fact",
            at=one.fact.created_at,
        )
        for one in found
        if trust_of(one) in view.trusts
    ]
    return sorted(items, key=lambda item: (-item.relevance, item.id))
