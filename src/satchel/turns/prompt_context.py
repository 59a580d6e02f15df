"""Choose what goes before a prompt: a working set, memories that the conversation lacks, and documents."""

from collections.abc import Callable, Container, Mapping, Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.document_hits import DocHit, DocumentFallback
from satchel.domain.host_messages import HostConversation
from satchel.domain.masking import masked
from satchel.domain.moment import DAY_MS, day
from satchel.domain.observation import KeptObservation
from satchel.domain.policies import Policies, Selection, Verbosity
from satchel.domain.ranking import Hit
from satchel.domain.receipt_sections import LifecycleSection
from satchel.domain.record import Kind, Label, Memory, MemoryId, SourceKind, State, Trust, label_for
from satchel.domain.scope import Placement, Reach
from satchel.domain.text import normalize_text
from satchel.domain.trust import lowest_trust
from satchel.domain.view import View, admin_view
from satchel.errors import Conflict, Unavailable
from satchel.ports import Change
from satchel.recall.changes import EARLIER, SettledHits, settle_changes
from satchel.recall.recaller import CompletedRecall, Recaller
from satchel.recall.receipt import hit_signals, lifecycle_receipt, why_summary, why_these_ids
from satchel.recall.relevance import is_calibrated
from satchel.recall.request import MAX_LIMIT, Mode, RecallRequest, parse_question, recall_reach
from satchel.recall.tiers import TIER_NAMES
from satchel.recall.with_fallback import RecallOutcome
from satchel.turns import budget, choose
from satchel.turns import working_set as workingset
from satchel.turns.admission import Judge, Prompt, admit, is_task
from satchel.turns.block import BlockEntry
from satchel.turns.budget import BlockSlot, select_hits
from satchel.turns.evidence import FindObservations, choose_observations, observation_slot, receipt_entries
from satchel.turns.own_matters import own_log_odds
from satchel.turns.values import Injected, TurnBefore

# Number of newest memories of a scope that its working set is made from.
RECENT = 50


class PromptContext(Struct, frozen=True):
    """What goes before a prompt, and what it was chosen from."""

    found: RecallOutcome
    warnings: Sequence[str]
    """Why the search was incomplete, or memories could not be read with the prompt."""
    fitting: Sequence[Hit]
    """The hits that the conversation does not contain yet."""
    stale_todos: Sequence[MemoryId]
    """Ids of todos left out because they are too old."""
    working_set: workingset.WorkingSet | None
    chosen: Sequence[Hit]
    documents: DocumentFallback
    observations: Sequence[KeptObservation]
    block: budget.BudgetedBlock
    likelihoods: Mapping[MemoryId, float]
    """How likely each memory that was read with the prompt belongs in front of it."""

    @property
    def injected(self) -> list[Hit]:
        """The chosen hits that fit into the budget."""
        return [hit for hit in self.chosen if hit.memory.id in self.block.kept]


