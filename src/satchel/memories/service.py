"""Memories: store, recall, get, list, forget."""

from collections.abc import Callable, Sequence
from typing import Annotated, Protocol

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from satchel.core.erasure import (
    ErasedRecords,
    ErasureTarget,
    ForgottenRecord,
    check_forget,
    forget_facts,
    reaches_everywhere,
    survives_elsewhere,
)
from satchel.core.operations import (
    AllScopes,
    Channel,
    Kinds,
    LoweredTrust,
    Media,
    Param,
    Quarantined,
    Redact,
    Scope,
    operation,
)
from satchel.core.parts import Parts
from satchel.core.preflight import PreflightResult, check_write, lower_trust, may_write, related_rules
from satchel.core.references import full_id, memory_ids
from satchel.core.run import OperationRun, facts_of
from satchel.core.service import Service, get_facts, page_mark, page_size
from satchel.domain.admit import Draft, admit, inherit, parse_kinds, supersede
from satchel.domain.answers import Stored
from satchel.domain.arguments import as_tuple, check_unit_interval, one_of
from satchel.domain.canonical import Json
from satchel.domain.citations import MIN_PREFIX_CHARS
from satchel.domain.document_hits import DocumentFallback
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten, stored_forms
from satchel.domain.history import RecordEvent
from satchel.domain.inspection import inspect_memory, order_warnings, trust_rule
from satchel.domain.listing import ListFilter, list_filter
from satchel.domain.media import check_media_filter
from satchel.domain.preflight import PreflightReason, PreflightStatus, Verdict, WriteIntent
from satchel.domain.receipt import question_facts
from satchel.domain.receipt_sections import (
    ColdLane,
    LifecycleSection,
    PreflightSection,
    QuestionAsked,
    StoreAsked,
    StoreDecided,
)
from satchel.domain.record import WORKING_SET, Kind, Label, Memory, MemoryId, SourceKind, State, Trust
from satchel.domain.scope import Placement, Reach, ScopeMode, resolve_scope, similar_scopes
from satchel.domain.view import View, admin_view, without_quarantined
from satchel.errors import Corrupt, InvalidRequest, NotFound, Refused, Unavailable
from satchel.indexing import memory_index
from satchel.memories.as_of import point_of
from satchel.memories.duplicates import DuplicateMemory, find_duplicate
from satchel.memories.forget import MAX_CANDIDATES, candidates, erase_memory
from satchel.memories.values import MemoryPage, MemoryShown
from satchel.ports import Change
from satchel.recall.recaller import CompletedRecall, Recaller
from satchel.recall.receipt import (
    candidates_section,
    decision_section,
    lifecycle_receipt,
    recall_result,
    recall_warnings,
    request_section,
)
from satchel.recall.request import MAX_LIMIT, Mode, RecallRequest, build_request, parse_question
from satchel.recall.values import Recalled

# Maximum number of similar memories compared with a new one.
MAX_TWINS = 20
# Vectors are never made while a store waits for its answer.
_DEFERRED = "deferred"
# How ids of other records begin, and the command that handles them.
_OTHER_IDS = {
    "ep-": "episodes",
    "doc:": "docs",
    "doc-": "docs",
    "fact_": "fact",
    "msg:": "conversation",
    "sum_": "conversation",
    "dec_": "conversation",
}


class EvidenceEraser(Protocol):
    """What forgetting a memory needs of the observations."""

    def evidence_of(self, text: str, scope: str) -> ErasureTarget:
        """Return the observations of a scope that hold a text."""
        ...

    def erase_evidence(self, target: ErasureTarget) -> None:
        """Erase them with their spool lines, dead letters and artifacts."""
        ...


