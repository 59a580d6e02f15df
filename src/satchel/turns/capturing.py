"""Store what is worth keeping of a turn: candidates are checked, compared with what is stored, and linked with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from satchel.core.preflight import check_write, lower_trust, related_rules
from satchel.core.service import Service
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.moment import HOUR_MS
from satchel.domain.preflight import PreflightStatus, WriteIntent
from satchel.domain.receipt_sections import CapturedEntry, TurnAfterAsked, TurnAfterDecided
from satchel.domain.record import Kind, SourceKind, Trust
from satchel.domain.scope import Placement, Reach, resolve_scope
from satchel.domain.view import View
from satchel.errors import InvalidRequest, Refused, SatchelError
from satchel.turns import choose
from satchel.turns.block import parse_block
from satchel.turns.extract import CaptureCandidate, TurnMessage, extract
from satchel.turns.replacements import Replacement, Replacements
from satchel.turns.values import DISABLED, CapturedTurn, NotKept, TurnAfter

if TYPE_CHECKING:
    from satchel.core.parts import Parts
    from satchel.core.run import OperationRun
    from satchel.domain.answers import Stored
    from satchel.domain.envelope import Ok
    from satchel.domain.host_messages import HostConversation
    from satchel.recall.recaller import Recaller

# Maximum number of near duplicates that are looked for.
MAX_ALIKE = 100


class TurnCapture(Service):
    """Stores the preferences and decisions that a conversation contains."""

    def __init__(self, parts: Parts, recaller: Recaller, store: Callable[..., Ok[Stored]]) -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._store = store

    def capture(
        self, run: OperationRun, conversation: HostConversation, scope: str, session: str | None
    ) -> Ok[TurnAfter]:
        """Store what is worth keeping of a conversation."""
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
