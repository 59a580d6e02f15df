"""Attention: small packets of working memory for the steps of an agent, and the lessons it reports back."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec.structs import replace

from satchel.attention import columns, fields
from satchel.attention import router as route
from satchel.attention.candidates import gather
from satchel.attention.entry import AttentionEntry, ParsedEntry, is_repeated, parse_entry, same_details
from satchel.attention.lessons import ReportOrigin, parse_report, procedure, reflection
from satchel.attention.relevance import search
from satchel.attention.request import AttentionRequest, parse_request
from satchel.attention.retire import check_replacement, retire, successors
from satchel.attention.values import (
    Added,
    AttentionList,
    AttentionReady,
    Inspected,
    PacketList,
    Reflected,
    Refreshed,
    Routed,
)
from satchel.core.erasure import ErasedRecords, clear_places, forget_facts, prepare_erasure_proof, survives_elsewhere
from satchel.core.operations import Channel, LoweredTrust, Param, Quarantined, Scope, operation
from satchel.core.parts import Parts
from satchel.core.references import full_id, memory_ids
from satchel.core.run import OperationRun
from satchel.core.service import Service, page_size
from satchel.domain.admit import supersede
from satchel.domain.attention import (
    GLOBAL,
    PACKET_PREFIX,
    READS,
    REFRESHED,
    Details,
    MemoryType,
    Role,
    RoleScope,
    kinds_of_types,
    short_id,
)
from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.edges import DERIVATION_WEIGHT, REPLACEMENT_WEIGHT, EdgeType, MemoryEdge
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten
from satchel.domain.inspection import order_warnings, trust_rule
from satchel.domain.masking import masked
from satchel.domain.receipt import Receipt
from satchel.domain.receipt_sections import AttentionAsked
from satchel.domain.record import Memory, MemoryId, SourceKind
from satchel.domain.safety.redact import mask
from satchel.domain.scope import Reach
from satchel.domain.view import View, admin_view, without_quarantined
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.ports import Change, NewPacket
from satchel.recall.recaller import Recaller

REPLACED = "replaced by a newly added memory"
NO_VECTORS = "no_vectors: no candidate has a vector, so words alone decided; 'satchel index build' makes vectors"
MAX_STALE = 200
# Maximum number of memories with the same words that are compared with a new one.
MAX_TWINS = 50
_ATTENTION_KINDS = kinds_of_types(tuple(MemoryType))
_LIST_HINT = "'satchel attention list' shows the memories"

_Session = Annotated[str | None, Param("session it belongs to", flag="session")]
_Task = Annotated[str | None, Param("task it belongs to", flag="task")]
_SourceRefs = Annotated[Sequence[str], Param("turn, message, run or address it is based on", flag="ref")]
_SourceRef = Annotated[str | None, Param("where exactly it came from: a tool, an address, a file", operator_only=True)]


class Attention(Service):
    """Routes memories into a packet for each step and its role, and stores what the step learned."""

    def __init__(self, parts: Parts, recaller: Recaller) -> None:
        super().__init__(parts)
        self._recaller = recaller

    @operation("attention init", operator_only=True, own_database=True, examples=("satchel attention init",))
    def init(self) -> Ok[AttentionReady]:
        """Create the store if there is none."""
        with self._run("attention init") as run:
            return run.done(AttentionReady(True, self._ledger.location), initialized=True)

    # Reading

    @operation(
        "attention route",
        takes_object=True,
        own_database=True,
        examples=(
            'satchel attention route --goal "ship the release" --role executor --task release-4',
            'satchel attention route --input-json \'{"goal": "ship the release", "step_role": "critic"}\'',
        ),
    )
    def route(
        self,
        goal: Annotated[str, Param("goal of the step", stdin=True)],
        *,
        step_role: Annotated[str, Param("role of the step", flag="role", choices=Role)] = Role.PLANNER.value,
        session_id: Annotated[str | None, Param("session the step belongs to", flag="session")] = None,
        task_id: Annotated[str | None, Param("task the step belongs to", flag="task")] = None,
        user_constraints: Annotated[Sequence[str], Param("constraint of the request itself", flag="constraint")] = (),
        recent_failures: Annotated[Sequence[str], Param("failure that has just happened", flag="failure")] = (),
        unresolved_questions: Annotated[Sequence[str], Param("question that is still open", flag="question")] = (),
        meaning: Annotated[
            bool | None, Param("compare meaning too, and warn if that is not possible; default: if there are vectors")
        ] = None,
        scope: Scope = None,
    ) -> Ok[Routed]:
        """Make the packet of working memory for one step.

        It holds what is relevant to the goal, the role and the task, and a few rules that apply to every step; it may be
        empty. At most 5 memories, 4 hard constraints, 3 facts, 3 procedures, 3 pitfalls, 5 open questions. It says which
        memories it was made of, and why.
        """
        with self._run("attention route") as run:
            now, policy = self._clock.now(), self._policies.attention
            # Masked at once: the packet is stored with the goal and the other texts of its request.
            request = masked(
                parse_request(
                    goal, step_role, session_id, task_id, user_constraints, recent_failures, unresolved_questions
                )
            )
            required = meaning is not None and fields.switch(meaning, "meaning")
            by_meaning = required or (meaning is None and policy.by_meaning and self._has_vectors())
            view = View(self._reach(scope), now, kinds=kinds_of_types(READS[request.role]))
            searches = search(request, view, self._recaller, self._ledger, policy, by_meaning=by_meaning)
            pool = gather(request, view, searches, self._ledger, policy)
            for warning in searches.warnings:
                run.warn(warning)
            if required and not searches.warnings and not pool.measured_by_meaning:
                run.warn(NO_VECTORS)
            found = route.route(request, pool, now, policy)
            run.asked = _request_section(request, view.reach.name, by_meaning)
            run.considered = route.considered(found)
            run.decided = route.decided(found)
            receipt = run.receipt()
            packet = NewPacket(
                short_id(PACKET_PREFIX, self._parts.new_id()),
                view.reach.name,
                request.session,
                request.task,
                request.role,
                found.composed.goal,
                found.composed.items,
                found.selected,
                now,
            )
            kept = self._ledger.packets.keep(packet, receipt, policy.packets_kept)
            self._mark_selected(found.selected)
            routed = Routed(packet.id if kept else None, found.packet, route.debug(found, receipt.warnings))
            return run.committed(routed, receipt, kept=kept)

    def _has_vectors(self) -> bool:
        return self._ledger.vectors.space() is not None

    @operation("attention list", operator_only=True, own_database=True, examples=("satchel attention list --limit 20",))
    def list(
        self,
        *,
        limit: Annotated[int, Param("how many to return, 1 to 1000")] = 20,
        scope: Scope = None,
    ) -> Ok[AttentionList]:
        """List memories, last changed first."""
        view = self._everything(scope)
        with self._run("attention list", {"scope": view.reach.name, "limit": limit}) as run:
            found = self._ledger.candidate_lists.recent(view, page_size(limit))
            listed = AttentionList(tuple(columns.item(one, self._current(one, view)) for one in found))
            return run.done(listed, returned=len(found))

    @operation("attention inspect", own_database=True, examples=("satchel attention inspect --memory-id ID",))
    def inspect(
        self,
        memory_id: Annotated[str, Param("id of the memory")],
        *,
        scope: Scope = None,
        quarantined: Quarantined = True,
    ) -> Ok[Inspected]:
        """Show one memory with its details and edges."""
        view = self._everything(scope)
        view = view if quarantined else without_quarantined(view)
        with self._run("attention inspect") as run:
            memory = self._known(memory_id, "memory_id", view)
            details = self._ledger.details.of([memory.id]).get(memory.id, Details())
            edges = tuple(columns.edge(one) for one in self._ledger.edges.of(memory.id))
            run.asked = {"id": memory.id, "scope": view.reach.name}
            inspected = Inspected(columns.whole_memory(memory, details, self._current(memory, view)), edges)
            return run.done(inspected, edges=len(edges))

    @operation(
        "attention packets", operator_only=True, own_database=True, examples=("satchel attention packets --limit 5",)
    )
    def packets(
        self,
        *,
        limit: Annotated[int, Param("how many to return, 1 to 1000")] = 10,
        scope: Scope = None,
    ) -> Ok[PacketList]:
        """List the packets, newest first."""
        view = self._everything(scope)
        with self._run("attention packets", {"scope": view.reach.name, "limit": limit}) as run:
            packets = self._ledger.packets.recent(view, page_size(limit))
            return run.done(PacketList(tuple(map(columns.packet, packets))), returned=len(packets))

    def forget(
        self,
        id: str,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        verify: bool = False,
        reason: ForgetReason | None = None,
    ) -> Ok[Forgotten]:
        """Erase a packet: its goal, the other texts of its request, and what it quoted of memories."""
        within = self._reach(scope, all_scopes)
        with self._run("forget", writes=True) as run:
            packet = self._ledger.packets.find(id, within)
            if packet is None:
                raise NotFound(f"no packet {id[:80]!r} in {within}", hint="'satchel attention packets' shows them")
            run.asked = forget_facts(packet.id, within, verify=verify, reason=reason)
            survives = survives_elsewhere(self._ledger, ErasedRecords())
            proof = prepare_erasure_proof(
                "\n".join(packet.packet.texts),
                lambda text: survives(text) or self._ledger.packets.contains(text, excluding=packet.id),
                self._parts.files,
                verify=verify,
            )
            receipt = run.receipt(action="deleted", id=packet.id)
            self._ledger.packets.erase(packet.id, receipt)
            forgotten = clear_places(MemoryId(packet.id), proof, {"ledger": self._ledger.memories.scrub})
            return run.committed(forgotten, receipt)

    # Writing

    @operation(
        "attention add",
        writes=True,
        takes_object=True,
        own_database=True,
        examples=(
            'satchel attention add --type preference --title "Bullets" --summary "At most three bullets" --level 3',
            'satchel attention add --input-json \'{"memory_type": "procedure", "title": "Release", "summary": "Test, then tag"}\'',
        ),
    )
    def add(
        self,
        memory_type: Annotated[str, Param("kind of memory", flag="type", choices=MemoryType)],
        title: Annotated[str, Param("a short title")],
        summary: Annotated[str, Param("the memory itself", stdin=True)],
        *,
        abstraction_level: Annotated[int, Param("0 raw, 1 session, 2 task, 3 long-term", flag="level")] = 0,
        role_scope: Annotated[str, Param("the role it is for, or global", flag="role", choices=RoleScope)] = GLOBAL,
        session_id: _Session = None,
        task_id: _Task = None,
        details: Annotated[
            Mapping[str, Json] | None, Param("more about it; hard_constraint, constraint and must are rules")
        ] = None,
        keywords: Annotated[Sequence[str], Param("another word to find it by", flag="keyword")] = (),
        tags: Annotated[Sequence[str], Param("a tag; failure, pitfall and warning make it a pitfall", flag="tag")] = (),
        source_refs: _SourceRefs = (),
        importance: Annotated[float | None, Param("from 0 to 1; 0.5 if omitted")] = None,
        confidence: Annotated[float | None, Param("from 0 to 1; 0.5 if omitted")] = None,
        success_score: Annotated[float | None, Param("from 0 to 1; 0.5 if omitted", flag="success")] = None,
        recency_ts: Annotated[str | None, Param("when it happened; now if omitted", flag="recency")] = None,
        valid_from_ts: Annotated[str | None, Param("date or time from which it is valid", flag="valid-from")] = None,
        valid_to_ts: Annotated[str | None, Param("date or time until which it is valid", flag="valid-to")] = None,
        # An id that is taken would tell an agent what another scope holds.
        id: Annotated[str | None, Param("an id; generated if omitted", operator_only=True)] = None,
        replaces_memory_id: Annotated[
            str | None, Param("id of the memory that this one replaces; it is retired", flag="replaces")
        ] = None,
        edges: Annotated[
            Sequence[Mapping[str, Json]],
            Param(
                "an object with to_memory_id, edge_type (similar, supports, contradicts, extends, derived_from) and weight",
                flag="edge",
                each=True,
            ),
        ] = (),
        scope: Scope = None,
        trust: LoweredTrust = None,
        source_kind: Channel = SourceKind.OPERATOR.value,
        source_ref: _SourceRef = None,
    ) -> Ok[Added]:
        """Store a memory for later steps.

        Preferences become hard constraints, procedures steps to follow, reflections pitfalls, summaries and episodes
        facts. If the same memory exists, none is added: the answer names the existing one.
        """
        with self._run("attention add", writes=True) as run:
            now, reach = self._clock.now(), self._reach(scope)
            entry = AttentionEntry(
                memory_type, title, summary, reach.name, abstraction_level, role_scope, session_id, task_id, details,
                keywords, tags, source_refs, importance, confidence, success_score, recency_ts, valid_from_ts,
                valid_to_ts, id, edges, trust, source_kind, source_ref,
            )  # fmt: skip
            parsed = parse_entry(entry, new_id=self._parts.new_id(), now=now)
            memory = parsed.memory
            with self._ledger.memories.transaction():
                twin = None if replaces_memory_id is not None else self._twin(parsed, given_id=id)
                if twin is not None:
                    return self._duplicate(run, twin)
                if id is not None and memory.id in self._ledger.memories.known([memory.id], []).ids:
                    raise Conflict(f"id: {memory.id!r} is taken", code="id_taken", hint="leave it out to get a new one")
                self._check_targets(parsed.edges, reach)
                retired = self._retirements(replaces_memory_id, memory, reach)
                new_edges = parsed.edges + tuple(_contradiction(memory, one.memory, now) for one in retired)
                run.asked = {
                    "scope": memory.scope,
                    "kind": memory.kind,
                    "chars": len(memory.text),
                    "edges": len(new_edges),
                }
                receipt = self._write(run, [parsed], retired, new_edges)
            added = Added(
                memory.id,
                retired[0].memory.id if retired else None,
                tuple(one.memory.id for one in retired),
                tuple(one.id for one in new_edges),
            )
            return run.committed(added, receipt)

    @operation(
        "attention reflect",
        writes=True,
        takes_object=True,
        own_database=True,
        examples=(
            'satchel attention reflect --goal "ship 4.2" --outcome completed --worked "smoke tests first" --create-procedure',
        ),
    )
    def reflect(
        self,
        *,
        goal: Annotated[str | None, Param("goal of the work")] = None,
        outcome: Annotated[str, Param("how it ended: completed, failed, …")] = "unknown",
        what_worked: Annotated[Sequence[str], Param("thing that worked", flag="worked")] = (),
        what_failed: Annotated[Sequence[str], Param("thing that failed", flag="failed")] = (),
        lessons: Annotated[Sequence[str], Param("lesson learned", flag="lesson")] = (),
        next_time: Annotated[Sequence[str], Param("thing to do next time", flag="next")] = (),
        session_id: _Session = None,
        task_id: _Task = None,
        create_procedure: Annotated[bool, Param("also store what worked as steps to follow")] = False,
        reflection_title: Annotated[str | None, Param("title of the reflection")] = None,
        procedure_title: Annotated[str | None, Param("title of the procedure")] = None,
        source_refs: _SourceRefs = (),
        importance: Annotated[float, Param("importance of the reflection, from 0 to 1")] = 0.8,
        confidence: Annotated[float, Param("confidence in the reflection, from 0 to 1")] = 0.8,
        procedure_importance: Annotated[float, Param("importance of the procedure, from 0 to 1")] = 0.82,
        procedure_confidence: Annotated[float, Param("confidence in the procedure, from 0 to 1")] = 0.78,
        scope: Scope = None,
        source_kind: Channel = SourceKind.OPERATOR.value,
        source_ref: _SourceRef = None,
    ) -> Ok[Reflected]:
        """Store the lessons of a piece of work."""
        with self._run("attention reflect", writes=True) as run:
            now = self._clock.now()
            report = parse_report(goal, outcome, what_worked, what_failed, lessons, next_time, session_id, task_id)
            origin = ReportOrigin(self._reach(scope).name, source_refs, source_kind, source_ref)
            entries = [reflection(report, origin, reflection_title, importance, confidence)]
            if fields.switch(create_procedure, "create_procedure") and report.steps:
                entries.append(procedure(report, origin, procedure_title, procedure_importance, procedure_confidence))
            parsed = [parse_entry(one, new_id=self._parts.new_id(), now=now) for one in entries]
            lesson, derived = parsed[0].memory, [one.memory for one in parsed[1:]]
            edges = [MemoryEdge(one.id, lesson.id, EdgeType.DERIVED_FROM, DERIVATION_WEIGHT, now) for one in derived]
            run.asked = {"scope": lesson.scope, "chars": len(lesson.text), "create_procedure": create_procedure}
            with self._ledger.memories.transaction():
                receipt = self._write(run, parsed, [], edges)
            return run.committed(Reflected(lesson.id, derived[0].id if derived else None), receipt)

    @operation(
        "attention refresh",
        writes=True,
        destructive=True,
        idempotent=True,
        takes_object=True,
        own_database=True,
        examples=('satchel attention refresh --stale ID --replacement ID --reason "the rule was changed"',),
    )
    def refresh(
        self,
        stale_memory_ids: Annotated[Sequence[str], Param("id of a memory to retire", flag="stale")],
        *,
        replacement_memory_id: Annotated[
            str | None, Param("id of the memory that replaces them", flag="replacement")
        ] = None,
        refresh_reason: Annotated[str, Param("why they are retired; secrets are masked", flag="reason")] = REFRESHED,
        scope: Scope = None,
        source_kind: Channel = SourceKind.OPERATOR.value,
    ) -> Ok[Refreshed]:
        """Retire memories that are no longer true.

        A retired memory is never routed again; it can still be inspected, with the reason and its replacement.
        """
        with self._run("attention refresh", writes=True) as run:
            now, view = self._clock.now(), self._everything(scope)
            stale = tuple(dict.fromkeys(self._full_id(one, view) for one in _stale_ids(stale_memory_ids)))
            reason = mask(fields.text(refresh_reason, "refresh_reason"))
            channel = fields.word(SourceKind, source_kind, "source_kind")
            with self._ledger.memories.transaction():
                found = self._ledger.memories.fetch(stale, view)
                if not found:
                    raise NotFound(
                        f"stale_memory_ids: no memory with any of these ids in {view.reach}", hint=_LIST_HINT
                    )
                by = None
                if replacement_memory_id is not None:
                    by = self._known(replacement_memory_id, "replacement_memory_id", view)
                    check_replacement(by, stale, lambda id: self._replacement(id, view))
                retired = [
                    Change(retire(old, by, reason, channel=channel, now=now), old, "retire", self._parts.actor, reason)
                    for old in (found[id] for id in stale if id in found)
                ]
                edges = [] if by is None else [_contradiction(by, one.memory, now) for one in retired]
                replacement = None if by is None else by.id
                run.asked = {"scope": view.reach.name, "stale": len(stale), "replacement": replacement}
                receipt = self._write(run, [], retired, edges)
            refreshed = Refreshed(
                deactivated=tuple(one.memory.id for one in retired),
                replacement_memory_id=replacement,
                refresh_reason=reason,
                edge_ids=tuple(one.id for one in edges),
                not_found=tuple(id for id in stale if id not in found),
            )
            return run.committed(refreshed, receipt)

    def _write(
        self, run: OperationRun, parsed: Sequence[ParsedEntry], retired: Sequence[Change], edges: Sequence[MemoryEdge]
    ) -> Receipt:
        """Write new memories, retirements and edges with the receipt, inside a transaction."""
        new = [one.memory for one in parsed]
        for one in parsed:
            run.warn(*order_warnings(len(one.orders[:1]), one.orders))
        receipt = run.receipt(
            stored=[_stored_facts(one) for one in parsed],
            retired=[one.memory.id for one in retired],
            edges=[one.id for one in edges],
        )
        stored = [Change(one, None, "store", self._parts.actor) for one in new]
        self._ledger.memories.commit([*stored, *retired], receipt)
        for one in parsed:
            self._ledger.details.put(one.memory.id, one.details)
        self._ledger.edges.put(edges)
        return receipt

    def _twin(self, parsed: ParsedEntry, given_id: str | None) -> MemoryId | None:
        """Return the live memory that a new one repeats in every field but its grades and times, if there is one."""
        new = parsed.memory
        view = replace(View(Reach((new.scope,)), self._clock.now()), kinds=(new.kind,))
        alike = self._ledger.memories.near_duplicates(new.text, view, MAX_TWINS)
        same = [one.id for one in alike if is_repeated(new, one) and given_id in (None, one.id)]
        known = self._ledger.details.of(same)
        for id in same:
            edges = {(one.target, one.type, one.weight) for one in self._ledger.edges.of(id) if one.source == id}
            new_edges = {(one.target, one.type, one.weight) for one in parsed.edges}
            if same_details(parsed.details, known.get(id, Details())) and new_edges <= edges:
                return id
        return None

    def _duplicate(self, run: OperationRun, id: MemoryId) -> Ok[Added]:
        run.asked = {"duplicate_of": id}
        return run.keep(Added(id, None, (), (), duplicate=True))

    def _everything(self, scope: str | None) -> View:
        """Return the view of every memory of a scope that has an attention type, whatever its state."""
        return replace(admin_view(self._reach(scope), self._clock.now()), kinds=_ATTENTION_KINDS)

    def _known(self, id: Any, field: str, view: View) -> Memory:
        meant = self._full_id(fields.text(id, field), view)
        found = self._ledger.memories.fetch([meant], view)
        if meant not in found:
            raise NotFound(f"{field}: no memory {meant[:80]!r} in {view.reach}", hint=_LIST_HINT)
        return found[meant]

    def _full_id(self, reference: str, view: View) -> MemoryId:
        return MemoryId(full_id(reference, memory_ids(self._ledger, view)))

    def _check_targets(self, edges: Sequence[MemoryEdge], reach: Reach) -> None:
        targets = [one.target for one in edges]
        known = self._ledger.memories.fetch(targets, admin_view(reach, self._clock.now()))
        if unknown := [target for target in targets if target not in known]:
            raise NotFound(f"edges: to_memory_id: no memory {unknown[0][:80]!r} in {reach}")

    def _retirements(self, id: str | None, memory: Memory, reach: Reach) -> Sequence[Change]:
        """Return the retirement of the memory that a new one replaces, if it replaces one."""
        if id is None:
            return []
        if id == memory.id:
            raise InvalidRequest("replaces_memory_id: a memory cannot replace itself", code="self_replacement")
        old = self._known(id, "replaces_memory_id", admin_view(reach, self._clock.now()))
        retired = replace(supersede(old, memory), reason=REPLACED, valid_to=memory.updated_at)
        return [Change(retired, old, "retire", self._parts.actor, REPLACED)]

    def _current(self, memory: Memory, view: View) -> MemoryId | None:
        """Return the end of a memory's chain of replacements, if it was replaced."""
        if memory.replaced_by is None:
            return None
        chain = successors(memory.id, lambda id: memory.replaced_by if id == memory.id else self._replacement(id, view))
        return chain[-1] if chain else memory.replaced_by

    def _replacement(self, id: MemoryId, view: View) -> MemoryId | None:
        found = self._ledger.memories.fetch([id], view)
        return found[id].replaced_by if id in found else None


