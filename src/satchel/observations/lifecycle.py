"""The lifecycle service: grade records, age and archive unused ones, revive them, report drift."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import AllScopes, DryRun, Param, RecordId, Scope, operation
from satchel.core.service import Service
from satchel.domain.arguments import check_range, count_values
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.moment import DAY_MS
from satchel.domain.observation import Grade, Grader, ObservationId
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId, State
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import Reach
from satchel.domain.text import replace_undecodable
from satchel.domain.view import LIVE_STATES, View, admin_view
from satchel.errors import NotFound
from satchel.observations import drift
from satchel.observations import lifecycle_rules as rules
from satchel.observations.grade import HEURISTIC, try_grade
from satchel.observations.ingest import text_to_grade
from satchel.observations.lifecycle_values import (
    Drift,
    Graded,
    GradedRecord,
    LifecycleRun,
    LifecycleStatus,
    Moved,
    Revived,
)
from satchel.observations.observational_log import reflect
from satchel.ports import Change, Grading, LifecycleRecord, Progress, StateChange

RECORDS_PER_BATCH = 500
MAX_EXAMPLES = 20
MAX_DRIFT_DAYS = 3_650

_OPERATIONS = {State.ARCHIVED: "archive", State.STALE: "age", State.ACTIVE: "revive"}
Decided = tuple[LifecycleRecord, rules.LifecycleDecision]


class Lifecycle(Service):
    """Keeps the store high in signal. Grades an operator gave are never replaced, and archiving is reversible."""

    @property
    def _grader(self) -> Grader:
        return self._parts.grader or HEURISTIC

    # Grading

    @operation(
        "grade",
        writes=True,
        idempotent=True,
        operator_only=True,
        examples=("satchel grade --dry-run", "satchel grade --all-scopes"),
    )
    def grade(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        dry_run: DryRun = False,
        progress: Progress | None = None,
    ) -> Ok[Graded]:
        """Grade records that have no importance yet, with the reason for each grade.

        Observations and memories, by the rules of heuristic-v1. An importance that was given is never replaced. Ingest
        grades new observations.
        """
        if not dry_run:
            self._require_writable()
        started = self._clock.ticks()
        view = replace(admin_view(self._reach(scope, all_scopes), self._clock.now()), states=LIVE_STATES)
        asked: dict[str, Json] = {"scope": view.reach.name, "dry_run": dry_run, "scorer": self._grader.method}
        grades: dict[str, list[Grading]] = {"observations": [], "memories": []}
        errors = 0
        for what, batch, broken in self._new_grades(view):
            errors += broken
            grades[what] += batch
            if batch and not dry_run:
                facts: dict[str, Json] = {"records": what, "graded": len(batch), "first": batch[0].id}
                receipt = self._receipt("grade batch", started, asked=asked, decided=facts)
                self._keep_grades(what, batch, view, receipt)
            if progress is not None:
                done = sum(map(len, grades.values()))
                progress(done, done, "grading")
        graded = _grade_summary(grades, self._grader, errors, dry_run)
        receipt = self._receipt("grade", started, asked=asked, decided=_grade_facts(graded))
        if dry_run:
            return Ok(graded, receipt)
        self._ledger.memories.commit([], receipt)
        return Ok(graded, self._kept(receipt, started))

    def _new_grades(self, view: View) -> Iterator[tuple[str, list[Grading], int]]:
        grader, after = self._grader, 0
        while rows := self._ledger.observations.ungraded(grader.method, grader.version, view, RECORDS_PER_BATCH, after):
            texts = [(str(one.id), text_to_grade(one.summary, one.text)) for _, one in rows]
            yield "observations", *_try_grades(grader, texts)
            after = rows[-1][0]
        ids = [one.id for one in self._ungraded_memories(view)]
        for start in range(0, len(ids), RECORDS_PER_BATCH):
            found = self._ledger.memories.fetch(ids[start : start + RECORDS_PER_BATCH], view)
            texts = [(str(one.id), redacted(f"{one.title or ''}\n{one.text}".strip()).text) for one in found.values()]
            yield "memories", *_try_grades(grader, texts)

    def _ungraded_memories(self, view: View) -> Iterator[Memory]:
        """Yield memories without an importance, or with one from an older version of the grader."""
        memories = self._ledger.memories.walk(view)
        while batch := list(islice(memories, RECORDS_PER_BATCH)):
            before = self._ledger.usage.grades([one.id for one in batch if one.importance is not None])
            yield from (one for one in batch if _is_due(one, before.get(one.id), self._grader))

    def _keep_grades(self, what: str, grades: Sequence[Grading], view: View, receipt: Receipt) -> None:
        if what == "observations":
            self._ledger.observations.grade(grades, receipt, self._parts.actor)
            return
        by_id = {MemoryId(one.id): one for one in grades}
        with self._ledger.memories.transaction():
            # Checked again under the write lock: an operator may have graded one meanwhile.
            current = self._ledger.memories.fetch([*by_id], view)
            before = self._ledger.usage.grades([*current])
            due = [one for one in current.values() if _is_due(one, before.get(one.id), self._grader)]
            self._ledger.memories.commit(
                [_graded_change(one, by_id[one.id], self._parts.actor) for one in due], receipt
            )
            self._ledger.usage.keep_grades([by_id[one.id] for one in due], receipt.at)

    # Lifecycle

    @operation(
        "lifecycle run",
        writes=True,
        operator_only=True,
        examples=("satchel lifecycle run --dry-run", "satchel lifecycle run --all-scopes"),
    )
    def run(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        dry_run: DryRun = False,
        progress: Progress | None = None,
    ) -> Ok[LifecycleRun]:
        """Mark unused records as stale, and archive them past their horizon.

        Nothing is deleted: an archived record leaves ordinary answers, and 'lifecycle revive' brings it back. Only
        selection into a final bundle counts as use.
        """
        if not dry_run:
            self._require_writable()
        started = self._clock.ticks()
        view = admin_view(self._reach(scope, all_scopes), self._clock.now())
        active_time = self._active_time(view.now)
        looked_at, decided = self._decisions(view, active_time)
        asked: dict[str, Json] = {"scope": view.reach.name, "dry_run": dry_run}
        if not dry_run:
            for start in range(0, len(decided), RECORDS_PER_BATCH):
                batch = decided[start : start + RECORDS_PER_BATCH]
                facts: dict[str, Json] = {"moved": len(batch), "first": batch[0][0].id}
                self._move(batch, view, self._receipt("lifecycle batch", started, asked=asked, decided=facts))
                if progress is not None:
                    progress(start + len(batch), len(decided), "moving")
        pruned = self._reflect(view.reach, dry_run, started)
        run = _summarize(dry_run, looked_at, decided, active_time.ignored_days, pruned)
        receipt = self._receipt(
            "lifecycle run", started, asked=asked, decided=_run_facts(run), warnings=_clock_warnings(run)
        )
        if dry_run:
            return Ok(run, receipt)
        self._ledger.memories.commit([], receipt)
        return Ok(run, self._kept(receipt, started))

    @operation("lifecycle status", operator_only=True)
    def status(self, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[LifecycleStatus]:
        """Show the state of records, and what a run would do now."""
        started = self._clock.ticks()
        view = admin_view(self._reach(scope, all_scopes), self._clock.now())
        policy = self._policies.lifecycle
        lives = list(self._ledger.usage.walk(view))
        _, decided = self._decisions(view, self._active_time(view.now))
        status = LifecycleStatus(
            p1_days=policy.p1_days,
            p2_days=policy.p2_days,
            stale_share=policy.stale_share,
            max_gap_days=policy.max_gap_days,
            grade_on_ingest=policy.grade_on_ingest,
            by_tier=count_values(rules.tier_of(one) for one in lives),
            by_state=count_values(one.state for one in lives),
            would_mark_stale=sum(one.to_state is State.STALE for _, one in decided),
            would_archive=sum(one.to_state is State.ARCHIVED for _, one in decided),
            last_run_at=self._ledger.usage.last_run_at(),
        )
        asked: dict[str, Json] = {"scope": view.reach.name}
        return Ok(status, self._receipt("lifecycle status", started, asked=asked, decided={"records": len(lives)}))

    @operation("lifecycle revive", writes=True, operator_only=True)
    def revive(self, id: RecordId, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[Revived]:
        """Bring an archived or stale record back."""
        self._require_writable()
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        view = admin_view(within, self._clock.now())
        life = self._life(replace_undecodable(id), view)
        to_state = rules.revived_state(life.state)
        receipt = self._receipt(
            "lifecycle revive",
            started,
            asked={"id": life.id, "scope": within.name},
            decided={"from": life.state, "to": to_state, "reason_code": "revived"},
        )
        self._move([(life, rules.LifecycleDecision(to_state, rules.tier_of(life), "revived", 0))], view, receipt)
        return Ok(Revived(life.id, life.state, to_state), self._kept(receipt, started))

    def _active_time(self, now: int) -> rules.ActiveTime:
        return rules.ActiveTime(self._ledger.usage.active_days(), now, self._policies.lifecycle.max_gap_days)

    def _decisions(self, view: View, active_time: rules.ActiveTime) -> tuple[int, list[Decided]]:
        looked_at, decided = 0, list[Decided]()
        for life in self._ledger.usage.walk(view):
            looked_at += 1
            decision = rules.decide(life, self._policies.lifecycle, active_time)
            if decision is not None:
                decided.append((life, decision))
        return looked_at, decided

    def _life(self, id: str, view: View) -> LifecycleRecord:
        found = self._ledger.usage.find(id, view)
        if found is None:
            raise NotFound(f"no record {id[:80]!r} in {view.reach}", hint="name its scope with --scope")
        return found

    def _move(self, batch: Sequence[Decided], view: View, receipt: Receipt) -> None:
        """Move memories and observations together. Records that another process moved meanwhile are left alone."""
        decisions = {life.id: (life, decision) for life, decision in batch}
        with self._ledger.memories.transaction():
            current = self._ledger.memories.fetch([MemoryId(life.id) for life, _ in batch if life.is_memory], view)
            unmoved = [one for one in current.values() if one.state is decisions[one.id][0].state]
            changes = [_moved_change(one, decisions[one.id][1], view.now, self._parts.actor) for one in unmoved]
            moves = [_observation_move(life, decision) for life, decision in batch if not life.is_memory]
            self._ledger.memories.commit(changes, receipt)
            self._ledger.observations.change_states(moves, receipt, self._parts.actor)

    def _reflect(self, within: Reach, dry_run: bool, started: float) -> int:
        """Prune the logs that are too long; return the number of lines removed."""
        pruned = 0
        for scope in filter(within.admits, self._ledger.log.scopes()):
            lines = self._ledger.log.lines(scope)
            numbers = reflect(lines, self._policies.lifecycle.log_chars)
            pruned += len(numbers)
            if numbers and not dry_run:
                gone = {*numbers}
                left = [one for one in lines if one.number not in gone]
                facts: dict[str, Json] = {
                    "lines_in": len(lines),
                    "chars_in": sum(len(one.text) for one in lines),
                    "lines_out": len(left),
                    "chars_out": sum(len(one.text) for one in left),
                }
                self._ledger.log.prune(
                    numbers, self._receipt("reflect", started, asked={"scope": scope}, decided=facts)
                )
        return pruned

    # Drift

    @operation("drift", operator_only=True, examples=("satchel drift --days 90 --svg drift.svg",))
    def drift(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        days: Annotated[int, Param("how many days back")] = 30,
        svg: Annotated[str | None, Param("also draw it into this SVG file")] = None,
        force: Annotated[bool, Param("replace an existing file")] = False,
    ) -> Ok[Drift]:
        """Show how labels, captures and archiving change over time."""
        started = self._clock.ticks()
        check_range(days, "days", 1, MAX_DRIFT_DAYS)
        view = admin_view(self._reach(scope, all_scopes), self._clock.now())
        today = view.now // DAY_MS
        by_day = drift.by_day(self._ledger.usage.counts(view, today - days + 1), today, days)
        totals = self._ledger.usage.totals(view)
        if svg is not None:
            self._parts.exchange.check(svg, force=force)
            title = f"Labels by day, scope {view.reach.name}"
            self._parts.exchange.write(svg, [drift.draw_svg(by_day, title).encode()], force=force)
        found = Drift(
            scope=view.reach.name,
            days=by_day,
            labels=totals["label"],
            unknown_share=drift.unknown_share(totals["label"]),
            mismatches=self._ledger.usage.mismatches(view),
            by_kind=totals["kind"],
            by_tool=totals["tool"],
            by_language=totals["language"],
            by_state=totals["state"],
            picture=None if svg is None else replace_undecodable(svg),
        )
        asked: dict[str, Json] = {
            "scope": view.reach.name,
            "days": days,
            "svg": None if svg is None else replace_undecodable(svg),
        }
        facts: dict[str, Json] = {"unknown_share": found.unknown_share, "mismatches": found.mismatches, "writes": False}
        return Ok(found, self._receipt("drift", started, asked=asked, decided=facts))


def _try_grades(grader: Grader, texts: Sequence[tuple[str, str]]) -> tuple[list[Grading], int]:
    found = [(id, try_grade(grader, text)) for id, text in texts]
    grades = [_grading(id, grade, grader) for id, grade in found if grade is not None]
    return grades, len(found) - len(grades)


def _grading(id: str, grade: Grade, grader: Grader) -> Grading:
    return Grading(id, grade.score, grade.label, grader.method, grader.version, grade.signals)


def _is_due(memory: Memory, before: Grading | None, grader: Grader) -> bool:
    if memory.importance is None:
        return True
    by_another = before is not None and (before.grader, before.version) != (grader.method, grader.version)
    return by_another and before is not None and before.score == memory.importance


def _graded_change(memory: Memory, grade: Grading, actor: str) -> Change:
    graded = replace(memory, importance=grade.score, label=grade.label)
    reason = f"{grade.grader}/{grade.version}: {', '.join(grade.signals) or 'no signal'}"
    return Change(graded, memory, "grade", actor, reason)


def _grade_summary(grades: dict[str, list[Grading]], grader: Grader, errors: int, dry_run: bool) -> Graded:
    both = [*grades["observations"], *grades["memories"]]
    return Graded(
        dry_run=dry_run,
        method=grader.method,
        version=grader.version,
        observations=len(grades["observations"]),
        memories=len(grades["memories"]),
        scorer_errors=errors,
        label_counts=count_values(one.label for one in both),
        signal_counts=count_values(signal for one in both for signal in one.signals),
        examples=tuple(GradedRecord(one.id, one.score, one.label, one.signals) for one in both[:MAX_EXAMPLES]),
    )


def _grade_facts(graded: Graded) -> dict[str, Json]:
    return {
        "method": graded.method,
        "version": graded.version,
        "observations": graded.observations,
        "memories": graded.memories,
        "scorer_errors": graded.scorer_errors,
        "label_counts": dict(graded.label_counts),
        "signal_counts": dict(graded.signal_counts),
        "reasons": {one.id: list(one.signals) for one in graded.examples},
    }


def _moved_change(memory: Memory, decision: rules.LifecycleDecision, now: int, actor: str) -> Change:
    # Reviving restarts the record's age; ageing must not look like a change of content.
    updated_at = now if decision.to_state is State.ACTIVE and decision.reason == "revived" else memory.updated_at
    moved = replace(memory, state=decision.to_state, updated_at=updated_at)
    return Change(moved, memory, _OPERATIONS[decision.to_state], actor, _reason(decision))


def _observation_move(life: LifecycleRecord, decision: rules.LifecycleDecision) -> StateChange:
    id, to_state = ObservationId(life.id), decision.to_state
    return StateChange(
        id, life.state, to_state, _OPERATIONS[to_state], _reason(decision), restarts=decision.reason == "revived"
    )


def _reason(decision: rules.LifecycleDecision) -> str:
    return f"{decision.reason}: {decision.tier}, {decision.idle_days} days"


def _summarize(
    dry_run: bool, looked_at: int, decided: Sequence[Decided], unwitnessed: int, pruned: int
) -> LifecycleRun:
    archived = [(life, one) for life, one in decided if one.to_state is State.ARCHIVED]
    return LifecycleRun(
        dry_run=dry_run,
        looked_at=looked_at,
        stale=sum(one.to_state is State.STALE for _, one in decided),
        archived=len(archived),
        by_tier=count_values(one.tier for _, one in archived),
        by_trust=count_values(life.trust for life, _ in archived),
        by_label=count_values(life.label for life, _ in archived),
        by_reason=count_values(one.reason for _, one in decided),
        unwitnessed_days=unwitnessed,
        log_lines_pruned=pruned,
        examples=tuple(
            Moved(life.id, life.state, one.to_state, one.tier, one.reason, one.idle_days)
            for life, one in decided[:MAX_EXAMPLES]
        ),
    )


def _run_facts(run: LifecycleRun) -> dict[str, Json]:
    return {
        "looked_at": run.looked_at,
        "stale": run.stale,
        "archived": run.archived,
        "by_tier": dict(run.by_tier),
        "by_trust": dict(run.by_trust),
        "by_label": dict(run.by_label),
        "by_reason": dict(run.by_reason),
        "log_lines_pruned": run.log_lines_pruned,
    }


def _clock_warnings(run: LifecycleRun) -> tuple[str, ...]:
    if not run.unwitnessed_days:
        return ()
    return (f"clock_doubted: {run.unwitnessed_days} days without any activity were not counted",)
