"""Temporal facts: what is true of a subject, since when, as known when, and what says so."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import AllScopes, DryRun, Param, Scope, operation
from satchel.core.service import Service, page_size
from satchel.domain.amount import amount
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
from satchel.domain.lane import LaneAnswer, LaneItem
from satchel.domain.moment import iso, parse_moment
from satchel.domain.receipt import question_facts
from satchel.domain.record import Trust
from satchel.domain.safety.injection import injections
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.sentences import unquoted_sentences
from satchel.domain.text import MAX_FIELD_CHARS, MAX_TEXT_CHARS, checked, readable
from satchel.domain.view import View
from satchel.domain.words import text_terms
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.facts.assertions import FactDraft, confidence_cap, draft_fact, make_assertion, parse_source_ref
from satchel.facts.lint import lint_facts
from satchel.facts.packing import fact_line, pack_facts
from satchel.facts.predicates import PREDICATES, require_predicate
from satchel.facts.proposals import propose_facts
from satchel.facts.replay import next_start, replay, superseded_ends
from satchel.facts.selection import fact_record, select_current, trust_of
from satchel.facts.values import (
    Asserted,
    CurrentFacts,
    Ended,
    ExcludedFact,
    FactPack,
    FactTimeline,
    Linted,
    PredicateRow,
    Proposal,
    Proposed,
    RebuiltFacts,
    Registry,
    StaleFacts,
)
from satchel.recall import relevance
from satchel.recall.question import Mode, ask

DEFAULT_BUDGET_TOKENS = 1_200
DEFAULT_MAX_ITEMS = 20
MAX_BUDGET_TOKENS = 100_000
MAX_ITEMS = 200


_Subject = Annotated[str, Param("subject of the fact, exactly as spelled", positional=True)]
_Predicate = Annotated[str | None, Param("only this predicate, or an alias of it")]
_AsOf = Annotated[str | None, Param("when it is true: 2026-12-31, or with a time; now if omitted")]


class Facts(Service):
    """Assertions in, what is true out. A fact is never more than its sources: without them it counts for nothing."""

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
        self._require_writable()
        started, within = self._clock.ticks(), self._reach(scope)
        interval = (
            self._clock.now() if valid_from is None else parse_moment(valid_from, "from"),
            None if valid_to is None else parse_moment(valid_to, "to"),
        )
        said = draft_fact(
            _masked(subject, "subject"),
            None if label is None else _masked(label, "label"),
            predicate,
            _masked(object, "object", limit=None),
            object_type,
            sources,
            interval,
            confidence,
        )
        ref = AssertionRef("explicit", checked(assertion_ref or self._parts.actor, "assertion_ref"))
        with self._ledger.memories.transaction():
            return self._assert(said, within, ref, tuple(map(FactId, supersedes)), dry_run, started)

    def _assert(
        self,
        said: FactDraft,
        within: Reach,
        ref: AssertionRef,
        named: Sequence[FactId],
        dry_run: bool,
        started: float,
    ) -> Ok[Asserted]:
        scope, resolved = within.scopes[0], self._ledger.facts.resolve(said.sources, within)
        events = self._ledger.facts.events(within, said.subject.ref)
        known = replay(events)
        new = _judged(make_assertion(said, scope, resolved, ref, self._parts.actor))
        ceiling = confidence_cap(
            [(one, now) for one, now in zip(said.sources, resolved, strict=True) if now is not None]
        )
        if (same := known.get(new.id)) is not None:
            return self._repeated(same, started, ceiling)
        end = (
            next_start(said.valid_from, list(known.values()), said.predicate)
            if said.valid_to is None
            else said.valid_to
        )
        if end != said.valid_to:
            new = _judged(make_assertion(replace(said, valid_to=end), scope, resolved, ref, self._parts.actor))
            if (same := known.get(new.id)) is not None:
                return self._repeated(same, started, ceiling)
        if any(event.fact == new.id for event in events):
            raise Conflict(f"{new.id} was forgotten with its source", code="fact_forgotten", hint="assert it anew")
        _require_rivals(named, new, known)
        ends = superseded_ends(new, said.predicate, list(known.values()), named)
        event = self._event(FactAction.ASSERT, new, assertion=new, closes=ends)
        after = replay([*events, event])
        changed = [after[id] for id in (*sorted(ends), new.id) if id in after]
        receipt = self._receipt(
            "fact assert",
            started,
            asked={"scope": scope, "predicate": new.predicate, "sources": [one.ref for one in new.source_refs]},
            decided={
                "id": new.id,
                "action": "planned" if dry_run else "created",
                "confidence": new.confidence_tier,
                "cap": ceiling,
                "trust": new.trust,
                "supersedes": sorted(ends),
            },
        )
        (shown,) = self._ledger.facts.with_sources([after[new.id]])
        if dry_run:
            return Ok(Asserted("planned", fact_record(shown), ceiling, writes_performed=False), receipt)
        self._ledger.facts.commit([event], changed, receipt)
        return Ok(Asserted("created", fact_record(shown), ceiling, writes_performed=True), self._kept(receipt, started))

    def _repeated(self, fact: Fact, started: float, ceiling: Confidence) -> Ok[Asserted]:
        """Answer an assertion that was made before, unless it has ended since."""
        if fact.stored_status in (FactStatus.INVALIDATED, FactStatus.RETRACTED):
            raise Conflict(
                f"{fact.id} was {fact.stored_status}", code="fact_ended", hint="assert it with another --from"
            )
        (kept,) = self._ledger.facts.with_sources([fact])
        receipt = self._receipt(
            "fact assert",
            started,
            asked={"scope": fact.assertion.scope},
            decided={"id": fact.id, "action": "duplicate"},
        )
        return Ok(Asserted("duplicate", fact_record(kept), ceiling, writes_performed=False), receipt)

    @operation("fact invalidate", writes=True, operator_only=True)
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
        self._require_writable()
        started, within = self._clock.ticks(), self._reach(scope)
        if retract and at is not None:
            raise InvalidRequest("what never was true has no end", code="conflicting_params", hint="--at or --retract")
        moment = None if retract else self._clock.now() if at is None else parse_moment(at, "at")
        why = None if reason is None else _masked(reason, "reason")
        with self._ledger.memories.transaction():
            fact = self._known(id, within).fact
            if fact.stored_status is FactStatus.RETRACTED or (
                fact.stored_status is FactStatus.INVALIDATED and not retract
            ):
                raise Conflict(f"{fact.id} was {fact.stored_status} already", code="fact_ended")
            if moment is not None and moment < fact.assertion.valid_from:
                raise InvalidRequest(
                    "it would end before it began",
                    code="interval_invalid",
                    hint="--retract says that it never was true",
                )
            deed = FactAction.RETRACT if retract else FactAction.INVALIDATE
            event = self._event(deed, fact.assertion, moment=moment, reason=why)
            events = self._ledger.facts.events(within, fact.assertion.subject.ref)
            after = replay([*events, event])[fact.id]
            facts: dict[str, Json] = {"id": fact.id, "status": after.stored_status, "dry_run": dry_run}
            receipt = self._receipt("fact invalidate", started, asked={"scope": within.name}, decided=facts)
            (shown,) = self._ledger.facts.with_sources([after])
            if dry_run:
                return Ok(Ended(fact_record(shown), writes_performed=False), receipt)
            self._ledger.facts.commit([event], [after], receipt)
            return Ok(Ended(fact_record(shown), writes_performed=True), self._kept(receipt, started))

    @operation("fact stale", writes=True, idempotent=True, operator_only=True)
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
        started, within = self._clock.ticks(), self._reach(scope, all_scopes)
        if apply:
            self._require_writable()
            with self._ledger.memories.transaction():
                return self._stale(within, started, apply=True)
        return self._stale(within, started, apply=False)

    def _stale(self, within: Reach, started: float, *, apply: bool) -> Ok[StaleFacts]:
        facts = [one for one in self._ledger.facts.walk(_whole(within)) if one.status is FactStatus.STALE]
        due = [one.fact for one in facts if one.fact.stored_status is FactStatus.ACTIVE]
        ids: list[Json] = [one.fact.id for one in facts]
        asked: dict[str, Json] = {"scope": within.name, "apply": apply}
        receipt = self._receipt("fact stale", started, asked=asked, decided={"ids": ids})
        if apply and due:
            events = [self._event(FactAction.STALE, fact.assertion) for fact in due]
            after = [replace(fact, stored_status=FactStatus.STALE) for fact in due]
            self._ledger.facts.commit(events, after, receipt)
            receipt = self._kept(receipt, started)
        applied = len(due) if apply else 0
        listed = tuple(map(fact_record, facts))
        return Ok(StaleFacts(within.name, listed, applied, writes_performed=bool(applied)), receipt)

    @operation("fact rebuild", writes=True, idempotent=True, operator_only=True)
    def rebuild(self) -> Ok[RebuiltFacts]:
        """Rebuild the view of facts from the assertions."""
        self._require_writable()
        started = self._clock.ticks()
        with self._ledger.memories.transaction():
            events = self._ledger.facts.events(EVERYWHERE)
            facts = list(replay(events).values())
            misnamed = sum(
                one.code == "misnamed" for one in lint_facts(self._ledger.facts.with_sources(facts), _ids(events))
            )
            decided: dict[str, Json] = {"events": len(events), "facts": len(facts), "misnamed": misnamed}
            receipt = self._receipt("fact rebuild", started, asked={}, decided=decided)
            changed = self._ledger.facts.replace_view(facts, receipt)
        return Ok(RebuiltFacts(len(events), len(facts), changed, misnamed), self._kept(receipt, started))

    def _event(
        self,
        deed: FactAction,
        about: Assertion,
        *,
        assertion: Assertion | None = None,
        closes: dict[FactId, int] | None = None,
        moment: int | None = None,
        reason: str | None = None,
    ) -> FactEvent:
        return FactEvent(
            deed,
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
        started, view = self._clock.ticks(), View(self._reach(scope), self._clock.now())
        moment = view.now if as_of is None else parse_moment(as_of, "as_of")
        learned = None if known_at is None else parse_moment(known_at, "known_at")
        current, excluded = self._current(subject, view, moment, learned, include_stale, predicate)
        answer = CurrentFacts(
            readable(subject),
            view.reach.name,
            iso(moment),
            None if learned is None else iso(learned),
            tuple(map(fact_record, current)),
            tuple(excluded),
        )
        receipt = self._receipt(
            "fact current",
            started,
            asked={**question_facts(readable(subject)), "scope": view.reach.name, "as_of": moment, "known_at": learned},
            decided=_decided(current, excluded),
        )
        return Ok(answer, receipt)

    def _current(
        self,
        subject: str,
        view: View,
        moment: int,
        known_at: int | None,
        include_stale: bool,
        predicate: str | None = None,
    ) -> tuple[list[SourcedFact], list[ExcludedFact]]:
        facts = self._said_of(subject, view, known_at)
        if predicate is not None:
            name = require_predicate(predicate).name
            facts = [one for one in facts if one.fact.assertion.predicate == name]
        return select_current(facts, moment, view.trusts, include_stale=include_stale)

    def _said_of(self, subject: str, view: View, known_at: int | None) -> list[SourcedFact]:
        name = readable(subject)
        if known_at is None:
            return self._ledger.facts.of_subject(name, view)
        events = self._ledger.facts.events(view.reach, name, known_at)
        return self._ledger.facts.with_sources(list(replay(events).values()))

    @operation("fact timeline")
    def timeline(self, subject: _Subject, *, predicate: _Predicate = None, scope: Scope = None) -> Ok[FactTimeline]:
        """Show every fact about a subject, by when it was true."""
        started, view = self._clock.ticks(), View(self._reach(scope), self._clock.now())
        name = None if predicate is None else require_predicate(predicate).name
        facts = [
            one
            for one in self._said_of(subject, view, None)
            if trust_of(one) in view.trusts and name in (None, one.fact.assertion.predicate)
        ]
        shown = FactTimeline(readable(subject), view.reach.name, tuple(map(fact_record, facts)))
        asked: dict[str, Json] = {**question_facts(readable(subject)), "scope": view.reach.name, "predicate": name}
        receipt = self._receipt("fact timeline", started, asked=asked, decided={"ids": [one.id for one in shown.facts]})
        return Ok(shown, receipt)

    @operation("fact lint", operator_only=True)
    def lint(self, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[Linted]:
        """Check facts: vocabulary, intervals, sources, contradictions."""
        started, within = self._clock.ticks(), self._reach(scope, all_scopes)
        facts = self._ledger.facts.walk(_whole(within))
        found = tuple(lint_facts(facts, _ids(self._ledger.facts.events(within))))
        errors = sum(one.severity == "error" for one in found)
        linted = Linted(within.name, len(facts), errors, len(found) - errors, found)
        decided: dict[str, Json] = {"checked": len(facts), "errors": errors, "warnings": linted.warnings}
        return Ok(linted, self._receipt("fact lint", started, asked={"scope": within.name}, decided=decided))

    @operation("fact pack")
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
        started, view = self._clock.ticks(), View(self._reach(scope), self._clock.now())
        amount(budget_tokens, "budget_tokens", 1, MAX_BUDGET_TOKENS)
        amount(max_items, "max_items", 1, MAX_ITEMS)
        moment = view.now if as_of is None else parse_moment(as_of, "as_of")
        current, excluded = self._current(subject, view, moment, None, include_stale=False)
        pack, trace, chosen = pack_facts(
            current, excluded, readable(subject), view.reach.name, view.now, budget_tokens, max_items
        )
        asked: dict[str, Json] = {
            **question_facts(readable(subject)),
            "scope": view.reach.name,
            "budget_tokens": budget_tokens,
            "max_items": max_items,
        }
        decided = _decided(chosen, excluded) | {"considered": len(current)}
        return Ok(FactPack(pack, trace), self._receipt("fact pack", started, asked=asked, decided=decided))

    @operation("fact propose", operator_only=True)
    def propose(
        self,
        source: Annotated[str, Param("id of a memory, observation or message", positional=True)],
        *,
        scope: Scope = None,
    ) -> Ok[Proposed]:
        """List facts that a source seems to state, without asserting any."""
        started, view = self._clock.ticks(), View(self._reach(scope), self._clock.now())
        ref = parse_source_ref(source)
        text = self._ledger.facts.text_of(ref, view)
        if text is None:
            raise NotFound(f"no source {ref.ref[:80]!r} in {view.reach}", hint="name its scope with --scope")
        found = propose_facts(redacted(text).text, unquoted_sentences)
        proposed = tuple(
            Proposal(
                one.subject, one.predicate, one.object, one.sentence, one.rule, self._is_known(one.subject, one.predicate, one.object, view)
            )
            for one in found
        )  # fmt: skip
        decided: dict[str, Json] = {"proposals": len(proposed), "writes_performed": False}
        receipt = self._receipt(
            "fact propose", started, asked={"source": ref.ref, "scope": view.reach.name}, decided=decided
        )
        return Ok(Proposed(ref, view.reach.name, proposed), receipt)

    def _is_known(self, subject: str, predicate: str, value: str, view: View) -> bool:
        current, _ = self._current(subject, view, view.now, None, include_stale=False, predicate=predicate)
        return any(one.fact.assertion.object.value == value for one in current)

    @operation("fact registry")
    def registry(self) -> Ok[Registry]:
        """List the predicates a fact may use."""
        rows = tuple(
            PredicateRow(one.name, one.cardinality, tuple(one.object_types), one.aliases) for one in PREDICATES
        )
        decided: dict[str, Json] = {"predicates": len(rows)}
        return Ok(Registry(rows), self._receipt("fact registry", self._clock.ticks(), asked={}, decided=decided))

    @operation("fact search")
    def search(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        limit: Annotated[int, Param("how many to return, 1 to 50")] = 8,
    ) -> Ok[LaneAnswer]:
        """Find current facts by their words."""
        started, view = self._clock.ticks(), View(self._reach(scope), self._clock.now())
        question = ask(query, Mode.LEXICAL, limit)
        found = [
            one
            for one in self._ledger.facts.match(question.terms, view, page_size(limit))
            if trust_of(one) in view.trusts
        ]
        weights = self._weights(question.terms)
        items = [
            LaneItem(
                id=one.fact.id,
                text=fact_line(one),
                relevance=relevance.of_hit(question.terms, text_terms(fact_line(one)), None, None, weights),
                trust=trust_of(one),
                citations=tuple(f"{ref.kind}:{ref.ref}" for ref in one.fact.assertion.source_refs),
                kind="fact",
                at=one.fact.created_at,
            )
            for one in found
        ]
        items.sort(key=lambda item: (-item.relevance, item.id))
        asked: dict[str, Json] = {**question_facts(question.text), "scope": view.reach.name, "limit": limit}
        receipt = self._receipt(
            "fact search", started, asked=asked, decided={"hits": {one.id: one.relevance for one in items}}
        )
        return Ok(LaneAnswer(view.reach.name, tuple(items)), receipt)

    def _weights(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how telling each term is among facts: one that many of them hold says little."""
        frequencies = self._ledger.facts.frequencies(terms)
        return relevance.weights(frequencies.holding, frequencies.records)

    def _known(self, id: str, within: Reach) -> SourcedFact:
        found = self._ledger.facts.find(FactId(readable(id)), within)
        if found is None:
            raise NotFound(f"no fact {id[:80]!r} in {within}", hint="name its scope with --scope")
        return found


