"""Facts: what is true of a subject, since when, and which sources say so."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import AllScopes, DryRun, Param, Scope, operation
from satchel.core.parts import Parts
from satchel.core.service import Service, page_size
from satchel.domain.arguments import check_range
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.facts import AssertionRef, Confidence, FactId, ObjectType, SourcedFact
from satchel.domain.graph_answers import A_PERSON
from satchel.domain.moment import iso, parse_moment, parse_time
from satchel.domain.ranking import LaneAnswer
from satchel.domain.receipt import question_facts
from satchel.domain.safety.redact import redacted
from satchel.domain.sentences import unquoted_sentences
from satchel.domain.text import MAX_FIELD_CHARS, MAX_TEXT_CHARS, check_text, replace_undecodable
from satchel.domain.view import View
from satchel.errors import InvalidRequest, NotFound
from satchel.facts.assertions import draft_fact, parse_source_ref
from satchel.facts.lint import lint_facts
from satchel.facts.packing import pack_facts
from satchel.facts.people import KnownPeople, is_person, without_people
from satchel.facts.predicates import PREDICATES, require_predicate
from satchel.facts.proposals import propose_facts
from satchel.facts.reading import current_facts, everything, facts_about, is_known, search_facts
from satchel.facts.recording import full_source, list_stale, rebuild_view, record_assertion, record_end
from satchel.facts.replay import recorded_ids
from satchel.facts.selection import fact_record, trust_of
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
    Proposed,
    RebuiltFacts,
    Registry,
    StaleFacts,
)
from satchel.recall.request import Mode, parse_question

DEFAULT_BUDGET_TOKENS = 1_200
DEFAULT_MAX_ITEMS = 20
MAX_BUDGET_TOKENS = 100_000
MAX_ITEMS = 200

_Subject = Annotated[str, Param("subject of the fact, exactly as spelled", positional=True)]
_Predicate = Annotated[str | None, Param("only this predicate, or an alias of it")]
_AsOf = Annotated[
    str | None,
    Param("when it is true: yesterday or 2026-12-31, at the end of that day, or with a time; now if omitted"),
]


class Facts(Service):
    """Takes assertions and answers what is true. A fact whose sources are gone, changed or retired does not count."""

    def __init__(self, parts: Parts, people: KnownPeople) -> None:
        super().__init__(parts)
        self._people = people

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
            Param(
                "its source: the id of a memory, observation, message or receipt, or KIND:ID#PLACE; a short id works too",
                flag="source",
            ),
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
            superseded = tuple(map(FactId, supersedes))
            return record_assertion(run, draft, within, ref, superseded, self._parts, dry_run=dry_run)

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
                    "a retracted fact cannot have an end", code="conflicting_params", hint="give --at or --retract"
                )
            moment = None if retract else self._clock.now() if at is None else parse_moment(at, "at")
            masked_reason = None if reason is None else _masked(reason, "reason")
            return record_end(run, id, within, moment, masked_reason, self._parts, dry_run=dry_run)

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
        """List the facts whose sources are gone, changed or retired.

        A stale fact does not count, marked or not. Reading or packing a source makes no fact stale.
        """
        within = self._reach(scope, all_scopes)
        with self._run("fact stale", {"scope": within.name, "apply": apply}, writes=apply) as run:
            return list_stale(run, within, self._parts, apply=apply)

    @operation("fact rebuild", writes=True, idempotent=True, operator_only=True, examples=("satchel fact rebuild",))
    def rebuild(self) -> Ok[RebuiltFacts]:
        """Rebuild the view of facts from the assertions."""
        with self._run("fact rebuild", writes=True) as run:
            return rebuild_view(run, self._parts)

    # Reading

    @operation("fact current", examples=("satchel fact current payments --as-of 2026-02-01 --known-at 2026-02-15",))
    def current(
        self,
        subject: _Subject,
        *,
        predicate: _Predicate = None,
        as_of: _AsOf = None,
        known_at: Annotated[str | None, Param("as known at this time; as known now if omitted")] = None,
        include_stale: Annotated[bool, Param("include facts whose sources are gone, changed or retired")] = False,
        scope: Scope = None,
    ) -> Ok[CurrentFacts]:
        """Show what is true of a subject, now or at another time."""
        view = self._view(scope)
        with self._run("fact current") as run:
            moment = (
                view.now if as_of is None else parse_time(as_of, "as_of", view.now, end_of_day=True, utc_dates=True)
            )
            learned = (
                None
                if known_at is None
                else parse_time(known_at, "known_at", view.now, end_of_day=True, utc_dates=True)
            )
            current, excluded = current_facts(
                self._ledger.facts,
                subject,
                view,
                moment,
                known_at=learned,
                include_stale=include_stale,
                predicate=predicate,
            )
            run.asked = _request_facts(subject, view) | {"as_of": moment, "known_at": learned}
            run.decided = _decided(current, excluded)
            people = self._people(view.reach)
            answer = CurrentFacts(
                _shown(subject, people),
                view.reach.name,
                iso(moment),
                None if learned is None else iso(learned),
                tuple(fact_record(without_people(one, people)) for one in current),
                tuple(excluded),
            )
            return run.done(answer)

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
                for one in facts_about(self._ledger.facts, subject, view)
                if trust_of(one) in view.trusts and name in (None, one.fact.assertion.predicate)
            ]
            run.asked = _request_facts(subject, view) | {"predicate": name}
            people = self._people(view.reach)
            shown = tuple(fact_record(without_people(one, people)) for one in facts)
            timeline = FactTimeline(_shown(subject, people), view.reach.name, shown)
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
            stored, view = self._ledger.facts, everything(within)
            facts = stored.walk(view) if name is None else stored.of_subject(name, view)
            problems = tuple(lint_facts(facts, recorded_ids(stored.events(within, name))))
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
        with self._run("fact pack", for_prompt=True) as run:
            check_range(budget_tokens, "budget_tokens", 1, MAX_BUDGET_TOKENS)
            check_range(max_items, "max_items", 1, MAX_ITEMS)
            moment = (
                view.now if as_of is None else parse_time(as_of, "as_of", view.now, end_of_day=True, utc_dates=True)
            )
            current, excluded = current_facts(self._ledger.facts, subject, view, moment)
            people = self._people(view.reach)
            current = [without_people(one, people) for one in current]
            pack, trace, chosen = pack_facts(
                current, excluded, _shown(subject, people), view.reach.name, view.now, budget_tokens, max_items
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
            ref = full_source(parse_source_ref(source), view.reach, self._parts)
            text = self._ledger.facts.text_of(ref, view)
            if text is None:
                raise NotFound(f"no source {ref.ref[:80]!r} in {view.reach}", hint="name its scope with --scope")
            proposed = tuple(
                replace(one, known=is_known(self._ledger.facts, one, view))
                for one in propose_facts(redacted(text).text, unquoted_sentences)
            )
            run.asked = {"source": ref.ref, "scope": view.reach.name}
            answer = Proposed(ref, view.reach.name, proposed)
            return run.done(answer, proposals=len(proposed), writes_performed=False)

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
            items = search_facts(self._ledger.facts, question.terms, view, page_size(limit), self._people)
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


def _shown(subject: str, people: AbstractSet[str]) -> str:
    return A_PERSON if is_person(subject, people) else replace_undecodable(subject)


def _request_facts(subject: str, view: View) -> dict[str, Json]:
    return {**question_facts(replace_undecodable(subject)), "scope": view.reach.name}


def _decided(included: Sequence[SourcedFact], excluded: Sequence[ExcludedFact]) -> dict[str, Json]:
    return {
        "included": [one.fact.id for one in included],
        "excluded": {one.id: one.reason for one in excluded},
    }
