"""Checks facts for errors and contradictions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from satchel.domain.facts import Fact, FactId, FactStatus, SourcedFact, fact_id
from satchel.facts.assertions import confidence_cap, exceeds
from satchel.facts.predicates import find_predicate
from satchel.facts.values import LintFinding


def lint_facts(facts: Sequence[SourcedFact], known: frozenset[FactId]) -> Iterator[LintFinding]:
    """Yield the problems of each fact, then contradictions. `known` are the ids of all facts that ever had an event."""
    for one in facts:
        for code, severity, detail in _problems(one, known):
            yield _finding(code, severity, one.fact, detail)
    yield from _conflicts([one.fact for one in facts])


def _problems(one: SourcedFact, known: frozenset[FactId]) -> Iterator[tuple[str, str, str]]:
    fact, assertion = one.fact, one.fact.assertion
    predicate = find_predicate(assertion.predicate)
    if predicate is None or assertion.object.type not in predicate.object_types:
        yield "unknown_predicate", "error", assertion.predicate
    if not assertion.source_refs:
        yield "missing_source_refs", "error", "it has no sources"
    if fact.valid_to is not None and fact.valid_to < assertion.valid_from:
        yield "interval_invalid", "error", "it ends before it starts"
    for ref, then, now in zip(assertion.source_refs, assertion.digests, one.sources, strict=True):
        if now is None:
            yield "dangling_source_ref", "error", ref.ref
        elif now.digest != then or not one.is_supported:
            yield "stale_source", "warning", ref.ref
    present = [(ref, now) for ref, now in zip(assertion.source_refs, one.sources, strict=True) if now is not None]
    if exceeds(assertion.confidence_tier, cap := confidence_cap(present)):
        yield "confidence_exceeds_source_cap", "error", f"{assertion.confidence_tier} above {cap}"
    for id in (*fact.supersedes, *fact.superseded_by):
        if id not in known:
            yield "unresolved_supersedes", "error", id
    if fact_id(assertion) != fact.id:
        yield "misnamed", "error", "its id does not match its content"


def _conflicts(facts: Sequence[Fact]) -> Iterator[LintFinding]:
    """Yield the pairs of facts that give a single-valued predicate two values at once."""
    rivals = defaultdict(list)
    for fact in facts:
        predicate = find_predicate(fact.assertion.predicate)
        if predicate is not None and predicate.is_single and fact.stored_status is not FactStatus.RETRACTED:
            rivals[fact.assertion.scope, fact.assertion.subject.ref, predicate.name].append(fact)
    for group in rivals.values():
        group.sort(key=lambda fact: (fact.assertion.valid_from, fact.id))
        for place, one in enumerate(group):
            for other in group[place + 1 :]:
                start = other.assertion.valid_from
                if other.holds_at(start) and one.holds_at(start):
                    yield _finding("single_value_interval_conflict", "error", one, other.id)


def _finding(code: str, severity: str, fact: Fact, detail: str) -> LintFinding:
    return LintFinding(code, severity, fact.id, detail, fact.assertion.subject.ref, fact.assertion.scope)