def _request_section(request: AttentionRequest, scope: str, by_meaning: bool) -> AttentionAsked:
    """Describe a request without repeating it: people paste their memories into their goals."""
    request_fields: dict[str, Json] = {
        "goal": request.goal,
        "session": request.session,
        "task": request.task,
        "constraints": request.constraints,
        "failures": request.failures,
        "questions": request.questions,
    }
    return AttentionAsked(digest(canonical(request_fields)), len(request.goal), request.role, scope, by_meaning)


def _stored_facts(entry: ParsedEntry) -> dict[str, Json]:
    memory, reasons = entry.memory, entry.orders
    facts: dict[str, Json] = {"id": memory.id, "trust": memory.trust, "trust_rule": trust_rule(memory, reasons)}
    return facts | {"order_reasons": list(reasons)} if reasons else facts


def _contradiction(new: Memory, old: Memory, at: int) -> MemoryEdge:
    return MemoryEdge(new.id, old.id, EdgeType.CONTRADICTS, REPLACEMENT_WEIGHT, at)


def _stale_ids(value: Any) -> tuple[str, ...]:
    ids = fields.texts(value, "stale_memory_ids", most=MAX_STALE)
    if not ids:
        raise InvalidRequest("stale_memory_ids is missing", code="missing_param", hint="name the memories to retire")
    return ids
