"""Attention: small packets of working memory for the steps of an agent, and the lessons it reports back."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from satchel.attention import columns, fields
from satchel.attention import router as route
from satchel.attention.candidates import gather
from satchel.attention.entry import AttentionEntry, parse_entry
from satchel.attention.lessons import ReportOrigin, parse_report, procedure, reflection
from satchel.attention.lookup import current_replacement, every_memory, find_memory, full_memory_id
from satchel.attention.packets import forget_packet, new_packet
from satchel.attention.relevance import search
from satchel.attention.request import parse_request, request_section
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
from satchel.attention.writing import add_entry, add_lessons, retire_memories
from satchel.core.operations import Channel, LoweredTrust, Param, Quarantined, Scope, operation
from satchel.core.parts import Parts
from satchel.core.service import Service, page_size
from satchel.domain.attention import GLOBAL, READS, REFRESHED, Details, MemoryType, Role, RoleScope, kinds_of_types
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten
from satchel.domain.masking import masked
from satchel.domain.record import SourceKind
from satchel.domain.safety.redact import mask
from satchel.domain.view import View, without_quarantined
from satchel.errors import InvalidRequest
from satchel.recall.recaller import Recaller

NO_VECTORS = "no_vectors: no candidate has a vector, so words alone decided; 'satchel index build' makes vectors"
MAX_STALE = 200

_Session = Annotated[str | None, Param("session it belongs to", flag="session")]
_Task = Annotated[str | None, Param("task it belongs to", flag="task")]
_SourceRefs = Annotated[Sequence[str], Param("turn, message, run or address it is based on", flag="ref")]
_SourceRef = Annotated[str | None, Param("where exactly it came from: a tool, an address, a file", operator_only=True)]


class Attention(Service):
    """Routes memories into a packet for each step and its role, and stores what the step learned."""

    def __init__(self, parts: Parts, recaller: Recaller) -> None:
        super().__init__(parts)
        self._recaller = recaller

    def init(self) -> Ok[AttentionReady]:
        """Create the store if there is none."""
        with self._run("attention init", writes=True) as run:
            return run.done(AttentionReady(True, self._ledger.location), initialized=True)

    # Reading

    @operation(
        "attention route",
        takes_object=True,
        own_database=True,
        answers_without_store=True,
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
        with self._run("attention route", for_prompt=True) as run:
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
            run.asked = request_section(request, view.reach.name, by_meaning)
            run.considered = route.considered(found)
            run.decided = route.decided(found)
            receipt = run.receipt()
            packet = new_packet(found, view.reach.name, self._parts.new_id(), now)
            kept = self._ledger.packets.keep(packet, receipt, policy.packets_kept)
            self._mark_selected(found.selected)
            routed = Routed(packet.id if kept else None, found.packet, route.debug(found, receipt.warnings))
            return run.committed(routed, receipt, kept=kept)

    def _has_vectors(self) -> bool:
        return self._ledger.vectors.space() is not None

    @operation(
        "attention list",
        operator_only=True,
        own_database=True,
        answers_without_store=True,
        examples=("satchel attention list --limit 20",),
    )
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
            items = tuple(columns.item(one, current_replacement(one, view, self._ledger)) for one in found)
            return run.done(AttentionList(items), returned=len(found))

    @operation(
        "attention inspect",
        own_database=True,
        answers_without_store=True,
        examples=("satchel attention inspect --memory-id ID",),
    )
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
            memory = find_memory(memory_id, "memory_id", view, self._ledger)
            details = self._ledger.details.of([memory.id]).get(memory.id, Details())
            edges = tuple(columns.edge(one) for one in self._ledger.edges.of(memory.id))
            run.asked = {"id": memory.id, "scope": view.reach.name}
            shown = columns.whole_memory(memory, details, current_replacement(memory, view, self._ledger))
            return run.done(Inspected(shown, edges), edges=len(edges))

    @operation(
        "attention packets",
        operator_only=True,
        own_database=True,
        answers_without_store=True,
        examples=("satchel attention packets --limit 5",),
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
            return forget_packet(run, id, within, self._parts, verify=verify, reason=reason)

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
            return add_entry(run, parsed, reach, self._parts, replaces=replaces_memory_id, given_id=id, now=now)

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
            lesson = parsed[0].memory
            run.asked = {"scope": lesson.scope, "chars": len(lesson.text), "create_procedure": create_procedure}
            return add_lessons(run, parsed, self._parts, now=now)

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
            named = [full_memory_id(one, view, self._ledger) for one in _stale_ids(stale_memory_ids)]
            stale = tuple(dict.fromkeys(named))
            reason = mask(fields.text(refresh_reason, "refresh_reason"))
            channel = fields.word(SourceKind, source_kind, "source_kind")
            return retire_memories(
                run, stale, replacement_memory_id, reason, view, self._parts, channel=channel, now=now
            )

    def _everything(self, scope: str | None) -> View:
        return every_memory(self._reach(scope), self._clock.now())


def _stale_ids(value: Any) -> tuple[str, ...]:
    ids = fields.texts(value, "stale_memory_ids", most=MAX_STALE)
    if not ids:
        raise InvalidRequest("stale_memory_ids is missing", code="missing_param", hint="name the memories to retire")
    return ids
