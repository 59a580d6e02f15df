"""Facts: what is true of a subject, since when, and which sources say so."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import AllScopes, DryRun, Param, Scope, operation
from satchel.core.references import fact_ids, full_id
from satchel.core.run import OperationRun
from satchel.core.service import Service, page_size
from satchel.domain.arguments import check_range
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.facts import (
    Assertion,
    AssertionRef,
    Confidence,
    Fact,
    FactAction,
    FactEvent,
    FactId,
    FactStatus,
    ObjectType,
    SourcedFact,
    subject_key,
)
from satchel.domain.moment import iso, parse_moment
from satchel.domain.ranking import LaneAnswer, LaneItem
from satchel.domain.receipt import question_facts
from satchel.domain.record import Trust
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.sentences import unquoted_sentences
from satchel.domain.text import MAX_FIELD_CHARS, MAX_TEXT_CHARS, check_text, replace_undecodable
from satchel.domain.view import View, admin_view
from satchel.domain.words import text_terms
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.facts.assertions import FactDraft, confidence_cap, draft_fact, parse_source_ref
from satchel.facts.lint import lint_facts
from satchel.facts.packing import fact_line, pack_facts
from satchel.facts.planning import plan_assertion
from satchel.facts.predicates import PREDICATES, require_predicate
from satchel.facts.proposals import propose_facts
from satchel.facts.replay import replay
from satchel.facts.selection import fact_record, select_current, trust_of
from satchel.facts.values import (
    Asserted,
    CurrentFacts,
    Ended,
    ExcludedFact,
    FactPack,
    FactSubject,
    FactSubjects,
    FactTimeline,
    Linted,
    PredicateRow,
    Proposal,
    Proposed,
    RebuiltFacts,
    Registry,
    StaleFacts,
)
from satchel.ports.damage import DamagedRecord, damaged_error
from satchel.recall import relevance
from satchel.recall.request import Mode, parse_question

DEFAULT_BUDGET_TOKENS = 1_200
DEFAULT_MAX_ITEMS = 20
MAX_BUDGET_TOKENS = 100_000
MAX_ITEMS = 200

_Subject = Annotated[str, Param("subject of the fact, exactly as spelled", positional=True)]
_Predicate = Annotated[str | None, Param("only this predicate, or an alias of it")]
_AsOf = Annotated[str | None, Param("when it is true: 2026-12-31, or with a time; now if omitted")]


class Facts(Service):
    """Takes assertions and answers what is true. A fact whose sources are gone or changed does not count."""

    # Writing

    @operation(
        "fact assert",
        writes=True,
        idempotent=True,
        operator_only=True,
        examples=("satchel fact assert payments status live --source 6f1c2d34 --from 2026-03-01",),
    )
    def assert_(
        self,
        subject: _Subject,
        predicate: Annotated[str, Param("predicate of the fact: see 'fact registry'", positional=True)],
        object: Annotated[str, Param("object of the fact", positional=True)],
        *,
        sources: Annotated[
            Sequence[str],
            Param("its source: the id of a memory, observation, message or receipt, or KIND:ID#PLACE", flag="source"),
        ] = (),
        object_type: Annotated[str | None, Param("type of the object", flag="type", choices=ObjectType)] = None,
        label: Annotated[str | None, Param("display name of the subject")] = None,
        valid_from: Annotated[str | None, Param("when it became true; now if omitted", flag="from")] = None,
        valid_to: Annotated[str | None, Param("when it stopped being true", flag="to")] = None,
        confidence: Annotated[str | None, Param("confidence, limited by its sources", choices=Confidence)] = None,
        supersedes: Annotated[Sequence[str], Param("id of a fact that it ends")] = (),
        assertion_ref: Annotated[
            str | None, Param("who or what made the assertion; the current actor if omitted")
        ] = None,
        scope: Scope = None,
        dry_run: DryRun = False,
    ) -> Ok[Asserted]:
        """Assert a fact about a subject.

        Every fact needs a source in its scope. For a single-valued predicate, a new fact ends the previous one at the
        time from which it is true.
        """
        with self._run("fact assert", writes=True) as run:
            within = self._reach(scope)
            interval = (
                self._clock.now() if valid_from is None else parse_moment(valid_from, "from"),
                None if valid_to is None else parse_moment(valid_to, "to"),
            )
            draft = draft_fact(
                _masked(subject, "subject"),
                None if label is None else _masked(label, "label"),
                predicate,
                _masked(object, "object", limit=MAX_TEXT_CHARS),
                object_type,
                sources,
                interval,
                confidence,
            )
            ref = AssertionRef("explicit", check_text(assertion_ref or self._parts.actor, "assertion_ref"))
            with self._ledger.memories.transaction():
                return self._assert(run, draft, within, ref, tuple(map(FactId, supersedes)), dry_run)

    def _assert(
        self,
        run: OperationRun,
        draft: FactDraft,
        within: Reach,
        ref: AssertionRef,
        supersedes: Sequence[FactId],
        dry_run: bool,
    ) -> Ok[Asserted]:
        scope, facts = within.scopes[0], self._ledger.facts
        resolved = facts.resolve(draft.sources, within)
        events = facts.events(within, draft.subject.ref)
        seeds = self._ledger.scopes.seeds(scope)
        planned = plan_assertion(draft, scope, seeds, resolved, ref, self._parts.actor, events, supersedes)
        cap = confidence_cap([(one, now) for one, now in zip(draft.sources, resolved, strict=True) if now is not None])
        if isinstance(planned, Fact):
            return self._repeated(run, planned, cap)
        new, ends = planned.assertion, planned.ends
        event = self._event(FactAction.ASSERT, new, assertion=new, closes=ends)
        after = replay([*events, event])
        action = "planned" if dry_run else "created"
        run.asked = {"scope": scope, "predicate": new.predicate, "sources": [one.ref for one in new.source_refs]}
        run.decided = {
            "id": new.id,
            "action": action,
            "confidence": new.confidence_tier,
            "cap": cap,
            "trust": new.trust,
            "supersedes": sorted(ends),
        }
        (shown,) = facts.with_sources([after[new.id]])
        asserted = Asserted(action, fact_record(shown), cap, writes_performed=not dry_run)
        if dry_run:
            return run.done(asserted)
        receipt = run.receipt()
        facts.commit([event], [after[id] for id in (*sorted(ends), new.id) if id in after], receipt)
        return run.committed(asserted, receipt)

    def _repeated(self, run: OperationRun, fact: Fact, cap: Confidence) -> Ok[Asserted]:
        (shown,) = self._ledger.facts.with_sources([fact])
        run.asked = {"scope": fact.assertion.scope}
        asserted = Asserted("duplicate", fact_record(shown), cap, writes_performed=False)
        return run.done(asserted, id=fact.id, action="duplicate")

    @operation(
        "fact invalidate",
        writes=True,
        operator_only=True,
        examples=('satchel fact invalidate ID --at 2026-06-30 --reason "moved to the new service"',),
    )
    def invalidate(
        self,
        id: Annotated[str, Param("id of the fact", positional=True)],
        *,
        at: Annotated[str | None, Param("when it stopped being true; now if omitted")] = None,
        retract: Annotated[bool, Param("it was never true")] = False,
        reason: Annotated[str | None, Param("why")] = None,
        scope: Scope = None,
        dry_run: DryRun = False,
    ) -> Ok[Ended]:
        """End a fact: it stopped being true, or never was."""
        with self._run("fact invalidate", writes=True) as run:
            within = self._reach(scope)
            if retract and at is not None:
                raise InvalidRequest(
                    "a fact that never was true has no end", code="conflicting_params", hint="--at or --retract"
                )
            moment = None if retract else self._clock.now() if at is None else parse_moment(at, "at")
            masked_reason = None if reason is None else _masked(reason, "reason")
            with self._ledger.memories.transaction():
                fact = self._endable(id, within, moment)
                action = FactAction.RETRACT if retract else FactAction.INVALIDATE
                event = self._event(action, fact.assertion, moment=moment, reason=masked_reason)
                events = self._ledger.facts.events(within, fact.assertion.subject.ref)
                after = replay([*events, event])[fact.id]
                run.asked = {"scope": within.name}
                run.decided = {"id": fact.id, "status": after.stored_status, "dry_run": dry_run}
                (shown,) = self._ledger.facts.with_sources([after])
                ended = Ended(fact_record(shown), writes_performed=not dry_run)
                if dry_run:
                    return run.done(ended)
                receipt = run.receipt()
                self._ledger.facts.commit([event], [after], receipt)
                return run.committed(ended, receipt)

    def _endable(self, id: str, within: Reach, end: int | None) -> Fact:
        """Return the fact to end, or to retract if there is no end; raise if that is not possible."""
        facts = fact_ids(self._ledger, admin_view(within, self._clock.now()))
        found = self._ledger.facts.find(FactId(full_id(id, facts)), within)
        if found is None:
            raise NotFound(f"no fact {id[:80]!r} in {within}", hint="name its scope with --scope")
        fact = found.fact
        if fact.stored_status is FactStatus.RETRACTED or (
            fact.stored_status is FactStatus.INVALIDATED and end is not None
        ):
            raise Conflict(f"{fact.id} is already {fact.stored_status}", code="fact_ended")
        if end is not None and end < fact.assertion.valid_from:
            raise InvalidRequest(
                "the fact would end before it starts",
                code="interval_invalid",
                hint="use --retract if it never was true",
            )
        return fact

    @operation(
        "fact stale",
        writes=True,
        idempotent=True,
        operator_only=True,
        examples=(
            "satchel fact stale",
            "satchel fact stale --apply",
        ),
    )
    def stale(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        apply: Annotated[bool, Param("mark them as stale in the view")] = False,
    ) -> Ok[StaleFacts]:
        """List the facts whose sources are gone or changed.

        A stale fact does not count, marked or not. Reading or packing a source makes no fact stale.
        """
        within = self._reach(scope, all_scopes)
        with self._run("fact stale", {"scope": within.name, "apply": apply}, writes=apply) as run:
            with self._ledger.memories.transaction() if apply else nullcontext():
                stale = [one for one in self._ledger.facts.walk(_everything(within)) if one.status is FactStatus.STALE]
                unmarked = [one.fact for one in stale if one.fact.stored_status is FactStatus.ACTIVE]
                receipt = run.receipt(ids=[one.fact.id for one in stale])
                if apply and unmarked:
                    events = [self._event(FactAction.STALE, fact.assertion) for fact in unmarked]
                    marked = [replace(fact, stored_status=FactStatus.STALE) for fact in unmarked]
                    self._ledger.facts.commit(events, marked, receipt)
            applied = len(unmarked) if apply else 0
            found = StaleFacts(within.name, tuple(map(fact_record, stale)), applied, writes_performed=bool(applied))
            return run.committed(found, receipt, kept=bool(applied))

    @operation("fact rebuild", writes=True, idempotent=True, operator_only=True, examples=("satchel fact rebuild",))
    def rebuild(self) -> Ok[RebuiltFacts]:
        """Rebuild the view of facts from the assertions."""
        with self._run("fact rebuild", writes=True) as run:
            with self._ledger.memories.transaction():
                events = self._ledger.facts.events(EVERYWHERE)
                _require_undamaged(run.damaged)
                facts = list(replay(events).values())
                problems = lint_facts(self._ledger.facts.with_sources(facts), _ids(events))
                misnamed = sum(one.code == "misnamed" for one in problems)
                receipt = run.receipt(events=len(events), facts=len(facts), misnamed=misnamed)
                changed = self._ledger.facts.replace_view(facts, receipt)
            return run.committed(RebuiltFacts(len(events), len(facts), changed, misnamed), receipt)

    def _event(
        self,
        action: FactAction,
        about: Assertion,
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
            self._clock.now(),
            self._parts.actor,
            assertion,
            closes or {},
            moment,
            reason,
        )

    # Reading

    @operation("fact current", examples=("satchel fact current payments --as-of 2026-02-01 --known-at 2026-02-15",))
    def current(
        self,
        subject: _Subject,
        *,
        predicate: _Predicate = None,
        as_of: _AsOf = None,
        known_at: Annotated[str | None, Param("as known at this time; as known now if omitted")] = None,
        include_stale: Annotated[bool, Param("include facts whose sources are gone or changed")] = False,
        scope: Scope = None,
    ) -> Ok[CurrentFacts]:
        """Show what is true of a subject, now or at another time."""
        view = self._view(scope)
        with self._run("fact current") as run:
            moment = view.now if as_of is None else parse_moment(as_of, "as_of")
            learned = None if known_at is None else parse_moment(known_at, "known_at")
            current, excluded = self._current(subject, view, moment, learned, include_stale, predicate)
            run.asked = _request_facts(subject, view) | {"as_of": moment, "known_at": learned}
            run.decided = _decided(current, excluded)
            answer = CurrentFacts(
                replace_undecodable(subject),
                view.reach.name,
                iso(moment),
                None if learned is None else iso(learned),
                tuple(map(fact_record, current)),
                tuple(excluded),
            )
            return run.done(answer)

    def _current(
        self,
        subject: str,
        view: View,
        moment: int,
        known_at: int | None,
        include_stale: bool,
        predicate: str | None = None,
    ) -> tuple[list[SourcedFact], list[ExcludedFact]]:
        facts = self._facts_about(subject, view, known_at)
        if predicate is not None:
            name = require_predicate(predicate).name
            facts = [one for one in facts if one.fact.assertion.predicate == name]
        return select_current(facts, moment, view.trusts, include_stale=include_stale)

    def _facts_about(self, subject: str, view: View, known_at: int | None) -> list[SourcedFact]:
        name = replace_undecodable(subject)
        if known_at is None:
            return self._ledger.facts.of_subject(name, view)
        events = self._ledger.facts.events(view.reach, name, known_at)
        return self._ledger.facts.with_sources(list(replay(events).values()))

    @operation("fact subjects", operator_only=True, examples=("satchel fact subjects --scope project/shop",))
    def subjects(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: Annotated[int, Param("how many to return")] = 50,
        after: Annotated[str | None, Param("continue after the previous page: its 'next'")] = None,
    ) -> Ok[FactSubjects]:
        """List the subjects that there are facts about."""
        view = View(self._reach(scope, all_scopes), self._clock.now())
        with self._run("fact subjects", {"scope": view.reach.name, "limit": limit}) as run:
            size = page_size(limit)
            found = self._ledger.facts.subjects(view, _page_mark(after), size + 1)
            rows = tuple(
                FactSubject(one.subject, one.scope, one.facts, iso(one.first), iso(one.last)) for one in found[:size]
            )
            following = f"{rows[-1].scope} {rows[-1].subject}" if len(found) > size else None
            return run.done(FactSubjects(view.reach.name, rows, following), returned=len(rows))

    @operation("fact timeline", examples=("satchel fact timeline payments --predicate status",))
    def timeline(self, subject: _Subject, *, predicate: _Predicate = None, scope: Scope = None) -> Ok[FactTimeline]:
        """Show every fact about a subject, by when it was true."""
        view = self._view(scope)
        with self._run("fact timeline") as run:
            name = None if predicate is None else require_predicate(predicate).name
            facts = [
                one
                for one in self._facts_about(subject, view, None)
                if trust_of(one) in view.trusts and name in (None, one.fact.assertion.predicate)
            ]
            run.asked = _request_facts(subject, view) | {"predicate": name}
            timeline = FactTimeline(replace_undecodable(subject), view.reach.name, tuple(map(fact_record, facts)))
            return run.done(timeline, ids=[one.fact.id for one in facts])

    @operation("fact lint", operator_only=True, examples=("satchel fact lint --all-scopes",))
    def lint(
        self,
        *,
        subject: Annotated[str | None, Param("only facts about this subject, exactly as spelled")] = None,
        scope: Scope = None,
        all_scopes: AllScopes = False,
    ) -> Ok[Linted]:
        """Check facts: vocabulary, intervals, sources, contradictions."""
        within = self._reach(scope, all_scopes)
        name = None if subject is None else replace_undecodable(subject)
        asked: dict[str, Json] = {} if name is None else question_facts(name)
        with self._run("fact lint", {"scope": within.name, **asked}) as run:
            stored, view = self._ledger.facts, _everything(within)
            facts = stored.walk(view) if name is None else stored.of_subject(name, view)
            problems = tuple(lint_facts(facts, _ids(stored.events(within, name))))
            errors = sum(one.severity == "error" for one in problems)
            linted = Linted(within.name, len(facts), errors, len(problems) - errors, problems)
            return run.done(linted, checked=len(facts), errors=errors, warnings=linted.warnings)

    @operation("fact pack", examples=("satchel fact pack payments --budget-tokens 400",))
    def pack(
        self,
        subject: _Subject,
        *,
        budget_tokens: Annotated[
            int, Param(f"how many tokens it may take, 1 to {MAX_BUDGET_TOKENS}")
        ] = DEFAULT_BUDGET_TOKENS,
        max_items: Annotated[int, Param(f"how many facts, 1 to {MAX_ITEMS}")] = DEFAULT_MAX_ITEMS,
        as_of: _AsOf = None,
        scope: Scope = None,
    ) -> Ok[FactPack]:
        """Pack what is true of a subject for a prompt, every fact cited.

        A ContextPack (openclaw-mem.context-pack.v1) with its trace.
        """
        view = self._view(scope)
        with self._run("fact pack") as run:
            check_range(budget_tokens, "budget_tokens", 1, MAX_BUDGET_TOKENS)
            check_range(max_items, "max_items", 1, MAX_ITEMS)
            moment = view.now if as_of is None else parse_moment(as_of, "as_of")
            current, excluded = self._current(subject, view, moment, None, include_stale=False)
            pack, trace, chosen = pack_facts(
                current, excluded, replace_undecodable(subject), view.reach.name, view.now, budget_tokens, max_items
            )
            run.asked = _request_facts(subject, view) | {"budget_tokens": budget_tokens, "max_items": max_items}
            run.decided = _decided(chosen, excluded)
            return run.done(FactPack(pack, trace), considered=len(current))

    @operation("fact propose", operator_only=True, examples=("satchel fact propose ID",))
    def propose(
        self,
        source: Annotated[str, Param("id of a memory, observation or message", positional=True)],
        *,
        scope: Scope = None,
    ) -> Ok[Proposed]:
        """List facts that a source seems to state, without asserting any."""
        view = self._view(scope)
        with self._run("fact propose") as run:
            ref = parse_source_ref(source)
            text = self._ledger.facts.text_of(ref, view)
            if text is None:
                raise NotFound(f"no source {ref.ref[:80]!r} in {view.reach}", hint="name its scope with --scope")
            proposed = tuple(
                Proposal(one.subject, one.predicate, one.object, one.sentence, one.rule, self._is_known(one, view))
                for one in propose_facts(redacted(text).text, unquoted_sentences)
            )
            run.asked = {"source": ref.ref, "scope": view.reach.name}
            answer = Proposed(ref, view.reach.name, proposed)
            return run.done(answer, proposals=len(proposed), writes_performed=False)

    def _is_known(self, proposal: Proposal, view: View) -> bool:
        current, _ = self._current(
            proposal.subject, view, view.now, None, include_stale=False, predicate=proposal.predicate
        )
        return any(one.fact.assertion.object.value == proposal.object for one in current)

    @operation("fact registry", examples=("satchel fact registry",))
    def registry(self) -> Ok[Registry]:
        """List the predicates a fact may use."""
        with self._run("fact registry") as run:
            rows = tuple(
                PredicateRow(one.name, one.cardinality, tuple(one.object_types), one.aliases) for one in PREDICATES
            )
            return run.done(Registry(rows), predicates=len(rows))

    @operation("fact search", examples=('satchel fact search "payments live"',))
    def search(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        limit: Annotated[int, Param("how many to return, 1 to 50")] = 8,
    ) -> Ok[LaneAnswer]:
        """Find current facts by their words."""
        view = self._view(scope)
        with self._run("fact search") as run:
            question = parse_question(query, Mode.LEXICAL, limit)
            found = self._ledger.facts.match(question.terms, view, page_size(limit))
            frequencies = self._ledger.facts.frequencies(question.terms)
            weights = relevance.term_weights(frequencies.holding, frequencies.records)
            items = [
                LaneItem(
                    id=one.fact.id,
                    text=fact_line(one),
                    relevance=relevance.hit_relevance(question.terms, text_terms(fact_line(one)), None, None, weights),
                    trust=trust_of(one),
                    citations=tuple(f"{ref.kind}:{ref.ref}" for ref in one.fact.assertion.source_refs),
                    kind="fact",
                    at=one.fact.created_at,
                )
                for one in found
                if trust_of(one) in view.trusts
            ]
            items.sort(key=lambda item: (-item.relevance, item.id))
            run.asked = {**question_facts(question.text), "scope": view.reach.name, "limit": limit}
            answer = LaneAnswer(view.reach.name, tuple(items))
            return run.done(answer, hits={one.id: one.relevance for one in items})

    def _view(self, scope: str | None) -> View:
        return View(self._reach(scope), self._clock.now())


def _page_mark(after: str | None) -> tuple[str, str] | None:
    """Return the scope and subject after which a page begins, from the 'next' of the page before."""
    if after is None:
        return None
    scope, mark, subject = replace_undecodable(after).partition(" ")
    if not mark:
        raise InvalidRequest(
            f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use the 'next' of a page"
        )
    return scope, subject


def _masked(text: str, field: str, *, limit: int = MAX_FIELD_CHARS) -> str:
    # Names that are too long are refused, not cut: two of them could become equal.
    return redacted(check_text(text, field, limit=limit)).text


def _everything(within: Reach) -> View:
    return View(within, 0, trusts=tuple(Trust))


def _require_undamaged(damaged: Sequence[DamagedRecord]) -> None:
    """Raise if events are damaged: facts rebuilt without them would be lost or wrong."""
    if damaged:
        raise damaged_error(damaged)


def _ids(events: Sequence[FactEvent]) -> frozenset[FactId]:
    return frozenset(event.fact for event in events)


def _request_facts(subject: str, view: View) -> dict[str, Json]:
    return {**question_facts(replace_undecodable(subject)), "scope": view.reach.name}


def _decided(included: Sequence[SourcedFact], excluded: Sequence[ExcludedFact]) -> dict[str, Json]:
    return {
        "included": [one.fact.id for one in included],
        "excluded": {one.id: one.reason for one in excluded},
    }
