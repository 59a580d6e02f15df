"""Observations: capture and ingest events, find them again step by step, erase them."""

from functools import cache, cached_property
from typing import Annotated

from msgspec.structs import replace

from satchel.core.erasure import (
    ErasedRecords,
    ErasureTarget,
    ForgottenRecord,
    check_forget,
    clear_places,
    forget_facts,
    prepare_erasure_proof,
    reaches_everywhere,
    survives_elsewhere,
)
from satchel.core.operations import AllScopes, Param, RecordId, Scope, operation
from satchel.core.references import full_id, memory_ids, observation_ids
from satchel.core.run import OperationRun
from satchel.core.service import Service, get_facts
from satchel.domain.arguments import check_range
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten
from satchel.domain.history import RecordEvent
from satchel.domain.inspection import order_warnings
from satchel.domain.observation import Observation, ObservationId, is_observation_id
from satchel.domain.receipt import question_facts
from satchel.domain.record import MemoryId, SourceKind
from satchel.domain.scope import Reach, check_scope
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.domain.view import LIVE_STATES, View, admin_view, without_quarantined
from satchel.errors import InvalidRequest, NotFound
from satchel.observations.event import CaptureContext
from satchel.observations.evidence_erasure import EvidenceErasure
from satchel.observations.grade import HEURISTIC
from satchel.observations.ingest import IngestOptions, IngestRun, capture_context, ingest_facts
from satchel.observations.intake import EventStream, parse_events
from satchel.observations.lines import excerpt, observation_line, search_hit
from satchel.observations.observational_log import DEBUG, LEVELS, levels_from, observe
from satchel.observations.values import (
    CaptureResult,
    Excerpt,
    FoundObservations,
    Ingested,
    LogContents,
    LogLine,
    Observed,
    Timeline,
    misplaced_warnings,
)
from satchel.ports import Progress
from satchel.recall.request import MAX_LIMIT, Mode, parse_question

MAX_WINDOW = 50
MAX_EXCERPT_CHARS = 8_000
MAX_RAW = 1_000
OBSERVED_PER_BATCH = 1_000
FOLLOW_SECONDS = 0.5

_Archived = Annotated[bool, Param("include archived and retired records")]