class PromptContexts(Service):
    """Chooses the context of prompts, and stores working sets."""

    def __init__(self, parts: Parts, recaller: Recaller, observations: FindObservations) -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._observations = observations

    def choose(self, prompt: str, placement: Placement, conversation: HostConversation, mode: Mode) -> PromptContext:
        """Choose what goes before a prompt."""
        policies = self._policies
        recalled = self._recall(prompt, placement, mode)
        fitting, stale = self._fitting(recalled.found.hits, conversation)
        working_set = self._working_set(placement.scope, prompt)
        settled = self._settle(fitting, recalled, conversation)
        new = [hit for hit in settled.hits if working_set is None or hit.memory.id not in working_set.consumed]
        auto = policies.auto_recall
        warnings = [recalled.ready.warning]
        judge = self._judge(recalled, warnings.append)
        admitted = admit(new, _prompt(prompt, recalled), auto.min_relevance, judge)
        chosen = settled.arrange(
            [*select_hits(admitted.trusted, auto.max_items, auto.selection_mode), *admitted.untrusted]
        )
        documents = self._recaller.documents(recalled.request, len(chosen))
        seen = choose_observations(
            self._observations,
            recalled.request.question,
            placement.scope,
            said=(prompt, *conversation.texts),
            memories=[hit.memory.text for hit in chosen],
        )
        evidence = [*map(observation_slot, seen), *map(_doc_slot, documents.docs)]
        block = budget.fit_budget(
            [*_slots(chosen, settled.changes.earlier, working_set, self._clock.now()), *evidence],
            policies.budget,
            ids_in_comment=_ids_in_comment(policies),
        )
        return PromptContext(
            recalled.found,
            warnings,
            fitting,
            stale,
            working_set,
            chosen,
            documents,
            seen,
            block,
            admitted.likelihoods,
        )

    def _judge(self, recalled: CompletedRecall, warn: Callable[[str], None]) -> Judge | None:
        """Return what reads prompts and memories together; None without vectors of the space that it was made for."""
        query = recalled.vector_query
        judge = None if query is None else self._parts.judge()
        if query is None or judge is None or query.space.name != judge.space:
            return None

        def read(prompt: str, sets: Sequence[Sequence[str]]) -> Sequence[Sequence[float]] | None:
            try:
                return judge.judge(prompt, sets)
            except Unavailable as error:
                # The other signals decide then, as they do with vectors of another space.
                warn(f"{error.code}: {error.message}")
                return None

        return read

    def _recall(self, prompt: str, placement: Placement, mode: Mode) -> CompletedRecall:
        auto = self._policies.auto_recall
        question = parse_question(prompt, mode, min(MAX_LIMIT, auto.max_items * auto.tier_search_multiplier))
        by_relevance = auto.selection_mode == Selection.RELEVANCE
        left_out = {
            Label.UNKNOWN: not auto.include_unknown_fallback,
            Label.IGNORE: not (by_relevance and auto.include_ignored),
        }
        # All labels are no filter, which makes the search cheaper.
        labels = tuple(label for label in Label if not left_out.get(label)) if any(left_out.values()) else ()
        recall = replace(
            self._policies.recall,
            min_relevance=auto.min_relevance,
            tiers=self._policies.recall.tiers and not by_relevance,
        )
        policies = replace(self._policies, recall=recall)
        view = View(recall_reach(placement, policies.scope), self._clock.now(), labels=labels)
        return self._recaller.recall(RecallRequest(question, placement, view, policies))

    def _settle(self, fitting: Sequence[Hit], recalled: CompletedRecall, conversation: HostConversation) -> SettledHits:
        """Leave out what a newer memory replaces, even one that is not relevant enough on its own."""
        others, _ = self._fitting(recalled.found.primary.nearest, conversation)
        return settle_changes(fitting, others, self._ledger, recalled.request.view)

    def _fitting(self, found: Sequence[Hit], conversation: HostConversation) -> tuple[list[Hit], list[MemoryId]]:
        """Return the hits that the conversation does not contain yet, and the todos that are too old."""
        oldest = self._clock.now() - self._policies.auto_capture.todo_stale_ttl_days * DAY_MS
        hits = [hit for hit in found if not workingset.is_working_set(hit.memory.id)]
        stale = [hit for hit in hits if hit.memory.kind is Kind.TODO and hit.memory.created_at < oldest]
        fresh = [hit for hit in hits if hit not in stale]
        known = normalize_text("\n".join(conversation.texts))
        return [hit for hit in fresh if normalize_text(hit.memory.text) not in known], [hit.memory.id for hit in stale]

    def _working_set(self, scope: str, prompt: str) -> workingset.WorkingSet | None:
        policy = self._policies.working_set
        if not policy.enabled:
            return None
        recent = self._ledger.memories.page(View(Reach((scope,)), self._clock.now()), RECENT)
        return workingset.working_set(scope, recent, prompt, policy)

    def persist(self, working_set: workingset.WorkingSet | None, scope: str) -> bool:
        """Store the working set as a memory of its scope, with the lowest trust of the memories it quotes.

        It is archived, so that only its id finds it. One that the operator has forgotten is not stored again.
        """
        if working_set is None or not self._policies.working_set.persist or self._parts.read_only:
            return False
        id, now = MemoryId(working_set.id), self._clock.now()
        view = admin_view(Reach((scope,)), now)
        sources = self._ledger.memories.fetch([MemoryId(one) for one in working_set.consumed], view)
        before = self._ledger.memories.fetch([id], view).get(id)
        trust = lowest_trust([Trust.TRUSTED, *(one.trust for one in sources.values())])
        memory = Memory(
            id=id,
            text=working_set.text,
            scope=scope,
            created_at=before.created_at if before else now,
            updated_at=now,
            kind=Kind.SUMMARY,
            trust=trust,
            source_kind=SourceKind.SYSTEM,
            source_ref="working set",
            state=State.ARCHIVED,
            label=label_for(None),
        )
        if before is not None and _content(before) == _content(memory):
            return True
        receipt = self._run("working set", {"scope": scope}).receipt(id=id)
        try:
            change = Change(memory, before, "working set", self._parts.actor)
            self._ledger.memories.commit([change], receipt, optional=True)
        except Conflict:
            # Forgotten, or stored by another turn just now. This turn needs neither.
            return False
        return True


