"""Writes what changes facts: assertions, ends, stale marks and the rebuilt view, each with its receipt."""

from collections.abc import Sequence
from contextlib import nullcontext

from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.references import fact_ids, full_id, memory_ids, observation_ids
from satchel.core.run import OperationRun
from satchel.domain.envelope import Ok
from satchel.domain.facts import (
    Assertion,
    AssertionRef,
    Confidence,
    Fact,
    FactAction,
    FactEvent,
    FactId,
    FactSourceType,
    FactStatus,
    SourceRef,
    subject_key,
)
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import admin_view
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.facts.assertions import FactDraft, confidence_cap
from satchel.facts.lint import lint_facts
from satchel.facts.planning import PlannedAssertion, plan_assertion
from satchel.facts.reading import everything
from satchel.facts.replay import recorded_ids, replay
from satchel.facts.selection import fact_record
from satchel.facts.values import Asserted, Ended, RebuiltFacts, StaleFacts
from satchel.ports.damage import DamagedRecord, damaged_error


def record_assertion(
    run: OperationRun,
    draft: FactDraft,
    within: Reach,
    ref: AssertionRef,
    supersedes: Sequence[FactId],
    parts: Parts,
    *,
    dry_run: bool,
) -> Ok[Asserted]:
    """Assert a fact and end those that it supersedes, unless a fact already says the same."""
    scope, facts = within.scopes[0], parts.ledger.facts
    with parts.ledger.memories.transaction():
        draft = replace(draft, sources=tuple(sorted({full_source(one, within, parts) for one in draft.sources})))
        resolved = facts.resolve(draft.sources, within)
        events = facts.events(within, draft.subject.ref)
        seeds = parts.ledger.scopes.seeds(scope)
        planned = plan_assertion(draft, scope, seeds, resolved, ref, parts.actor, events, supersedes)
        cap = confidence_cap([(one, now) for one, now in zip(draft.sources, resolved, strict=True) if now is not None])
        if isinstance(planned, Fact):
            return _answer_repeated(run, planned, cap, parts)
        return _commit_assertion(run, planned, events, cap, parts, dry_run=dry_run)


def full_source(source: SourceRef, within: Reach, parts: Parts) -> SourceRef:
    """Return a source with its whole id, if it was named by the beginning of the id of a memory or observation."""
    if source.kind is not FactSourceType.MEMORY:
        return source
    view = admin_view(within, parts.clock.now())
    lanes = memory_ids(parts.ledger, view), observation_ids(parts.ledger, view)
    return replace(source, ref=full_id(source.ref, *lanes))


def _answer_repeated(run: OperationRun, fact: Fact, cap: Confidence, parts: Parts) -> Ok[Asserted]:
    (shown,) = parts.ledger.facts.with_sources([fact])
    run.asked = {"scope": fact.assertion.scope}
    asserted = Asserted("duplicate", fact_record(shown), cap, writes_performed=False)
    return run.done(asserted, id=fact.id, action="duplicate")


def _commit_assertion(
    run: OperationRun,
    planned: PlannedAssertion,
    events: Sequence[FactEvent],
    cap: Confidence,
    parts: Parts,
    *,
    dry_run: bool,
) -> Ok[Asserted]:
    new, ends = planned.assertion, planned.ends
    event = _event(FactAction.ASSERT, new, parts, assertion=new, closes=ends)
    after = replay([*events, event])
    action = "planned" if dry_run else "created"
    run.asked = {"scope": new.scope, "predicate": new.predicate, "sources": [one.ref for one in new.source_refs]}
    run.decided = {
        "id": new.id,
        "action": action,
        "confidence": new.confidence_tier,
        "cap": cap,
        "trust": new.trust,
        "supersedes": sorted(ends),
    }
    (shown,) = parts.ledger.facts.with_sources([after[new.id]])
    asserted = Asserted(action, fact_record(shown), cap, writes_performed=not dry_run)
    if dry_run:
        return run.done(asserted)
    receipt = run.receipt()
    parts.ledger.facts.commit([event], [after[id] for id in (*sorted(ends), new.id) if id in after], receipt)
    return run.committed(asserted, receipt)