def _masked(text: str, field: str, *, limit: int | None = MAX_FIELD_CHARS) -> str:
    """Return a text without its secrets. Over-long names are refused, not cut: two of them could become one."""
    return redacted(checked(text, field, limit=limit or MAX_TEXT_CHARS)).text


def _judged(new: Assertion) -> Assertion:
    """Keep what gives orders to an agent out of every prompt, however it is sourced."""
    words = f"{new.subject.ref}\n{new.subject.label}\n{new.object.value}"
    return replace(new, trust=Trust.QUARANTINED) if injections(words) else new


def _whole(within: Reach) -> View:
    return View(within, 0, trusts=tuple(Trust))


def _ids(events: Sequence[FactEvent]) -> frozenset[FactId]:
    return frozenset(event.fact for event in events)


def _require_rivals(named: Sequence[FactId], new: Assertion, known: Mapping[FactId, Fact]) -> None:
    """A fact supersedes only what was said of the same subject in the same word."""
    for id in named:
        if id not in known or known[id].assertion.predicate != new.predicate:
            raise InvalidRequest(
                f"{id[:80]!r} says nothing of this subject with {new.predicate}",
                code="unresolved_supersedes",
                hint="satchel fact timeline SUBJECT lists what there is",
            )


def _decided(included: Sequence[SourcedFact], excluded: Sequence[ExcludedFact]) -> dict[str, Json]:
    return {
        "included": [one.fact.id for one in included],
        "excluded": {one.id: one.reason for one in excluded},
    }
