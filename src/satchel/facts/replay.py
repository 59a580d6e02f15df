"""Derives facts from their events, and decides which facts a new assertion ends."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from satchel.domain.facts import Assertion, Fact, FactAction, FactEvent, FactId, FactStatus
from satchel.errors import Conflict
from satchel.facts.predicates import Predicate

_END_STATUS = {FactAction.INVALIDATE: FactStatus.INVALIDATED, FactAction.RETRACT: FactStatus.RETRACTED}


def replay(events: Iterable[FactEvent]) -> dict[FactId, Fact]:
    """Return the facts that events make, by id. An erased assertion makes no fact, but still ends others."""
    facts: dict[FactId, Fact] = {}
    for event in events:
        if event.action is FactAction.ASSERT:
            _apply_assertion(facts, event)
        elif (fact := facts.get(event.fact)) is not None:
            facts[fact.id] = _end(fact, event)
    return facts


def recorded_ids(events: Iterable[FactEvent]) -> frozenset[FactId]:
    """Return the ids of all facts that ever had an event."""
    return frozenset(event.fact for event in events)


def _apply_assertion(facts: dict[FactId, Fact], event: FactEvent) -> None:
    for id in sorted(event.closes):
        if id in facts:
            facts[id] = _supersede(facts[id], event.fact, event.closes[id])
    if event.assertion is not None:
        facts[event.fact] = Fact(
            event.assertion,
            event.assertion.valid_to,
            FactStatus.ACTIVE,
            event.learned_at,
            supersedes=tuple(sorted(event.closes)),
        )


def _supersede(fact: Fact, by: FactId, at: int) -> Fact:
    return replace(
        fact,
        valid_to=_earlier_end(fact, at),
        stored_status=FactStatus.SUPERSEDED,
        superseded_by=(*fact.superseded_by, by),
    )


def _end(fact: Fact, event: FactEvent) -> Fact:
    if event.action is FactAction.STALE:
        return replace(fact, stored_status=FactStatus.STALE)
    moment = fact.assertion.valid_from if event.moment is None else event.moment
    return replace(fact, valid_to=_earlier_end(fact, moment), stored_status=_END_STATUS[event.action])


def _earlier_end(fact: Fact, moment: int) -> int:
    """Return the end of a fact that ends at a moment: not before its start, and not after its present end."""
    end = max(moment, fact.assertion.valid_from)
    return end if fact.valid_to is None else min(fact.valid_to, end)


def next_start(valid_from: int, known: Sequence[Fact], predicate: Predicate) -> int | None:
    """Return when the next value of a single-valued predicate starts: an open fact asserted late ends there."""
    if not predicate.is_single:
        return None
    starts = [fact.assertion.valid_from for fact in known if _is_rival(fact, predicate)]
    return min((moment for moment in starts if moment > valid_from), default=None)


def superseded_ends(
    new: Assertion, predicate: Predicate, known: Sequence[Fact], named: Sequence[FactId] = ()
) -> dict[FactId, int]:
    """Return the facts that a new one ends, and when: the named ones, and overlapping ones of a single value."""
    ends = dict.fromkeys(named, new.valid_from)
    if predicate.is_single:
        for fact in known:
            if _is_rival(fact, predicate) and _overlaps(fact, new):
                _require_earlier(fact, new, named)
                ends[fact.id] = new.valid_from
    return ends


def _is_rival(fact: Fact, predicate: Predicate) -> bool:
    return fact.assertion.predicate == predicate.name and fact.stored_status is not FactStatus.RETRACTED


def _overlaps(fact: Fact, new: Assertion) -> bool:
    start = fact.assertion.valid_from
    if fact.valid_to is not None and fact.valid_to <= max(start, new.valid_from):
        return False
    return new.valid_to is None or start < new.valid_to


def _require_earlier(fact: Fact, new: Assertion, named: Sequence[FactId]) -> None:
    if fact.assertion.valid_from > new.valid_from and fact.id not in named:
        raise Conflict(
            f"the fact overlaps {fact.id}, which starts later",
            code="single_value_interval_conflict",
            hint="end the new fact earlier with --to, or name the other one with --supersedes",
        )
