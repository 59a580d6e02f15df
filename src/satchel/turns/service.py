"""Turns: what a host calls before and after a turn of its agent.

A failure never blocks the turn: the answer is then empty and says why.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Annotated, Any

from msgspec.structs import replace

from satchel.core.operations import Param, operation
from satchel.core.parts import Parts
from satchel.core.preflight import check_write, lower_trust, related_rules
from satchel.core.run import OperationRun
from satchel.core.service import Service
from satchel.domain.answers import Stored
from satchel.domain.canonical import digest
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.envelope import Ok
from satchel.domain.host_messages import HostConversation, parse_messages
from satchel.domain.moment import HOUR_MS
from satchel.domain.policies import Policies, ScopePolicy
from satchel.domain.preflight import PreflightStatus, WriteIntent
from satchel.domain.receipt_sections import (
    CapturedEntry,
    QuestionAsked,
    TurnAfterAsked,
    TurnAfterDecided,
    TurnBeforeDecided,
    TurnStartDecided,
)
from satchel.domain.record import Kind, SourceKind, Trust
from satchel.domain.scope import Placement, Reach, in_project, resolve_scope
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View
from satchel.errors import InvalidRequest, Refused, SatchelError
from satchel.recall.recaller import Recaller
from satchel.recall.receipt import candidates_section, recall_warnings, skipped_receipt
from satchel.recall.request import Mode, parse_mode
from satchel.turns import choose
from satchel.turns.block import parse_block
from satchel.turns.evidence import FindObservations
from satchel.turns.extract import CaptureCandidate, TurnMessage, extract
from satchel.turns.opening import open_session
from satchel.turns.prompt_context import PromptContexts, answer_with, lifecycle_section
from satchel.turns.replacements import Replacement, Replacements
from satchel.turns.trace import injected_entries, left_out
from satchel.turns.trivial import triviality
from satchel.turns.values import DISABLED, CapturedTurn, NotKept, TurnAfter, TurnBefore, TurnStart
from satchel.turns.working_set import WorkingSet

# Maximum number of near duplicates that are looked for.
MAX_ALIKE = 100

_Scope = Annotated[
    str | None,
    Param("scope of the turn; auto is the project of the folder; a tag in the text, or the default, if omitted"),
]
_Folder = Annotated[str | None, Param("folder that the host works in, for the scope auto")]


class Turns(Service):
    """Injects memories before a turn, and stores what is worth keeping after it."""

    def __init__(
        self, parts: Parts, recaller: Recaller, store: Callable[..., Ok[Stored]], observations: FindObservations
    ) -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._store = store
        self._observations = observations

    # The start of a session

    @operation("turn start", operator_only=True, own_command=True, takes_host_input=True)
    def start(self, *, scope: _Scope = None, cwd: _Folder = None, host_warnings: Sequence[str] = ()) -> Ok[TurnStart]:
        """Return the block that opens a session: the rules, decisions and preferences of its project.

        Only trusted memories, the most important first, then those for every project. A failure never blocks the session.
        """
        with self._run("turn start") as run:
            try:
                run.warn(*host_warnings)
                placement = resolve_scope(scope, "", self._scope_policy(cwd))
                run.asked = {"scope": placement.scope, "scope_mode": placement.mode}
                if not self._policies.auto_recall.enabled:
                    return run.done(TurnStart("", True, DISABLED, placement.scope))
                return self._open(run, placement)
            except SatchelError as error:
                run.asked, run.decided = {}, {}
                run.warnings = [*host_warnings, f"{error.code}: {error.message}"]
                return run.done(TurnStart("", True, str(error.code), self._policies.scope.default_scope))

    def _open(self, run: OperationRun, placement: Placement) -> Ok[TurnStart]:
        opening = open_session(self._ledger.memories, placement, self._policies, self._clock.now())
        run.considered = {"own": opening.own, "shared": opening.shared}
        run.decided = TurnStartDecided(list(opening.memories), list(opening.dropped))
        reason = None if opening.block else "nothing_relevant"
        started = TurnStart(opening.block, False, reason, placement.scope, opening.memories)
        answer = run.keep_if_enabled(started, opening.memories)
        self._mark_selected(opening.memories)
        return answer

    # Before

    @operation("turn before", operator_only=True, own_command=True, takes_host_input=True)
    def before(
        self,
        prompt: Annotated[str, Param("what the user asks")],
        *,
        scope: _Scope = None,
        messages: Annotated[
            Sequence[Any], Param("the conversation so far: a list of {role, content}, oldest first")
        ] = (),
        mode: Annotated[str, Param("by words, by meaning, or both", choices=Mode)] = "hybrid",
        cwd: _Folder = None,
        host_warnings: Sequence[str] = (),
    ) -> Ok[TurnBefore]:
        """Return the block that goes in front of a prompt.

        A failure never blocks the turn: the block is then empty, and the answer says why.
        """
        with self._run("turn before") as run:
            try:
                conversation, chosen_mode = parse_messages(messages), parse_mode(mode)
                if not isinstance(prompt, str):
                    raise InvalidRequest("prompt must be a text", code="wrong_type")
                run.warn(*host_warnings)
                return self._inject(run, replace_undecodable(prompt), scope, cwd, conversation, chosen_mode)
            except SatchelError as error:
                run.asked, run.considered = {}, {}
                run.warnings = [*host_warnings, f"{error.code}: {error.message}"]
                run.decided = TurnBeforeDecided(skipped_receipt(str(error.code), self._policies.receipts))
                return run.done(TurnBefore("", True, str(error.code), self._policies.scope.default_scope, "none"))

    def _inject(
        self,
        run: OperationRun,
        prompt: str,
        scope: str | None,
        folder: str | None,
        conversation: HostConversation,
        mode: Mode,
    ) -> Ok[TurnBefore]:
        policies = self._policies
        placement = resolve_scope(scope, prompt, self._scope_policy(folder))
        run.asked = QuestionAsked(
            query_digest=digest(prompt), query_chars=len(prompt), scope=placement.scope, scope_mode=placement.mode
        )
        if reason := _reason_to_skip(prompt, policies):
            run.decided = TurnBeforeDecided(skipped_receipt(reason, policies.receipts))
            return run.keep_if_enabled(TurnBefore("", True, reason, placement.scope, mode))
        context = self._contexts.choose(prompt, placement, conversation, mode)
        persisted = self._persist(run, context.working_set, placement.scope)
        run.considered = replace(candidates_section(context.found), mode=mode)
        run.decided = TurnBeforeDecided(
            lifecycle_section(context, policies, persisted=persisted), injected_entries(context), left_out(context)
        )
        if mode is Mode.LEXICAL:
            run.warn("lexical_only: only words were searched")
        run.warn(*context.warnings, *recall_warnings(context.found, policies))
        ids = [hit.memory.id for hit in context.injected]
        answer = run.keep_if_enabled(answer_with(context, placement, mode), ids)
        self._mark_selected([*ids, *answer.result.observations])
        return answer

    def _persist(self, run: OperationRun, working_set: WorkingSet | None, scope: str) -> bool:
        try:
            return self._contexts.persist(working_set, scope)
        except SatchelError as error:
            run.warn(f"working_set_not_stored: {error.message}")
            return False

    @cached_property
    def _contexts(self) -> PromptContexts:
        return PromptContexts(self._parts, self._recaller, self._observations)

    def _scope_policy(self, folder: str | None) -> ScopePolicy:
        policy = self._policies.scope
        return policy if folder is None else in_project(policy, self._parts.project_of(folder))

    # After

    @operation("turn after", writes=True, operator_only=True, own_command=True, takes_host_input=True)
    def after(
        self,
        messages: Annotated[Sequence[Any], Param("the conversation so far: a list of {role, content}, oldest first")],
        *,
        scope: _Scope = None,
        session: Annotated[str | None, Param("session the turn belongs to")] = None,
        cwd: _Folder = None,
        host_warnings: Sequence[str] = (),
    ) -> Ok[TurnAfter]:
        """Store the preferences and decisions of a turn.

        Only the user's own words are read; secrets, tool output and injected memories are left out.
        """
        with self._run("turn after", writes=True) as run:
            try:
                run.warn(*host_warnings)
                home = resolve_scope(scope, "", self._scope_policy(cwd))
                if home.invalid:
                    run.warn(f"scope_invalid: the scope name is not valid; '{home.scope}' was used")
                return self._store_candidates(run, parse_messages(messages), home.scope, session)
            except SatchelError as error:
                run.asked, run.decided = {}, {}
                run.warnings = [*host_warnings, f"{error.code}: {error.message}"]
                return run.done(TurnAfter((), True, str(error.code), self._policies.scope.default_scope))

    def _store_candidates(
        self, run: OperationRun, conversation: HostConversation, scope: str, session: str | None
    ) -> Ok[TurnAfter]:
        policy = self._policies.auto_capture
        if not policy.enabled:
            return run.done(TurnAfter((), True, DISABLED, scope))
        extraction = extract([TurnMessage(one.role, one.blocks) for one in conversation.messages], policy)
        recalled = [entry.text for text in conversation.texts for entry in parse_block(text)]
        chosen = choose.choose(extraction, policy, recalled=recalled, is_stored=lambda one: self._is_stored(one, scope))
        not_kept = list[NotKept]()
        captured = tuple(self._capture(run, one, scope, session, not_kept) for one in chosen.kept)
        stored = sum(one.action == "created" for one in captured)
        run.asked = TurnAfterAsked(scope, len(conversation.messages))
        run.decided = TurnAfterDecided(
            auto_capture=choose.receipt(chosen, self._policies.receipts.verbosity, stored),
            captured=[CapturedEntry(one.id, one.action, one.kind, one.cue) for one in captured],
            markers=choose.todo_markers(chosen),
        )
        run.warn(*(_unclear_rule(one) for one in captured if one.could_replace))
        run.warn(*(_contradiction(one) for one in captured if one.contradicts))
        run.warn(*map(_not_kept, not_kept))
        return run.keep_if_enabled(TurnAfter(captured, False, None, scope, tuple(not_kept)))

    def _capture(
        self, run: OperationRun, one: CaptureCandidate, scope: str, session: str | None, not_kept: list[NotKept]
    ) -> CapturedTurn:
        """Store a candidate. What an error prevents is added to `not_kept`: the other candidates are stored all the same."""
        placement = resolve_scope(one.scope if one.scope is not None else scope, "", self._policies.scope)
        try:
            return self._stored(run, one, placement, session, not_kept)
        except SatchelError as error:
            if not isinstance(error, (InvalidRequest, Refused)):
                not_kept.append(NotKept(one.cue, str(error.code)))
            return CapturedTurn(None, str(error.code), one.kind, placement.scope, None, one.cue)

    def _stored(
        self,
        run: OperationRun,
        one: CaptureCandidate,
        placement: Placement,
        session: str | None,
        not_kept: list[NotKept],
    ) -> CapturedTurn:
        intent = WriteIntent(one.text, SourceKind.OPERATOR, Trust.TRUSTED, placement.scope, one.kind, one.importance)
        verdict = check_write(
            intent, related_rules(one.text, placement.scope, self._ledger.memories, self._clock.now())
        )
        if verdict.status is PreflightStatus.REJECTED:
            return CapturedTurn(None, verdict.reasons[0].code, one.kind, placement.scope, None, one.cue)
        trust = lower_trust(verdict, Trust.TRUSTED)
        replacement = self._replacements.find(one, placement) if trust is Trust.TRUSTED else Replacement()
        answer = self._store(
            one.text,
            scope=placement.scope,
            kind=one.kind,
            importance=one.importance,
            trust=trust,
            source_ref="turn",
            session=session,
            replaces=replacement.replaced,
        )
        try:
            self._link(answer.result, replacement)
        except SatchelError as error:
            not_kept.append(NotKept(one.cue, str(error.code), "link"))
        run.warn(*(warning for warning in answer.receipt.warnings if warning not in run.warnings))
        stored = answer.result
        return CapturedTurn(
            stored.id,
            stored.action,
            one.kind,
            stored.scope,
            stored.trust,
            one.cue,
            stored.replaced,
            replacement.candidates,
            replacement.contradicted,
        )

    @cached_property
    def _replacements(self) -> Replacements:
        return Replacements(self._parts, self._recaller)

    def _link(self, stored: Stored, replacement: Replacement) -> None:
        """Link a new memory with what it could replace or contradicts, until a person decides."""
        if stored.action == "created":
            now, type = self._clock.now(), EdgeType.CONTRADICTS
            self._ledger.edges.put(
                [MemoryEdge(stored.id, old, type, created_at=now) for old in replacement.linked if old != stored.id]
            )

    def _is_stored(self, one: CaptureCandidate, scope: str) -> bool:
        """Return whether the store has a candidate already; for a todo, whether a recent one."""
        name = resolve_scope(one.scope if one.scope is not None else scope, "", self._policies.scope).scope
        view = View(Reach((name,)), self._clock.now())
        alike = self._ledger.memories.near_duplicates(one.text, view, MAX_ALIKE)
        if one.kind is not Kind.TODO:
            return bool(alike)
        since = self._clock.now() - self._policies.auto_capture.todo_dedupe_window_hours * HOUR_MS
        return any(memory.kind is Kind.TODO and memory.created_at >= since for memory in alike)


def _reason_to_skip(prompt: str, policies: Policies) -> str | None:
    policy = policies.auto_recall
    if not policy.enabled:
        return DISABLED
    if not prompt.strip():
        return "no_query"
    trivial = policy.skip_trivial_prompts and triviality(prompt, policy.trivial_min_chars)
    return "trivial_prompt" if trivial else None


def _unclear_rule(one: CapturedTurn) -> str:
    return (
        f"rule_unclear: it could not be told which rule {one.id} replaces; it could be {', '.join(one.could_replace)}"
    )


def _not_kept(one: NotKept) -> str:
    return f"not_kept: an error kept the {one.what} of '{one.cue}' from being stored ({one.code})"


def _contradiction(one: CapturedTurn) -> str:
    return (
        f"contradicts: {one.id} contradicts {', '.join(one.contradicts)} without saying that it replaces it; "
        "'satchel conflicts' lists both"
    )
