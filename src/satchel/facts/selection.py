"""Selects the facts that are true at a moment."""

from collections.abc import Iterable, Sequence

from satchel.domain.facts import FactStatus, SourcedFact
from satchel.domain.moment import iso
from satchel.domain.record import Trust
from satchel.domain.trust import lowest_trust
from satchel.facts.values import ExcludedFact, FactRecord


def select_current(
    facts: Iterable[SourcedFact], moment: int, trusts: Sequence[Trust], *, include_stale: bool = False
) -> tuple[list[SourcedFact], list[ExcludedFact]]:
    """Return the facts that are true at a moment, and the others with the rule that excluded them."""
    current, excluded = [], []
    for one in facts:
        if trust_of(one) not in trusts:
            # Not listed as excluded either: not even its id may be seen.
            continue
        if reason := _exclusion(one, moment, include_stale):
            excluded.append(ExcludedFact(one.fact.id, one.fact.assertion.predicate, reason))
        else:
            current.append(one)
    current.sort(key=lambda one: (one.fact.assertion.predicate, one.fact.assertion.valid_from, one.fact.id))
    return current, sorted(excluded, key=lambda one: (one.predicate, one.id))


def _exclusion(one: SourcedFact, moment: int, include_stale: bool) -> str | None:
    if one.status is FactStatus.RETRACTED:
        return "non_current_status"
    if not one.fact.holds_at(moment):
        return "outside_interval"
    return "stale_excluded" if one.status is FactStatus.STALE and not include_stale else None


def trust_of(one: SourcedFact) -> Trust:
    """Return the trust of a fact: the lowest of its sources, at the assertion and now."""
    return lowest_trust([one.fact.assertion.trust, *(source.trust for source in one.sources if source is not None)])


def fact_record(one: SourcedFact) -> FactRecord:
    """Return a fact in the format of its specification."""
    fact, assertion = one.fact, one.fact.assertion
    return FactRecord(
        id=fact.id,
        subject=assertion.subject,
        predicate=assertion.predicate,
        object=assertion.object,
        valid_from=iso(assertion.valid_from),
        valid_to=None if fact.valid_to is None else iso(fact.valid_to),
        status=one.status,
        stored_status=fact.stored_status,
        confidence_tier=assertion.confidence_tier,
        source_refs=assertion.source_refs,
        assertion_ref=assertion.assertion_ref,
        supersedes=fact.supersedes,
        superseded_by=fact.superseded_by,
        created_at=iso(fact.created_at),
        asserted_by=assertion.asserted_by,
        scope=assertion.scope,
        trust=trust_of(one),
    )
