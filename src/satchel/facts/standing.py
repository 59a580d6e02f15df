"""Standing: which facts count at a moment, which do not and by which rule, and what is wrong with any of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from satchel.domain.facts import Fact, FactId, FactStatus, KeptFact
from satchel.domain.moment import iso
from satchel.domain.record import Trust
from satchel.domain.trust import lowest
from satchel.facts.asserting import cap, exceeds, fact_id
from satchel.facts.registry import find
from satchel.facts.values import ExcludedFact, FactRecord, LintFinding


def counted(
    facts: Iterable[KeptFact], moment: int, trusts: Sequence[Trust], *, include_stale: bool = False
) -> tuple[list[KeptFact], list[ExcludedFact]]:
    """Return what is true at a moment, and what is not, each with the rule that kept it out."""
    current, excluded = [], []
    for kept in facts:
        if trust_of(kept) not in trusts:
            # Not even its name: what may not be seen is not explained either.
            continue
        if reason := _reason(kept, moment, include_stale):
            excluded.append(ExcludedFact(kept.fact.id, kept.fact.assertion.predicate, reason))
        else:
            current.append(kept)
    order = sorted(current, key=lambda one: (one.fact.assertion.predicate, one.fact.assertion.valid_from, one.fact.id))
    return order, sorted(excluded, key=lambda one: (one.predicate, one.id))


def _reason(kept: KeptFact, moment: int, include_stale: bool) -> str | None:
    if kept.status is FactStatus.RETRACTED:
        return "non_current_status"
    if not kept.fact.holds_at(moment):
        return "outside_interval"
    return "stale_excluded" if kept.status is FactStatus.STALE and not include_stale else None


def trust_of(kept: KeptFact) -> Trust:
    """Return how far a fact may be relied on: no further than its least trusted source, then or now."""
    return lowest([kept.fact.assertion.trust, *(one.trust for one in kept.sources if one is not None)])


def record(kept: KeptFact) -> FactRecord:
    """Return a fact in the words of its specification."""
    fact, said = kept.fact, kept.fact.assertion
    return FactRecord(
        id=fact.id,
        subject=said.subject,
        predicate=said.predicate,
        object=said.object,
        valid_from=iso(said.valid_from),
        valid_to=None if fact.valid_to is None else iso(fact.valid_to),
        status=kept.status,
        stored_status=fact.stored_status,
        confidence_tier=said.confidence_tier,
        source_refs=said.source_refs,
        assertion_ref=said.assertion_ref,
        supersedes=fact.supersedes,
        superseded_by=fact.superseded_by,
        created_at=iso(fact.created_at),
        asserted_by=said.asserted_by,
        scope=said.scope,
        trust=trust_of(kept),
    )


def findings(facts: Sequence[KeptFact], known: frozenset[FactId]) -> Iterator[LintFinding]:
    """Yield what is wrong with facts, by id. `known` are the ids that any event ever gave."""
    for kept in facts:
        for code, severity, detail in _problems(kept, known):
            yield LintFinding(code, severity, kept.fact.id, detail)
    yield from _conflicts([kept.fact for kept in facts])


def _problems(kept: KeptFact, known: frozenset[FactId]) -> Iterator[tuple[str, str, str]]:
    fact, said = kept.fact, kept.fact.assertion
    predicate = find(said.predicate)
    if predicate is None or said.object.type not in predicate.object_types:
        yield "unknown_predicate", "error", said.predicate
    if not said.source_refs:
        yield "missing_source_refs", "error", "it has no sources"
    if fact.valid_to is not None and fact.valid_to < said.valid_from:
        yield "interval_invalid", "error", "it ends before it begins"
    there = [(ref, now) for ref, now in zip(said.source_refs, kept.sources, strict=True) if now is not None]
    for ref, then, now in zip(said.source_refs, said.digests, kept.sources, strict=True):
        if now is None:
            yield "dangling_source_ref", "error", ref.ref
        elif now.digest != then:
            yield "stale_source", "warning", ref.ref
    if exceeds(said.confidence_tier, cap(there)):
        yield "confidence_exceeds_source_cap", "error", f"{said.confidence_tier} above {cap(there)}"
    for id in (*fact.supersedes, *fact.superseded_by):
        if id not in known:
            yield "unresolved_supersedes", "error", id
    if fact_id(said.scope, said, said.assertion_ref) != fact.id:
        yield "misnamed", "error", "its id is not that of what it says"


def _conflicts(facts: Sequence[Fact]) -> Iterator[LintFinding]:
    rivals = defaultdict(list)
    for fact in facts:
        predicate = find(fact.assertion.predicate)
        if predicate is not None and predicate.is_single and fact.stored_status is not FactStatus.RETRACTED:
            rivals[fact.assertion.scope, fact.assertion.subject.ref, predicate.name].append(fact)
    for group in rivals.values():
        group.sort(key=lambda fact: (fact.assertion.valid_from, fact.id))
        for place, one in enumerate(group):
            for other in group[place + 1 :]:
                if other.holds_at(other.assertion.valid_from) and one.holds_at(other.assertion.valid_from):
                    yield LintFinding("single_value_interval_conflict", "error", one.id, other.id)
