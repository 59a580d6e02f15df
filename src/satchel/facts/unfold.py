"""Unfold: the view that events make, in the order in which they were learned."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from satchel.domain.facts import Assertion, Deed, Fact, FactEvent, FactId, FactStatus
from satchel.errors import Conflict
from satchel.facts.registry import Predicate

_ENDINGS = {Deed.INVALIDATE: FactStatus.INVALIDATED, Deed.RETRACT: FactStatus.RETRACTED}


def unfolded(events: Iterable[FactEvent]) -> dict[FactId, Fact]:
    """Return the facts that events make, by id. One whose words were forgotten makes none, and still ends others."""
    facts: dict[FactId, Fact] = {}
    for event in events:
        if event.deed is Deed.ASSERT:
            _assert(facts, event)
        elif (fact := facts.get(event.fact)) is not None:
            facts[fact.id] = _ended(fact, event)
    return facts


def _assert(facts: dict[FactId, Fact], event: FactEvent) -> None:
    superseded = [id for id in sorted(event.closes) if id in facts]
    for id in superseded:
        facts[id] = _superseded(facts[id], event.fact, event.closes[id])
    if event.assertion is not None:
        facts[event.fact] = Fact(
            event.assertion,
            event.assertion.valid_to,
            FactStatus.ACTIVE,
            event.learned_at,
            supersedes=tuple(sorted(event.closes)),
        )


def _superseded(fact: Fact, by: FactId, at: int) -> Fact:
    return replace(
        fact,
        valid_to=_earlier(fact.valid_to, max(at, fact.assertion.valid_from)),
        stored_status=FactStatus.SUPERSEDED,
        superseded_by=(*fact.superseded_by, by),
    )


def _ended(fact: Fact, event: FactEvent) -> Fact:
    if event.deed is Deed.STALE:
        return replace(fact, stored_status=FactStatus.STALE)
    moment = fact.assertion.valid_from if event.moment is None else max(event.moment, fact.assertion.valid_from)
    return replace(fact, valid_to=_earlier(fact.valid_to, moment), stored_status=_ENDINGS[event.deed])


def _earlier(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def fitted(valid_from: int, known: Sequence[Fact], predicate: Predicate) -> int | None:
    """Return where an open fact ends that begins before others of a single value do: where the next one begins."""
    if not predicate.is_single:
        return None
    later = [fact.assertion.valid_from for fact in known if _is_rival(fact, predicate)]
    return min((moment for moment in later if moment > valid_from), default=None)


def closures(
    new: Assertion, predicate: Predicate, known: Sequence[Fact], named: Sequence[FactId] = ()
) -> dict[FactId, int]:
    """Return which facts a new one ends, and when: those it names, and of a single value those it takes over from."""
    ends = dict.fromkeys(named, new.valid_from)
    if predicate.is_single:
        for fact in known:
            if _is_rival(fact, predicate) and _overlap(fact, new):
                ends[fact.id] = _taken_over(fact, new, named)
    return ends


def _is_rival(fact: Fact, predicate: Predicate) -> bool:
    return fact.assertion.predicate == predicate.name and fact.stored_status is not FactStatus.RETRACTED


def _overlap(fact: Fact, new: Assertion) -> bool:
    begins = fact.assertion.valid_from
    if fact.valid_to is not None and fact.valid_to <= max(begins, new.valid_from):
        return False
    return new.valid_to is None or begins < new.valid_to


def _taken_over(fact: Fact, new: Assertion, named: Sequence[FactId]) -> int:
    if fact.assertion.valid_from > new.valid_from and fact.id not in named:
        raise Conflict(
            f"{fact.id} says otherwise from a later moment on",
            code="single_value_interval_conflict",
            hint="end the new fact before that with --to, or name the other with --supersedes",
        )
    return new.valid_from
