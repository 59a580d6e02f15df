"""Turns: what a host calls around a turn of its agent. Memories go in front of the prompt; what is worth keeping is kept.

Neither may ever stand in the way of the turn: whatever goes wrong, the answer is an empty one that says why.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.operations import Param, operation
from satchel.core.parts import Parts
from satchel.core.preflight import check_write, lower_trust, related_rules
from satchel.core.service import Service
from satchel.domain.answers import Stored
from satchel.domain.canonical import Json
from satchel.domain.document_hits import DocHit, DocumentFallback
from satchel.domain.envelope import Ok
from satchel.domain.host_messages import HostConversation, parse_messages
from satchel.domain.moment import DAY_MS, HOUR_MS
from satchel.domain.policies import Policies, Verbosity
from satchel.domain.preflight import PreflightStatus, WriteIntent
from satchel.domain.ranking import Hit
from satchel.domain.receipt import Receipt, question_facts
from satchel.domain.record import Kind, Label, Memory, MemoryId, SourceKind, State, Trust, label_for
from satchel.domain.scope import Placement, Reach, resolve_scope
from satchel.domain.text import normalize_text
from satchel.domain.trust import lowest_trust
from satchel.domain.view import View, admin_view
from satchel.errors import InvalidRequest, SatchelError
from satchel.ports import Change
from satchel.recall.lifecycle_receipt import lifecycle_receipt, skipped_receipt
from satchel.recall.question import MAX_LIMIT, Mode, parse_mode, parse_question
from satchel.recall.recaller import CompletedRecall, Recaller
from satchel.recall.receipt import candidate_facts, recall_warnings
from satchel.recall.request import RecallRequest, recall_reach
from satchel.recall.tiers import TIER_NAMES
from satchel.recall.with_fallback import RecallOutcome
from satchel.turns import budget, choose
from satchel.turns import working_set as workingset
from satchel.turns.block import BlockEntry, parse_block
from satchel.turns.budget import BlockSlot, select_hits
from satchel.turns.extract import CaptureCandidate, TurnMessage, extract
from satchel.turns.replaced_rule import RuleReplacement, StoredRule, find_replaced_rule
from satchel.turns.trivial import triviality
from satchel.turns.values import CapturedTurn, Injected, TurnAfter, TurnBefore

# So many of a scope's newest memories a working set is made of.
RECENT = 50
# So many rules are looked at for one that a new rule replaces.
MAX_RULES = 100


class _Front(Struct, frozen=True):
    """What goes in front of a prompt, and what it was chosen from."""

    found: RecallOutcome
    fitting: Sequence[Hit]
    """The hits that are news to the conversation."""
    stale: int
    """How many things to do were left out, since they were told too long ago."""
    made: workingset.WorkingSet | None
    chosen: Sequence[Hit]
    cold: DocumentFallback
    packed: budget.BudgetedBlock

    @property
    def shown(self) -> list[Hit]:
        """The chosen that fitted into the budget."""
        return [hit for hit in self.chosen if hit.memory.id in self.packed.kept]


_Scope = Annotated[str | None, Param("scope of the turn; a tag in the text, or the default, if omitted")]


class Turns(Service):
    """The hooks around a turn."""

    def __init__(self, parts: Parts, recaller: Recaller, store: Callable[..., Ok[Stored]]) -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._store = store

    # Before

    @operation("turn before", operator_only=True, own_command=True)
    def before(
        self,
        prompt: Annotated[str, Param("what the user asks")],
        *,
        scope: _Scope = None,
        messages: Annotated[
            Sequence[Any], Param("the conversation so far: a list of {role, content}, oldest first")
        ] = (),
        mode: Annotated[str, Param("by words, by meaning, or both", choices=Mode)] = "hybrid",
    ) -> Ok[TurnBefore]:
        """Return the block that goes in front of a prompt.

        A failure never blocks the turn: the block is then empty, and the answer says why.
        """
        started = self._clock.ticks()
        try:
            said, chosen = parse_messages(messages), parse_mode(mode)
            if not isinstance(prompt, str):
                raise InvalidRequest("prompt must be a text", code="wrong_type")
            return self._recalled_before(prompt, scope, said, chosen, started)
        except SatchelError as error:
            return self._nothing_before(str(error.code), error.message, started)

    def _recalled_before(
        self, prompt: str, scope: str | None, said: HostConversation, mode: Mode, started: float
    ) -> Ok[TurnBefore]:
        policies = self._policies
        placement = resolve_scope(scope, prompt, policies.scope)
        if reason := _reason_to_skip(prompt, policies):
            receipt = self._turn_receipt(
                "turn before", prompt, placement, started, skipped_receipt(reason, policies.receipts)
            )
            answer = TurnBefore("", True, reason, placement.scope, mode)
            return Ok(answer, self._noted(receipt, ()))
        front, ready_warnings = self._front(prompt, placement, said, mode)
        persisted = self._persist(front.made, placement.scope)
        receipt = self._turn_receipt(
            "turn before", prompt, placement, started, _front_sections(front, policies, persisted=persisted)
        )
        receipt = replace(
            receipt,
            considered=candidate_facts(front.found) | {"mode": mode},
            warnings=(*ready_warnings, *recall_warnings(front.found, policies)),
        )
        ids = [hit.memory.id for hit in front.shown]
        noted = self._noted(receipt, ids)
        self._mark_selected(ids)
        return Ok(_answer_before(front, placement, mode), noted)

    def _front(
        self, prompt: str, placement: Placement, said: HostConversation, mode: Mode
    ) -> tuple[_Front, tuple[str, ...]]:
        """Choose what goes in front of a prompt; return it with what stood in the way of the search."""
        policies = self._policies
        recalled = self._recall(prompt, placement, mode)
        found = recalled.found
        fitting, stale = self._fitting(found, said)
        made = self._working_set(placement.scope, prompt)
        chosen = [hit for hit in fitting if made is None or hit.memory.id not in made.consumed]
        chosen = select_hits(chosen, policies.auto_recall.max_items, policies.auto_recall.selection_mode)
        cold = self._recaller.documents(recalled.request, len(chosen))
        packed = budget.fit_budget(
            [*_slots(chosen, made, self._clock.now()), *map(_doc_slot, cold.docs)],
            policies.budget,
            ids_in_comment=_ids_in_comment(policies),
        )
        warnings = (recalled.ready.warning,) if recalled.ready.warning else ()
        if mode is Mode.LEXICAL:
            warnings = ("lexical_only: no server is running, so only words were searched", *warnings)
        return _Front(found, fitting, stale, made, chosen, cold, packed), warnings

    def _nothing_before(self, code: str, message: str, started: float) -> Ok[TurnBefore]:
        receipt = self._receipt(
            "turn before",
            started,
            asked={},
            decided={"lifecycle": skipped_receipt(code, self._policies.receipts)},
            warnings=(f"{code}: {message}",),
        )
        return Ok(TurnBefore("", True, code, self._policies.scope.default_scope, "none"), receipt)

    def _recall(self, prompt: str, placement: Placement, mode: Mode) -> CompletedRecall:
        auto = self._policies.auto_recall
        question = parse_question(prompt, mode, min(MAX_LIMIT, auto.max_items * auto.tier_search_multiplier))
        labels = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE, *((Label.UNKNOWN,) if auto.include_unknown_fallback else ()))
        recall = replace(self._policies.recall, min_relevance=auto.min_relevance)
        policies = replace(self._policies, recall=recall)
        view = View(recall_reach(placement, policies.scope), self._clock.now(), labels=labels)
        return self._recaller.recall(RecallRequest(question, placement, view, policies))

    def _fitting(self, found: RecallOutcome, said: HostConversation) -> tuple[list[Hit], int]:
        """Return the hits that are news to the conversation, and how many were left out as stale things to do."""
        oldest = self._clock.now() - self._policies.auto_capture.todo_stale_ttl_days * DAY_MS
        hits = [hit for hit in found.hits if not workingset.is_working_set(hit.memory.id)]
        stale = [hit for hit in hits if hit.memory.kind is Kind.TODO and hit.memory.created_at < oldest]
        fresh = [hit for hit in hits if hit not in stale]
        known = normalize_text("\n".join(said.texts))
        return [hit for hit in fresh if normalize_text(hit.memory.text) not in known], len(stale)

    def _working_set(self, scope: str, prompt: str) -> workingset.WorkingSet | None:
        policy = self._policies.working_set
        if not policy.enabled:
            return None
        recent = self._ledger.memories.page(View(Reach((scope,)), self._clock.now()), RECENT)
        return workingset.working_set(scope, recent, prompt, policy)

    def _persist(self, made: workingset.WorkingSet | None, scope: str) -> bool:
        """Keep the working set as a memory of its scope, as trusted as the least trusted memory it says."""
        if made is None or not self._policies.working_set.persist or self._parts.read_only:
            return False
        id, now = MemoryId(made.id), self._clock.now()
        view = admin_view(Reach((scope,)), now)
        sources = self._ledger.memories.fetch([MemoryId(one) for one in made.consumed], view)
        before = self._ledger.memories.fetch([id], view).get(id)
        trust = lowest_trust([Trust.TRUSTED, *(one.trust for one in sources.values())])
        memory = Memory(
            id=id,
            text=made.text,
            scope=scope,
            created_at=before.created_at if before else now,
            updated_at=now,
            kind=Kind.SUMMARY,
            trust=trust,
            source_kind=SourceKind.SYSTEM,
            source_ref="working set",
            state=State.ACTIVE,
            label=label_for(None),
        )
        if before is not None and (before.text, before.trust) == (memory.text, memory.trust):
            return True
        receipt = self._receipt("working set", self._clock.ticks(), asked={"scope": scope}, decided={"id": id})
        self._ledger.memories.commit([Change(memory, before, "working set", self._parts.actor)], receipt)
        return True

    # After

    @operation("turn after", writes=True, operator_only=True, own_command=True)
    def after(
        self,
        messages: Annotated[Sequence[Any], Param("the conversation so far: a list of {role, content}, oldest first")],
        *,
        scope: _Scope = None,
        session: Annotated[str | None, Param("session the turn belongs to")] = None,
    ) -> Ok[TurnAfter]:
        """Store the preferences and decisions of a turn.

        Only the user's own words are read; secrets, tool output and injected memories are left out.
        """
        self._require_writable()
        started = self._clock.ticks()
        try:
            return self._captured_after(parse_messages(messages), scope, session, started)
        except SatchelError as error:
            receipt = self._receipt(
                "turn after", started, asked={}, decided={}, warnings=(f"{error.code}: {error.message}",)
            )
            return Ok(TurnAfter((), True, str(error.code)), receipt)

    def _captured_after(
        self, said: HostConversation, scope: str | None, session: str | None, started: float
    ) -> Ok[TurnAfter]:
        policy = self._policies.auto_capture
        if not policy.enabled:
            return Ok(TurnAfter((), True, "disabled"), self._receipt("turn after", started, asked={}))
        extraction = extract([TurnMessage(one.role, one.blocks) for one in said.messages], policy)
        recalled = [entry.text for text in said.texts for entry in parse_block(text)]
        chosen = choose.choose(extraction, policy, recalled=recalled, is_stored=lambda one: self._is_stored(one, scope))
        captured = tuple(self._capture(one, scope, session) for one in chosen.kept)
        stored = sum(one.action == "created" for one in captured)
        receipt = self._receipt(
            "turn after",
            started,
            asked={"scope": scope, "messages": len(said.messages)},
            decided={
                "autoCapture": choose.receipt(chosen, self._policies.receipts.verbosity, stored),
                "captured": [
                    {"id": one.id, "action": one.action, "kind": one.kind, "cue": one.cue} for one in captured
                ],
                "markers": choose.todo_markers(chosen),
            },
            warnings=tuple(_undecided(one) for one in captured if one.could_replace),
        )
        return Ok(TurnAfter(captured, False, None), self._noted(receipt, ()))

    def _capture(self, one: CaptureCandidate, scope: str | None, session: str | None) -> CapturedTurn:
        placement = resolve_scope(one.scope if one.scope is not None else scope, "", self._policies.scope)
        intent = WriteIntent(one.text, SourceKind.OPERATOR, Trust.TRUSTED, placement.scope, one.kind, one.importance)
        verdict = check_write(
            intent, related_rules(one.text, placement.scope, self._ledger.memories, self._clock.now())
        )
        if verdict.status is PreflightStatus.REJECTED:
            return CapturedTurn(None, verdict.reasons[0].code, one.kind, placement.scope, None, one.cue)
        trust = lower_trust(verdict, Trust.TRUSTED)
        replacement = self._replacement(one, placement.scope)
        try:
            stored = self._store(
                one.text,
                scope=placement.scope,
                kind=one.kind,
                importance=one.importance,
                trust=trust,
                source_ref="turn",
                session=session,
                replaces=replacement.replaced if trust is Trust.TRUSTED else None,
            ).result
        except SatchelError as error:
            return CapturedTurn(None, str(error.code), one.kind, placement.scope, None, one.cue)
        return CapturedTurn(
            stored.id,
            stored.action,
            one.kind,
            stored.scope,
            stored.trust,
            one.cue,
            stored.replaced,
            tuple(MemoryId(id) for id in replacement.candidates),
        )

    def _replacement(self, one: CaptureCandidate, scope: str) -> RuleReplacement:
        if not one.replaces:
            return RuleReplacement(None)
        view = View(Reach((scope,)), self._clock.now(), kinds=(Kind.PREFERENCE, Kind.DECISION))
        rules = self._ledger.memories.page(replace(view, trusts=(Trust.TRUSTED,)), MAX_RULES)
        return find_replaced_rule(
            one.text, one.about, [StoredRule(rule.id, rule.text, rule.created_at) for rule in rules]
        )

    def _is_stored(self, one: CaptureCandidate, scope: str | None) -> bool:
        """Say whether the store holds what a candidate says; of things to do, whether it was told lately."""
        name = resolve_scope(one.scope if one.scope is not None else scope, "", self._policies.scope).scope
        view = View(Reach((name,)), self._clock.now())
        alike = self._ledger.memories.near_duplicates(one.text, view, MAX_RULES)
        if one.kind is not Kind.TODO:
            return bool(alike)
        since = self._clock.now() - self._policies.auto_capture.todo_dedupe_window_hours * HOUR_MS
        return any(memory.kind is Kind.TODO and memory.created_at >= since for memory in alike)

    # How the hooks above get at things

    def _turn_receipt(
        self, operation: str, prompt: str, placement: Placement, started: float, sections: Mapping[str, Json]
    ) -> Receipt:
        return self._receipt(
            operation,
            started,
            asked={**question_facts(prompt), "scope": placement.scope, "scope_mode": placement.mode},
            decided={"lifecycle": dict(sections)},
        )

    def _noted(self, receipt: Receipt, used: Sequence[MemoryId]) -> Receipt:
        if not self._policies.receipts.enabled:
            return receipt
        return replace(receipt, kept=self._ledger.receipts.keep(receipt, used))


def _reason_to_skip(prompt: str, policies: Policies) -> str | None:
    policy = policies.auto_recall
    if not policy.enabled:
        return "disabled"
    if not prompt.strip():
        return "no_query"
    trivial = policy.skip_trivial_prompts and triviality(prompt, policy.trivial_min_chars)
    return "trivial_prompt" if trivial else None


def _front_sections(front: _Front, policies: Policies, *, persisted: bool) -> dict[str, Json]:
    markers = (budget.marker(front.packed), choose.stale_todo_marker(front.stale, policies.auto_capture))
    return lifecycle_receipt(front.found, policies.receipts) | {
        "selectionMode": policies.auto_recall.selection_mode,
        "finalCount": len(front.chosen),
        "injectedCount": len(front.shown),
        "budget": budget.receipt_section(front.packed, policies.budget),
        "coldLane": dict(front.cold.section),
        "workingSet": workingset.receipt_section(
            front.made,
            policies.working_set,
            suppressed=len(front.fitting) - len(front.chosen),
            persisted=persisted,
        ),
        "markers": [one for one in markers if one is not None],
    }


def _answer_before(front: _Front, placement: Placement, mode: Mode) -> TurnBefore:
    return TurnBefore(
        block=front.packed.text,
        skipped=False,
        skip_reason=None,
        scope=placement.scope,
        mode=mode,
        memories=tuple(Injected(hit.memory.id, hit.relevance, TIER_NAMES[hit.memory.label]) for hit in front.shown),
        working_set=MemoryId(front.made.id) if front.made else None,
        documents=tuple(doc.citation for doc in front.cold.docs if doc.id in front.packed.kept),
    )


def _slots(hits: Sequence[Hit], made: workingset.WorkingSet | None, now: int) -> list[BlockSlot]:
    pinned = [BlockSlot(made.id, BlockEntry("working_set", "pinned", made.text), now, pinned=True)] if made else []
    return [*pinned, *(BlockSlot(hit.memory.id, _entry(hit.memory), hit.memory.created_at) for hit in hits)]


def _entry(memory: Memory) -> BlockEntry:
    """Return a memory as a prompt shows it. That it is not to be relied on stands beside it."""
    standing = memory.label if memory.trust is Trust.TRUSTED else f"{memory.label}, {memory.trust}"
    return BlockEntry(memory.category, standing, memory.text)


def _doc_slot(doc: DocHit) -> BlockSlot:
    """Return a piece of a document as a prompt shows it. It is older than any memory: it is the first to make room."""
    return BlockSlot(doc.id, BlockEntry("document", doc.citation, doc.text), 0)


def _ids_in_comment(policies: Policies) -> int:
    shown = policies.receipts.enabled and policies.receipts.verbosity == Verbosity.HIGH
    return policies.receipts.max_items if shown else 0


def _undecided(one: CapturedTurn) -> str:
    return (
        f"rule_unclear: it could not be told which rule {one.id} replaces; it could be {', '.join(one.could_replace)}"
    )