def record_end(
    run: OperationRun, id: str, within: Reach, end: int | None, reason: str | None, parts: Parts, *, dry_run: bool
) -> Ok[Ended]:
    """End a fact at a moment, or retract it if there is none."""
    facts = parts.ledger.facts
    with parts.ledger.memories.transaction():
        fact = _find_endable(id, within, end, parts)
        action = FactAction.RETRACT if end is None else FactAction.INVALIDATE
        event = _event(action, fact.assertion, parts, moment=end, reason=reason)
        after = replay([*facts.events(within, fact.assertion.subject.ref), event])[fact.id]
        run.asked = {"scope": within.name}
        run.decided = {"id": fact.id, "status": after.stored_status, "dry_run": dry_run}
        (shown,) = facts.with_sources([after])
        ended = Ended(fact_record(shown), writes_performed=not dry_run)
        if dry_run:
            return run.done(ended)
        receipt = run.receipt()
        facts.commit([event], [after], receipt)
        return run.committed(ended, receipt)


def _find_endable(id: str, within: Reach, end: int | None, parts: Parts) -> Fact:
    """Return the fact to end, or to retract if there is no end; raise if that is not possible."""
    facts = fact_ids(parts.ledger, admin_view(within, parts.clock.now()))
    found = parts.ledger.facts.find(FactId(full_id(id, facts)), within)
    if found is None:
        raise NotFound(f"no fact {id[:80]!r} in {within}", hint="name its scope with --scope")
    fact = found.fact
    if fact.stored_status is FactStatus.RETRACTED or (fact.stored_status is FactStatus.INVALIDATED and end is not None):
        raise Conflict(f"{fact.id} is already {fact.stored_status}", code="fact_ended")
    if end is not None and end < fact.assertion.valid_from:
        raise InvalidRequest(
            "the fact would end before it starts",
            code="interval_invalid",
            hint="use --retract if it never was true",
        )
    return fact


def list_stale(run: OperationRun, within: Reach, parts: Parts, *, apply: bool) -> Ok[StaleFacts]:
    """List the facts whose sources are gone, changed or retired; with `apply`, mark them in the view."""
    facts = parts.ledger.facts
    with parts.ledger.memories.transaction() if apply else nullcontext():
        stale = [one for one in facts.walk(everything(within)) if one.status is FactStatus.STALE]
        unmarked = [one.fact for one in stale if one.fact.stored_status is FactStatus.ACTIVE]
        receipt = run.receipt(ids=[one.fact.id for one in stale])
        if apply and unmarked:
            events = [_event(FactAction.STALE, fact.assertion, parts) for fact in unmarked]
            marked = [replace(fact, stored_status=FactStatus.STALE) for fact in unmarked]
            facts.commit(events, marked, receipt)
    applied = len(unmarked) if apply else 0
    found = StaleFacts(within.name, tuple(map(fact_record, stale)), applied, writes_performed=bool(applied))
    return run.committed(found, receipt, kept=bool(applied))


def rebuild_view(run: OperationRun, parts: Parts) -> Ok[RebuiltFacts]:
    """Derive every fact from its events again."""
    stored = parts.ledger.facts
    with parts.ledger.memories.transaction():
        events = stored.events(EVERYWHERE)
        _require_undamaged(run.damaged)
        facts = list(replay(events).values())
        problems = lint_facts(stored.with_sources(facts), recorded_ids(events))
        misnamed = sum(one.code == "misnamed" for one in problems)
        receipt = run.receipt(events=len(events), facts=len(facts), misnamed=misnamed)
        changed = stored.replace_view(facts, receipt)
    return run.committed(RebuiltFacts(len(events), len(facts), changed, misnamed), receipt)


def _require_undamaged(damaged: Sequence[DamagedRecord]) -> None:
    """Raise if events are damaged: facts rebuilt without them would be lost or wrong."""
    if damaged:
        raise damaged_error(damaged)


def _event(
    action: FactAction,
    about: Assertion,
    parts: Parts,
    *,
    assertion: Assertion | None = None,
    closes: dict[FactId, int] | None = None,
    moment: int | None = None,
    reason: str | None = None,
) -> FactEvent:
    return FactEvent(
        action,
        about.id,
        about.scope,
        subject_key(about.subject.ref),
        parts.clock.now(),
        parts.actor,
        assertion,
        closes or {},
        moment,
        reason,
    )