class Observations(Service):
    """Keeps events as evidence, and finds them again step by step."""

    # Capture and ingest

    @operation(
        "capture",
        writes=True,
        operator_only=True,
        examples=('echo \'{"tool_name": "bash", "text": "12 tests passed"}\' | satchel capture',),
    )
    def capture(
        self,
        events: Annotated[
            str | None, Param("the events; standard input if omitted", positional=True, stdin=True)
        ] = None,
        *,
        scope: Annotated[
            str | None, Param("put every event into this scope, whatever it says itself; auto is its project")
        ] = None,
    ) -> Ok[CaptureResult]:
        """Write events to the spool: one JSON object, or one per line.

        Made for hooks: it starts quickly, masks secrets before anything is written, stores long payloads separately,
        and returns when the event is on disk. Invalid events go to dead-letters.jsonl.
        """
        with self._run("capture", {"scope": scope}, writes=True) as run:
            if events is None:
                raise InvalidRequest(
                    "no event was given", code="missing_param", hint="give one JSON object, or one per line"
                )
            # The folder of each event names the project.
            fixed = scope if scope in (None, AUTO_SCOPE) else check_scope(scope, self._policies.scope)
            now, nonce = self._clock.now(), self._parts.new_id()
            context = self._capture_context(now)._replace(fixed_scope=fixed, nonce=nonce)
            stream = EventStream()
            raws = [raw for raw in (*stream.feed(events.encode("utf-8", "replace")), *stream.end()) if raw.strip()]
            found = parse_events(raws, context, f"capture:{now}.{nonce}")
            for name, text in found.payloads:
                self._parts.spool.put(name, text)
            if found.lines:
                self._parts.spool.append(found.lines)
            self._parts.spool.add_dead_letters(found.letters)
            captured = CaptureResult(len(found.lines), found.private, len(found.letters), found.misplaced)
            run.decided = captured
            run.warn(*misplaced_warnings(captured.misplaced))
            return run.done(captured)

    @operation(
        "ingest",
        writes=True,
        idempotent=True,
        operator_only=True,
        examples=("satchel ingest", "satchel ingest --follow"),
    )
    def ingest(
        self,
        *,
        file: Annotated[str | None, Param("ingest this file of events instead of the spool", metavar="FILE")] = None,
        follow: Annotated[bool, Param("continue as events arrive, until stopped", terminal_only=True)] = False,
        progress: Progress | None = None,
    ) -> Ok[Ingested]:
        """Move events from the spool into the ledger.

        Each event is ingested once, however often this runs or is interrupted. Invalid lines go to dead-letters.jsonl
        with the reason; the others are ingested.
        """
        while True:
            with self._run("ingest", writes=True) as run, self._parts.spool.ingest_lock():
                done = self._ingest_once(run, file, progress)
            if not follow:
                return done
            self._parts.spool.wait(FOLLOW_SECONDS)

    def _capture_context(self, now: int) -> CaptureContext:
        return capture_context(now, self._policies.scope, self._parts.project_of)

    def _ingest_once(self, run: OperationRun, file: str | None, progress: Progress | None) -> Ok[Ingested]:
        spool = self._parts.spool
        options = IngestOptions(
            self._capture_context(self._clock.now()),
            (self._parts.grader or HEURISTIC) if self._policies.lifecycle.grade_on_ingest else None,
            cache(lambda scope: self._ledger.scopes.seeds(scope).own),
        )
        source = None if file is None else spool.resolve_file(file)
        run.asked = {"file": source}
        totals = IngestRun(
            spool,
            self._ledger.observations,
            options,
            source,
            lambda facts: self._run("ingest batch", run.asked).receipt(**facts),
            progress,
        ).run()
        ingested = totals.summary(log_lines=self._observe() if totals.inserted else 0)
        run.decided = ingest_facts(ingested)
        run.warn(*misplaced_warnings(ingested.misplaced), *order_warnings(ingested.quarantined))
        if not totals.seen:
            return run.done(ingested)
        receipt = run.receipt()
        self._ledger.memories.commit([], receipt)
        return run.committed(ingested, receipt)

    def _observe(self) -> int:
        """Compress full buffers into lines of the log; return the number of lines."""
        policy, log, written = self._policies.lifecycle, self._ledger.log, 0
        for scope in log.scopes_over(policy.observer_chars, policy.observer_tail):
            left = log.pending_size(scope)[0] - policy.observer_tail
            while left > 0 and (old := log.oldest(scope, min(left, OBSERVED_PER_BATCH))):
                lines = (self._parts.observer or observe)(old)
                receipt = self._run("observe", {"scope": scope}).receipt(
                    observations_in=len(old),
                    chars_in=sum(len(one.text) for one in old),
                    lines_out=len(lines),
                    chars_out=sum(len(one.text) for one in lines),
                )
                log.append(lines, receipt)
                left, written = left - len(old), written + len(lines)
        return written

    # Progressive recall

    @operation("search", examples=('satchel search "timeout" --scope repo/api',))
    def search(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        limit: Annotated[int, Param(f"how many to return, 1 to {MAX_LIMIT}")] = 20,
        archived: _Archived = False,
    ) -> Ok[FoundObservations]:
        """Find observations by their words, one line each.

        The first of three steps: search, then timeline for the events around a hit, then get for the full record.
        """
        with self._run("search") as run:
            question = parse_question(query, Mode.LEXICAL, limit)
            view = self._evidence_view(scope, archived)
            matches = self._ledger.observations.match(question.terms, view, question.limit)
            found = self._ledger.observations.fetch([id for id, _ in matches], view)
            hits = tuple(
                search_hit(found[id], score, rank, question.terms)
                for rank, (id, score) in enumerate(matches, 1)
                if id in found
            )
            run.asked = {
                **question_facts(question.text),
                "scope": view.reach.name,
                "limit": limit,
                "archived": archived,
            }
            run.decided = {"hits": {hit.id: round(hit.score, 6) for hit in hits}}
            return run.done(FoundObservations(hits, view.reach.name))

    @operation("timeline", examples=("satchel timeline ID --window 5",))
    def timeline(
        self,
        id: RecordId,
        *,
        scope: Scope = None,
        window: Annotated[int, Param("how many neighbours on each side, 1 to 50")] = 4,
        archived: _Archived = False,
    ) -> Ok[Timeline]:
        """Show the events around a record, one line each."""
        with self._run("timeline") as run:
            check_range(window, "window", 1, MAX_WINDOW)
            view = self._evidence_view(scope, archived)
            anchor = full_id(id, memory_ids(self._ledger, view), observation_ids(self._ledger, view))
            here, at, own_scope = self._anchor(anchor, view)
            # Only its own scope: events of other scopes did not lead to this one.
            near = replace(view, reach=Reach((own_scope,)))
            before, after = self._ledger.observations.around(at, anchor, near, window)
            timeline = Timeline(
                anchor,
                at,
                tuple(map(observation_line, before)),
                None if here is None else observation_line(here),
                tuple(map(observation_line, after)),
            )
            run.asked = {"id": anchor, "scope": view.reach.name, "window": window}
            run.decided = {"before": [one.id for one in before], "after": [one.id for one in after]}
            return run.done(timeline)

    def _anchor(self, id: str, view: View) -> tuple[Observation | None, int, str]:
        if is_observation_id(id):
            found = self._ledger.observations.fetch([ObservationId(id)], view).get(ObservationId(id))
            if found is not None:
                return found, found.at, found.scope
        else:
            memory = self._ledger.memories.fetch([MemoryId(id)], view).get(MemoryId(id))
            if memory is not None:
                return None, memory.created_at, memory.scope
        raise _unknown_record(id, view.reach)

    def _evidence_view(self, scope: str | None, archived: bool) -> View:
        view = View(self._reach(scope), self._clock.now())
        return replace(view, states=tuple(admin_view(view.reach, view.now).states) if archived else LIVE_STATES)

    def get(
        self,
        id: str,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        redact: bool = True,
        quarantined: bool = True,
    ) -> Ok[Observed]:
        """Return one observation with its history."""
        within = self._reach(scope, all_scopes)
        with self._run("get", get_facts(id, within, redact=redact), redact=redact) as run:
            view = admin_view(within, self._clock.now())
            observation = self._known_observation(id, view if quarantined else without_quarantined(view))
            history = self._ledger.observations.history(observation.id)
            observed = Observed(
                observation,
                self._ledger.usage.last_used_at([observation.id]).get(observation.id),
                tuple(RecordEvent(e.seq, e.operation, e.actor, e.reason, e.receipt, e.at) for e in history),
            )
            return run.done(observed, found=True)

    # Erasing

    def forget(
        self,
        id: str,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        verify: bool = False,
        quarantined: bool = True,
        channel: SourceKind = SourceKind.OPERATOR,
        reason: ForgetReason | None = None,
    ) -> Ok[Forgotten]:
        """Erase an observation with its spool lines, dead letters and artifacts."""
        within = self._reach(scope, all_scopes)
        with self._run("forget", writes=True) as run:
            view = admin_view(within, self._clock.now())
            observation = self._known_observation(id, view if quarantined else without_quarantined(view))
            check_forget(
                ForgottenRecord(observation.id, observation.trust, observation.scope), (), channel, self._parts
            )
            everywhere = reaches_everywhere(channel, self._parts)
            target = ErasureTarget(observation.scope, (observation,), everywhere=everywhere)
            run.asked = forget_facts(observation.id, within, verify=verify, reason=reason)
            receipt = run.receipt(action="deleted", id=observation.id)
            text = f"{observation.summary}\n{observation.text}" if observation.text else observation.detail or ""
            texts = [one.text for one in target.observations if one.text]
            erased = ErasedRecords(observations=target.ids, scope=target.scope, texts=texts)
            proof = prepare_erasure_proof(
                text, survives_elsewhere(self._ledger, erased), self._parts.files, verify=verify
            )
            self._evidence.erase_evidence(target)
            places = {"ledger": self._ledger.memories.scrub, "spool": lambda: True}
            forgotten = clear_places(MemoryId(observation.id), proof, places)
            self._ledger.memories.commit([], receipt)
            return run.committed(forgotten, receipt)

    @cached_property
    def _evidence(self) -> EvidenceErasure:
        return EvidenceErasure(self._parts)

    def _known_observation(self, id: str, view: View) -> Observation:
        meant = ObservationId(full_id(id, observation_ids(self._ledger, view)))
        found = self._ledger.observations.fetch([meant], view)
        if meant not in found:
            raise _unknown_record(id, view.reach)
        return found[meant]

    # Artifacts and the log

    @operation(
        "artifacts show", operator_only=True, examples=("satchel artifacts show ID --part tail --max-chars 2000",)
    )
    def artifacts_show(
        self,
        id: Annotated[str, Param("id of the observation", positional=True)],
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        part: Annotated[str, Param("which part of it", choices=("head", "tail", "both"))] = "head",
        max_chars: Annotated[int, Param("how many characters, 1 to 8000")] = MAX_EXCERPT_CHARS,
    ) -> Ok[Excerpt]:
        """Show a part of a payload that was too long for its observation."""
        with self._run("artifacts show") as run:
            if type(max_chars) is not int or not 1 <= max_chars <= MAX_EXCERPT_CHARS:
                raise InvalidRequest(f"max_chars must be from 1 to {MAX_EXCERPT_CHARS}", code="out_of_range")
            if part not in ("head", "tail", "both"):
                raise InvalidRequest(f"unknown part {part[:40]!r}", code="unknown_word", hint="head, tail or both")
            observation = self._known_observation(id, self._admin_view(scope, all_scopes))
            if observation.payload is None:
                raise NotFound(
                    f"observation {observation.id} has no artifact: its text is complete", code="no_artifact"
                )
            text = self._parts.spool.get(observation.payload)
            shown = Excerpt(observation.payload, len(text.encode()), len(text), part, excerpt(text, part, max_chars))
            run.asked = {"id": observation.id, "part": part, "max_chars": max_chars}
            return run.done(shown, name=shown.name)

    @operation("observations show", operator_only=True, examples=("satchel observations show --scope repo/api",))
    def observations_show(
        self,
        *,
        scope: Scope = None,
        raw: Annotated[int, Param("how many uncompressed observations to show, 0 to 1000")] = 20,
        level: Annotated[str, Param("the lowest level to show", choices=LEVELS)] = DEBUG,
    ) -> Ok[LogContents]:
        """Show the observational log of a scope, and the observations not in it yet.

        The log grows only at its end until the lifecycle prunes it, so that it can start a prompt and be cached.
        """
        with self._run("observations show") as run:
            check_range(raw, "raw", 0, MAX_RAW)
            levels = levels_from(level)
            name = self._reach(scope).scopes[0]
            lines = [one for one in self._ledger.log.lines(name) if one.level in levels]
            newest = self._ledger.log.newest(name, raw)
            count, chars = self._ledger.log.pending_size(name)
            shown = LogContents(
                name,
                tuple(LogLine(one.number, one.at, one.level, one.text) for one in lines),
                tuple(map(observation_line, newest)),
                chars,
                count,
            )
            run.asked = {"scope": name, "raw": raw, "level": level}
            return run.done(shown, lines=len(lines), raw=count)


def _unknown_record(id: str, within: Reach) -> NotFound:
    return NotFound(f"no record {id[:80]!r} in {within}", hint="name its scope with --scope")
