"""Turns: what a host calls before and after a turn of its agent.

A failure never blocks the turn: the answer is then empty and says why.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from msgspec.structs import replace

from satchel.core.operations import Param, operation
from satchel.core.service import Service
from satchel.domain.canonical import digest
from satchel.domain.envelope import Ok
from satchel.domain.host_messages import HostConversation, parse_messages
from satchel.domain.policies import Policies, ScopePolicy
from satchel.domain.receipt_sections import (
    QuestionAsked,
    TurnBeforeDecided,
    TurnStartDecided,
)
from satchel.domain.scope import Placement, in_project, resolve_scope
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, SatchelError
from satchel.recall.receipt import candidates_section, recall_warnings, skipped_receipt
from satchel.recall.request import Mode, parse_mode
from satchel.turns.opening import open_session
from satchel.turns.prompt_context import PromptContexts, answer_with, lifecycle_section
from satchel.turns.trace import injected_entries, left_out
from satchel.turns.trivial import triviality
from satchel.turns.values import DISABLED, TurnAfter, TurnBefore, TurnStart

if TYPE_CHECKING:
    from satchel.core.parts import Parts
    from satchel.core.run import OperationRun
    from satchel.domain.answers import Stored
    from satchel.recall.recaller import Recaller
    from satchel.turns.capturing import TurnCapture
    from satchel.turns.evidence import FindObservations
    from satchel.turns.working_set import WorkingSet

_Scope = Annotated[
    str | None,
    Param("scope of the turn; auto is the project of the folder; a tag in the text, or the default, if omitted"),
]
_Folder = Annotated[str | None, Param("folder that the host works in, for the scope auto")]


class Turns(Service):
    """Injects memories before a turn, and stores what is worth keeping after it."""

    def __init__(
        self,
        parts: "Parts",
        recaller: "Recaller",
        store: "Callable[..., Ok[Stored]]",
        observations: "FindObservations",
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
        with self._run("turn start", for_prompt=True) as run:
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

    def _open(self, run: "OperationRun", placement: Placement) -> Ok[TurnStart]:
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
        with self._run("turn before", for_prompt=True) as run:
            try:
                conversation, chosen_mode = parse_messages(messages), parse_mode(mode)
                if not isinstance(prompt, str):
                    raise InvalidRequest("prompt must be a string", code="wrong_type")
                run.warn(*host_warnings)
                return self._inject(run, replace_undecodable(prompt), scope, cwd, conversation, chosen_mode)
            except SatchelError as error:
                run.asked, run.considered = {}, {}
                run.warnings = [*host_warnings, f"{error.code}: {error.message}"]
                run.decided = TurnBeforeDecided(skipped_receipt(str(error.code), self._policies.receipts))
                return run.done(TurnBefore("", True, str(error.code), self._policies.scope.default_scope, "none"))

    def _inject(
        self,
        run: "OperationRun",
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

    def _persist(self, run: "OperationRun", working_set: "WorkingSet | None", scope: str) -> bool:
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
                return self._capturing.capture(run, parse_messages(messages), home.scope, session)
            except SatchelError as error:
                run.asked, run.decided = {}, {}
                run.warnings = [*host_warnings, f"{error.code}: {error.message}"]
                return run.done(TurnAfter((), True, str(error.code), self._policies.scope.default_scope))

    @cached_property
    def _capturing(self) -> "TurnCapture":
        # A turn begins more often than it leaves something to store, and its host waits then.
        from satchel.turns.capturing import TurnCapture

        return TurnCapture(self._parts, self._recaller, self._store)


def _reason_to_skip(prompt: str, policies: Policies) -> str | None:
    policy = policies.auto_recall
    if not policy.enabled:
        return DISABLED
    if not prompt.strip():
        return "no_query"
    trivial = policy.skip_trivial_prompts and triviality(prompt, policy.trivial_min_chars)
    return "trivial_prompt" if trivial else None