class Memories(Service):
    """Stores memories, finds them again, and erases them."""

    def __init__(self, parts: Parts, recaller: Recaller, evidence: Callable[[], EvidenceEraser]) -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._evidence_eraser = evidence

    # Store

    @operation(
        "store",
        writes=True,
        operator_only=True,
        served=True,
        examples=(
            'satchel store "We ship on Thursdays" --kind decision --importance 0.9',
            "git log -1 --format=%B | satchel store - --scope repo/api --source-kind tool --source-ref git",
        ),
    )
    def store(
        self,
        text: Annotated[str, Param("the memory", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        kind: Annotated[str, Param("kind of memory", choices=Kind)] = "other",
        importance: Annotated[float | None, Param("from 0 to 1; 0.8 and above must be remembered")] = None,
        trust: LoweredTrust = None,
        source_kind: Channel = "operator",
        source_ref: Annotated[
            str | None, Param("where exactly it came from: a tool, an address, a file", operator_only=True)
        ] = None,
        title: Annotated[str | None, Param("a short title")] = None,
        session: Annotated[str | None, Param("session it belongs to")] = None,
        task: Annotated[str | None, Param("task it belongs to")] = None,
        language: Annotated[str | None, Param("its language, such as en or zh")] = None,
        tags: Annotated[Sequence[str], Param("a tag", flag="tag")] = (),
        keywords: Annotated[Sequence[str], Param("another word to find it by", flag="keyword")] = (),
        media: Annotated[
            Sequence[str],
            Param("path or address of an image, a recording or a file it is about; KIND:REF names its kind"),
        ] = (),
        valid_from: Annotated[str | None, Param("date or time from which it is valid")] = None,
        valid_to: Annotated[str | None, Param("date or time until which it is valid")] = None,
        replaces: Annotated[str | None, Param("id of the memory that this one replaces; it is retired")] = None,
        for_agent: bool = False,
        like: Memory | None = None,
    ) -> Ok[Stored]:
        """Store a memory.

        It is on disk when this returns; the next recall makes its embedding. If the scope already has a memory in the
        same or nearly the same words, none is added: the answer names the existing one.
        """
        with self._run("store", writes=True) as run:
            # A person mistyped the name; the specification of an agent's tool has a default for that.
            placement = resolve_scope(
                scope, text if isinstance(text, str) else "", self._policies.scope, strict=not for_agent
            )
            draft = Draft(
                text=text,
                scope=placement.scope,
                kind=kind,
                importance=importance,
                trust=trust,
                source_kind=source_kind,
                source_ref=source_ref,
                title=title,
                session=session,
                task=task,
                language=language,
                tags=as_tuple(tags),
                keywords=as_tuple(keywords),
                media=as_tuple(media),
                valid_from=valid_from,
                valid_to=valid_to,
            )
            admitted = admit(draft, id=MemoryId(self._parts.new_id()), now=self._clock.now())
            admitted = admitted if like is None else inherit(admitted, like)
            admitted, orders = inspect_memory(admitted)
            memory, inspection = self._inspect(admitted)
            run.warn(inspection.warning)
            if placement.invalid:
                run.warn(f"scope_invalid: the scope name is not valid; stored in '{placement.scope}'")
            # Exclusive from lookup to write: two concurrent stores cannot both be the first.
            with self._ledger.memories.transaction():
                found = None if replaces is not None else self._twin(memory)
                if found is None:
                    run.warn(*order_warnings(len(orders[:1]), orders))
                    return self._commit(run, memory, placement, replaces, inspection, orders)
            return self._duplicate(run, found, placement)

    def _inspect(self, memory: Memory) -> tuple[Memory, PreflightResult]:
        """Run the preflight check, if enabled. Doubts lower the trust of a memory; a block refuses it."""
        policy = self._policies.preflight
        if not policy.enabled:
            return memory, PreflightResult(policy)
        intent = WriteIntent(
            memory.text, memory.source_kind, memory.trust, memory.scope, memory.kind, memory.importance
        )
        verdict = self._verdict(intent)
        if not may_write(verdict.status, policy):
            raise Refused(
                f"the preflight check answered {verdict.status}",
                code="weiji_memory_preflight_blocked",
                hint=", ".join(one.code for one in verdict.reasons),
            )
        return replace(memory, trust=lower_trust(verdict, memory.trust)), PreflightResult(policy, verdict)

    def _verdict(self, intent: WriteIntent) -> Verdict:
        try:
            external = self._parts.preflight()
            if external:
                return external.check(intent)
            return check_write(
                intent, related_rules(intent.text, intent.scope, self._ledger.memories, self._clock.now())
            )
        except (Unavailable, InvalidRequest) as error:
            return Verdict(PreflightStatus.FAILED, (PreflightReason(error.code, error.message),))

    def _twin(self, memory: Memory) -> DuplicateMemory | None:
        view = View(Reach((memory.scope,)), self._clock.now())
        alike = self._ledger.memories.near_duplicates(memory.text, view, MAX_TWINS)
        return find_duplicate(memory, alike, self._policies.store.duplicates)

    def _commit(
        self,
        run: OperationRun,
        memory: Memory,
        placement: Placement,
        replaces: str | None,
        inspection: PreflightResult,
        orders: tuple[str, ...],
    ) -> Ok[Stored]:
        retired = self._retirements(replaces, memory)
        replaced = retired[0].memory.id if retired else None
        changes = [Change(memory, None, "store", self._parts.actor), *retired]
        run.asked = _store_request(memory, replaced)
        section = inspection.section
        run.decided = _stored_section(memory, placement, section, orders)
        receipt = run.receipt()
        seq = self._ledger.memories.commit(changes, receipt)
        stored = replace(
            _stored(memory, placement, seq),
            replaced=replaced,
            preflight=facts_of(section),
        )
        return run.committed(stored, receipt)

    def _duplicate(self, run: OperationRun, found: DuplicateMemory, placement: Placement) -> Ok[Stored]:
        memory = found.memory
        run.asked = _store_request(memory, None)
        run.decided = StoreDecided(
            id=memory.id,
            action="duplicate",
            likeness=found.likeness,
            scope_mode=placement.mode,
            scope_invalid=placement.invalid,
            scope_normalized=placement.normalized,
        )
        stored = replace(
            _stored(memory, placement, self._ledger.feed.tip()),
            action="duplicate",
            likeness=found.likeness,
            embedding_skipped=False,
            embedding_skip_reason=None,
        )
        return run.keep(stored)

    def _retirements(self, replaces: str | None, memory: Memory) -> Sequence[Change]:
        if replaces is None:
            return []
        old = self._known(replaces, Reach((memory.scope,)))
        retired = supersede(old, memory)
        return [Change(retired, old, "retire", self._parts.actor, retired.reason)]

    # Recall

    @operation(
        "recall",
        operator_only=True,
        served=True,
        examples=(
            'satchel recall "when do we release?"',
            'satchel recall "release day" --mode lexical --explain',
            'satchel recall "release day" --as-of before-refactor',
        ),
    )
    def recall(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        limit: Annotated[int | None, Param(f"how many to return, 1 to {MAX_LIMIT}; 5 unless set otherwise")] = None,
        mode: Annotated[str, Param("by words, by meaning, or both", choices=Mode)] = "hybrid",
        kinds: Kinds = (),
        media: Media = None,
        min_relevance: Annotated[float | None, Param("leave out hits less relevant than this, from 0 to 1")] = None,
        untrusted: Annotated[
            bool, Param("search untrusted memories at once, not only when no trusted one answers")
        ] = False,
        fallback: Annotated[
            bool, Param("look in the fallback scopes too", off="do not look in the fallback scopes")
        ] = True,
        as_of: Annotated[
            str | int | None, Param("a tag or sequence number: answer from the memories as they were then")
        ] = None,
        redact: Redact = True,
        keep: Annotated[
            bool, Param("keep the receipt", off="keep no receipt and count no use: only look", operator_only=True)
        ] = True,
        for_agent: bool = False,
    ) -> Ok[Recalled]:
        """Find the memories that answer a question.

        Only the scope is searched. Without an embedding model the words decide, and a warning says so.
        """
        with self._run("recall", redact=redact) as run:
            request = build_request(
                query,
                scope=scope,
                limit=limit,
                mode=mode,
                kinds=parse_kinds(kinds),
                media=check_media_filter(media),
                min_relevance=None if min_relevance is None else check_unit_interval(min_relevance, "min relevance"),
                untrusted=untrusted,
                policies=self._policies,
                now=self._clock.now(),
                fallback=fallback,
                strict_scope=not for_agent,
            )
            asked = request_section(request, untrusted=untrusted, redact=redact)
            if as_of is not None:
                return self._recall_as_of(run, asked, request, as_of, keep=keep)
            run.asked = asked
            (recalled, documents), reads = self._ledger.read_from_replica(lambda: self._search(request))
            found, ready = recalled.found, recalled.ready
            run.considered = replace(
                candidates_section(found),
                embedding_space=ready.space.name if ready.space else None,
                embeddings_waiting=ready.waiting,
                index_behind=ready.behind,
                reranker=self._recaller.reranker,
                reads=UNSET if reads is None else reads,
            )
            run.decided = decision_section(found, request.policies, self._lifecycle(recalled, documents))
            run.warn(ready.warning, *recall_warnings(found, request.policies))
            if not found.hits and not for_agent:
                run.warn(self._unknown_scope(request))
            answer = replace(recall_result(found, request), cold=documents)
            return run.keep_if_enabled(answer, [hit.memory.id for hit in found.hits]) if keep else run.done(answer)

    def _search(self, request: RecallRequest) -> tuple[CompletedRecall, DocumentFallback]:
        recalled = self._recaller.recall(request)
        return recalled, self._recaller.documents(request, recalled.found.plausible)

    def _unknown_scope(self, request: RecallRequest) -> str:
        """Return a warning if the requested scope has no memories at all: perhaps it is misspelt."""
        reach, policy = request.view.reach, request.policies.scope
        if request.placement.mode is ScopeMode.GLOBAL or self._ledger.memories.page(
            admin_view(reach, self._clock.now()), 1
        ):
            return ""
        similar = similar_scopes(request.placement.scope, policy.existing_scopes())
        hint = f"; similar: {', '.join(similar)}" if similar else ""
        return f"scope_unknown: nothing is stored in scope '{request.placement.scope}' yet{hint}"

    def _recall_as_of(
        self, run: OperationRun, asked: QuestionAsked, request: RecallRequest, as_of: str | int, *, keep: bool
    ) -> Ok[Recalled]:
        """Answer from the memories as they were. No use is counted: nobody relies on what held once."""
        point = point_of(as_of, self._ledger, self._clock.now())
        recalled = self._recaller.recall_as_of(request, point.seq, point.at)
        found, ready = recalled.found, recalled.ready
        reworded = 0
        if recalled.vector_query is not None:
            reworded = self._ledger.history.reworded_since(point.seq, request.view.reach)
        run.asked = replace(asked, as_of=point.seq)
        run.considered = replace(
            candidates_section(found),
            tag=point.name,
            reworded=reworded,
            embedding_space=ready.space.name if ready.space else None,
        )
        run.decided = decision_section(found, request.policies, self._lifecycle(recalled, None))
        run.warn(ready.warning)
        if reworded:
            run.warn(f"as_of_words: {reworded} memories had another wording then; they are found by words only")
        run.warn(*recall_warnings(found, request.policies))
        answer = replace(recall_result(found, request), as_of=point)
        return run.keep_if_enabled(answer) if keep else run.done(answer)

    def _lifecycle(self, recalled: CompletedRecall, documents: DocumentFallback | None) -> LifecycleSection | UnsetType:
        policy = self._policies.receipts
        if not policy.enabled:
            return UNSET
        section = lifecycle_receipt(recalled.found, policy, rejected=_rejected(recalled.ready))
        return replace(section, cold_lane=documents.section if documents else ColdLane())

    # Get and list

    def get(
        self,
        id: str,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        redact: bool = True,
        quarantined: bool = True,
    ) -> Ok[MemoryShown]:
        """Return one memory with its history."""
        within = self._reach(scope, all_scopes)
        with self._run("get", get_facts(id, within, redact=redact), redact=redact) as run:
            memory = self._known(id, within, quarantined)
            events = self._ledger.memories.history(memory.id)
            history = tuple(RecordEvent(e.seq, e.operation, e.actor, e.reason, e.receipt, e.at) for e in events)
            used = self._ledger.usage.last_used_at([memory.id]).get(memory.id)
            return run.done(MemoryShown(memory, history, used), found=True)

    @operation(
        "list",
        operator_only=True,
        served=True,
        examples=("satchel list --kind decision --limit 20", "satchel list --trust untrusted --since 2026-11-01"),
    )
    def list(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        kinds: Kinds = (),
        labels: Annotated[Sequence[str], Param("only memories with this label", flag="label", choices=Label)] = (),
        trusts: Annotated[Sequence[str], Param("only memories of this trust", flag="trust", choices=Trust)] = (),
        states: Annotated[Sequence[str], Param("only memories in this state", flag="state", choices=State)] = (),
        since: Annotated[str | None, Param("only memories created at or after this date or time")] = None,
        until: Annotated[str | None, Param("only memories created before this date or time")] = None,
        text: Annotated[str | None, Param("only memories whose text or title contains this")] = None,
        source: Annotated[
            str | None, Param("only memories from this channel, such as web, or whose source contains this")
        ] = None,
        session: Annotated[str | None, Param("only memories of this session")] = None,
        tag: Annotated[str | None, Param("only memories with this tag")] = None,
        media: Media = None,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 50,
        after: Annotated[str | None, Param("continue after the previous page: its 'next'")] = None,
        redact: Redact = True,
        quarantined: Quarantined = True,
    ) -> Ok[MemoryPage]:
        """List memories, newest first."""
        with self._run("list", redact=redact) as run:
            view = self._admin_view(scope, all_scopes, kinds)
            view = replace(
                view,
                labels=tuple(one_of(Label, one, "label") for one in as_tuple(labels)),
                trusts=tuple(one_of(Trust, one, "trust") for one in as_tuple(trusts)) or view.trusts,
                states=tuple(one_of(State, one, "state") for one in as_tuple(states)) or view.states,
            )
            view = view if quarantined else without_quarantined(view)
            narrowed = list_filter(since, until, text, source, session, tag, media)
            mark = page_mark(after)
            page = self._page(view, page_size(limit) + 1, mark, narrowed)
            shown = tuple(page[:limit])
            following = f"{shown[-1].created_at}:{shown[-1].id}" if len(page) > limit else None
            run.asked = {
                "scope": view.reach.name,
                "kinds": list(view.kinds),
                "limit": limit,
                "after": mark,
                "redact": redact,
                "quarantined": quarantined,
                **_filter_facts(narrowed, labels=as_tuple(labels), trusts=as_tuple(trusts), states=as_tuple(states)),
            }
            return run.done(MemoryPage(shown, following), returned=len(shown))

    def _page(self, view: View, limit: int, after: tuple[int, str] | None, narrowed: ListFilter) -> Sequence[Memory]:
        """Return up to `limit` memories that are not working sets: those are derived, and found by id only."""
        listed = list[Memory]()
        while len(listed) < limit:
            page = self._ledger.memories.page(view, limit, after, narrowed)
            listed += [one for one in page if not one.id.startswith(WORKING_SET)]
            if len(page) < limit:
                break
            after = (page[-1].created_at, page[-1].id)
        return listed[:limit]

    def count(self, *, scope: str | None = None, kinds: Sequence[str] = ()) -> int:
        """Count the memories of a scope, whatever their state."""
        return self._ledger.memories.count(self._admin_view(scope, False, kinds))

    # Forget

    def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        scope: str | None = None,
        all_scopes: bool = False,
        verify: bool = False,
        quarantined: bool = True,
        channel: SourceKind = SourceKind.OPERATOR,
        reason: ForgetReason | None = None,
    ) -> Ok[Forgotten]:
        """Erase one memory everywhere, by id. A query erases nothing: it lists what it could mean."""
        within = self._reach(scope, all_scopes)
        if id is not None and query is None:
            with self._run("forget", writes=True) as run:
                memory = self._erasable(id, within, quarantined)
                # A damaged memory is not left out here: it is what is erased.
                run.damaged[:] = [one for one in run.damaged if one.id != memory.id]
                return self._erase(run, memory, within, verify, channel, reason)
        if query is not None and id is None:
            view = admin_view(within, self._clock.now())
            return self._candidates(query, view if quarantined else without_quarantined(view))
        raise InvalidRequest("forget needs an id or a query", code="missing_param", hint="give one of the two")

    def _candidates(self, query: str, view: View) -> Ok[Forgotten]:
        with self._run("forget") as run:
            question = parse_question(query, Mode.LEXICAL, MAX_CANDIDATES)
            named = candidates(self._ledger.memories, question.terms, view)
            run.asked = {**question_facts(question.text), "scope": view.reach.name}
            return run.done(named, action=named.action, ids=[one.id for one in named.candidates])

    def _erase(
        self,
        run: OperationRun,
        memory: Memory,
        within: Reach,
        verify: bool,
        channel: SourceKind,
        reason: ForgetReason | None,
    ) -> Ok[Forgotten]:
        evidence = self._evidence_eraser()
        everywhere = reaches_everywhere(channel, self._parts)
        target = replace(evidence.evidence_of(memory.text, memory.scope), everywhere=everywhere)
        record = ForgottenRecord(memory.id, memory.trust, memory.scope)
        check_forget(record, target.observations, channel, self._parts)
        run.asked = forget_facts(memory.id, within, verify=verify, reason=reason)
        receipt = run.receipt(action="deleted", id=memory.id, observations=len(target.observations))
        held = [text for text in (target.text, *(one.text for one in target.observations)) if text]
        texts = [form for text in held for form in stored_forms(text)]
        erased = ErasedRecords(memory.id, observations=target.ids, scope=target.scope, texts=texts)
        forgotten = erase_memory(
            memory,
            within,
            memories=self._ledger.memories,
            erase_evidence=lambda: evidence.erase_evidence(target),
            is_elsewhere=survives_elsewhere(self._ledger, erased),
            purge_index=lambda: memory_index.purge_index(self._indexed_store),
            files=self._parts.files,
            actor=self._parts.actor,
            receipt=receipt,
            verify=verify,
            everywhere=everywhere,
        )
        if forgotten is None:
            raise _unknown(memory.id, within)
        return run.committed(replace(forgotten, observations=len(target.observations)), receipt)

    def _known(self, id: str, within: Reach, quarantined: bool = True) -> Memory:
        meant, view = self._meant(id, within, quarantined)
        found = self._ledger.memories.fetch([meant], view)
        if meant in found:
            return found[meant]
        if self._ledger.memories.salvage(meant, view) is not None:
            raise Corrupt(
                f"the stored bytes of memory {meant} are damaged",
                code="damaged_record",
                hint="satchel doctor --fix quarantines it, satchel forget erases it, satchel export --no-redact saves its bytes",
            )
        raise _unknown(id, within)

    def _erasable(self, id: str, within: Reach, quarantined: bool) -> Memory:
        """Return a memory, or what can be read of a damaged one."""
        meant, view = self._meant(id, within, quarantined)
        return self._ledger.memories.salvage(meant, view) or self._known(id, within, quarantined)

    def _meant(self, id: str, within: Reach, quarantined: bool) -> tuple[MemoryId, View]:
        view = admin_view(within, self._clock.now())
        view = view if quarantined else without_quarantined(view)
        return MemoryId(full_id(id, memory_ids(self._ledger, view))), view


def _filter_facts(narrowed: ListFilter, **named: Sequence[str]) -> dict[str, Json]:
    """Return the filters of a list for its receipt; a text is only counted."""
    facts: dict[str, Json] = {name: value for name, value in asdict(narrowed).items() if value is not None}
    if narrowed.text is not None:
        facts["text"] = {"chars": len(narrowed.text)}
    chosen: dict[str, Json] = {name: list(words) for name, words in named.items() if words}
    return {**facts, **chosen}


def _store_request(memory: Memory, replaces: str | None) -> StoreAsked:
    return StoreAsked(memory.scope, memory.kind, len(memory.text), replaces)


def _stored_section(
    memory: Memory, placement: Placement, preflight: PreflightSection, orders: tuple[str, ...]
) -> StoreDecided:
    return StoreDecided(
        id=memory.id,
        action="created",
        trust=memory.trust,
        trust_rule=trust_rule(memory, orders),
        order_reasons=list(orders) if orders else UNSET,
        label=memory.label,
        embedding_skipped=True,
        embedding_skip_reason=_DEFERRED,
        scope_mode=placement.mode,
        scope_invalid=placement.invalid,
        scope_normalized=placement.normalized,
        preflight=preflight,
    )


def _stored(memory: Memory, placement: Placement, seq: int) -> Stored:
    return Stored(
        id=memory.id,
        action="created",
        scope=memory.scope,
        kind=memory.kind,
        label=memory.label,
        importance=memory.importance,
        trust=memory.trust,
        created_at=memory.created_at,
        seq=seq,
        replaced=None,
        embedding_skipped=True,
        embedding_skip_reason=_DEFERRED,
        placement=placement,
    )


def _rejected(ready: memory_index.SearchReadiness) -> list[str]:
    """Return why a question has no vector, as the lifecycle receipt names it."""
    if ready.vector is not None or not ready.warning:
        return []
    too_long = ready.warning.partition(":")[0] == "input_too_long"
    return ["embedding_input_too_long" if too_long else "provider_unavailable"]


def _unknown(id: str, within: Reach) -> NotFound:
    group = next((group for form, group in _OTHER_IDS.items() if id.startswith(form)), None)
    hint = "name its scope with --scope, or use --all-scopes"
    if 0 < len(id.strip()) < MIN_PREFIX_CHARS:
        hint = f"give its id, or at least the first {MIN_PREFIX_CHARS} characters"
    if group is not None:
        hint = f"this is not a memory id: see 'satchel {group} --help'"
    return NotFound(f"no memory {id[:80]!r} in {within}", hint=hint)