def _content(memory: Memory) -> tuple[str, Trust, State]:
    return memory.text, memory.trust, memory.state


def lifecycle_section(context: PromptContext, policies: Policies, *, persisted: bool) -> LifecycleSection:
    """Return the lifecycle section of the receipt."""
    markers = (budget.marker(context.block), choose.stale_todo_marker(len(context.stale_todos), policies.auto_capture))
    return replace(
        lifecycle_receipt(context.found, policies.receipts),
        why_summary=why_summary(context.injected),
        why_these_ids=why_these_ids(context.injected, policies.receipts),
        selection_mode=policies.auto_recall.selection_mode,
        final_count=len(context.chosen),
        injected_count=len(context.injected),
        budget=budget.receipt_section(context.block, policies.budget),
        cold_lane=context.documents.section,
        observations=receipt_entries(context.observations, context.block.kept) or UNSET,
        working_set=workingset.receipt_section(
            context.working_set,
            policies.working_set,
            suppressed=len(context.fitting) - len(context.chosen),
            persisted=persisted,
        ),
        markers=[one for one in markers if one is not None],
    )


def answer_with(context: PromptContext, placement: Placement, mode: Mode) -> TurnBefore:
    """Return the answer for a context that is injected."""
    return TurnBefore(
        block=context.block.text,
        skipped=False,
        skip_reason=_reason_for_nothing(context),
        scope=placement.scope,
        mode=mode,
        memories=tuple(
            Injected(
                hit.memory.id, hit.relevance, TIER_NAMES[hit.memory.label], hit.memory.trust, tuple(hit_signals(hit))
            )
            for hit in context.injected
        ),
        working_set=MemoryId(context.working_set.id) if context.working_set else None,
        documents=tuple(doc.citation for doc in context.documents.docs if doc.id in context.block.kept),
        observations=tuple(one.id for one in receipt_entries(context.observations, context.block.kept)),
    )


def _prompt(text: str, recalled: CompletedRecall) -> Prompt:
    query = recalled.vector_query
    space = query.space.name if query else None
    own = own_log_odds(text, query.vector if query else None, space)
    return Prompt(text, own, is_calibrated(space, recalled.request.question.terms), is_task(text))


def _reason_for_nothing(context: PromptContext) -> str | None:
    """Return why a block is empty; None if it is not."""
    if context.block.text:
        return None
    return "in_conversation" if context.found.hits and not context.fitting else "nothing_relevant"


def _slots(
    hits: Sequence[Hit], earlier: Container[MemoryId], working_set: workingset.WorkingSet | None, now: int
) -> list[BlockSlot]:
    slots = [
        BlockSlot(hit.memory.id, block_entry(hit.memory, earlier=hit.memory.id in earlier), hit.memory.created_at)
        for hit in hits
    ]
    if working_set is None:
        return slots
    entry = BlockEntry("working_set", "pinned", working_set.text)
    return [BlockSlot(working_set.id, entry, now, pinned=True), *slots]


def block_entry(memory: Memory, *, earlier: bool = False) -> BlockEntry:
    """Return the entry of a memory: the trust of one that is not trusted, its day, and a mark if it was changed.

    Secrets are masked here: half of one that the budget cuts would not be recognised, nor one that is escaped. The
    memories of a scope come again and again, and texts without a secret are remembered.
    """
    standing = memory.label if memory.trust is Trust.TRUSTED else f"{memory.label}, {memory.trust}"
    since = memory.created_at if memory.valid_from is None else memory.valid_from
    return BlockEntry(memory.kind, standing, f"{EARLIER if earlier else ''}{masked(memory.text)}", day(since))


def _doc_slot(doc: DocHit) -> BlockSlot:
    """Return the slot of a document chunk. Its time 0 makes it older than any memory: it is dropped first."""
    standing = "document" if doc.trust is Trust.TRUSTED else f"document, {doc.trust}"
    return BlockSlot(doc.id, BlockEntry(standing, doc.citation, masked(doc.text)), 0)


def _ids_in_comment(policies: Policies) -> int:
    shown = policies.receipts.enabled and policies.receipts.verbosity == Verbosity.HIGH
    return policies.receipts.max_items if shown else 0
