"""Lifecycle: grade records, age and archive unused ones, revive them, report drift."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec.structs import replace

from satchel.core.automatic_tags import tag_before
from satchel.core.operations import AllScopes, DryRun, Param, RecordId, Scope, operation
from satchel.core.references import full_id, memory_ids, observation_ids
from satchel.core.run import OperationRun
from satchel.core.service import Service
from satchel.domain.arguments import check_range, count_values
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.moment import DAY_MS
from satchel.domain.observation import ObservationId
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId, State
from satchel.domain.safety.redact import mask
from satchel.domain.scope import Reach
from satchel.domain.text import check_text, replace_undecodable
from satchel.domain.view import LIVE_STATES, View, admin_view
from satchel.errors import NotFound
from satchel.observations import drift
from satchel.observations import lifecycle_rules as rules
from satchel.observations.grade_records import MAX_EXAMPLES, RECORDS_PER_BATCH, RecordGrading, grade_facts
from satchel.observations.lifecycle_values import (
    Archived,
    Drift,
    Graded,
    LifecycleRun,
    LifecycleStatus,
    Moved,
    Revived,
)
from satchel.observations.observational_log import log_size, observe, reflect
from satchel.ports import Change, Grading, LifecycleRecord, Progress, StateChange

MAX_DRIFT_DAYS = 3_650
ARCHIVED_BY_OPERATOR = "archived by the operator"

T = TypeVar("T")

_OPERATIONS = {State.ARCHIVED: "archive", State.STALE: "age", State.ACTIVE: "revive"}
Decided = tuple[LifecycleRecord, rules.LifecycleDecision]


class Lifecycle(Service):
    """Keeps the store high in signal. Grades an operator gave are never replaced, and archiving is reversible."""

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

        Observations and memories, by the rules of heuristic-v1. A trusted memory is at least nice_to_have, unless it
        contains a secret. An importance that was given is never replaced. Ingest grades new observations.
        """
        with self._run("grade", writes=not dry_run) as run:
            grading = RecordGrading(self._parts)
            view = replace(admin_view(self._reach(scope, all_scopes), self._clock.now()), states=LIVE_STATES)
            run.asked = {"scope": view.reach.name, "dry_run": dry_run, "scorer": grading.grader.method}
            grades: dict[str, list[Grading]] = {"observations": [], "memories": []}
            errors = 0
            for records, batch, failed in grading.new_grades(view):
                errors += failed
                if batch and not dry_run and not any(grades.values()):
                    tag_before(self._parts, "grade")
                grades[records] += batch
                if batch and not dry_run:
                    receipt = self._run("grade batch", run.asked).receipt(
                        records=records, graded=len(batch), first=batch[0].id
                    )
                    grading.keep(records, batch, view, receipt)
                if progress is not None:
                    done = sum(map(len, grades.values()))
                    progress(done, done, "grading")
            graded = grading.summary(grades, errors, dry_run)
            run.decided = grade_facts(graded)
            return self._finish(run, graded, dry_run)

    def _finish(self, run: OperationRun, result: T, dry_run: bool) -> Ok[T]:
        """Answer, and keep the receipt of a real run."""
        if dry_run:
            return run.done(result)
        receipt = run.receipt()
        self._ledger.memories.commit([], receipt)
        return run.committed(result, receipt)

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
        with self._run("lifecycle run", writes=not dry_run) as run:
            view = admin_view(self._reach(scope, all_scopes), self._clock.now())
            active_time = self._active_time(view.now)
            examined, decided = self._decisions(view, active_time)
            run.asked = {"scope": view.reach.name, "dry_run": dry_run}
            if decided and not dry_run:
                tag_before(self._parts, "lifecycle run")
            if not dry_run:
                for start in range(0, len(decided), RECORDS_PER_BATCH):
                    batch = decided[start : start + RECORDS_PER_BATCH]
                    receipt = self._run("lifecycle batch", run.asked).receipt(moved=len(batch), first=batch[0][0].id)
                    self._move(batch, view, receipt)
                    if progress is not None:
                        progress(start + len(batch), len(decided), "moving")
            pruned = self._reflect(view.reach, dry_run)
            result = _summarize(dry_run, examined, decided, active_time.ignored_days, pruned)
            run.decided = _run_facts(result)
            if result.unwitnessed_days:
                run.warn(f"clock_doubted: {result.unwitnessed_days} days without any activity were not counted")
            return self._finish(run, result, dry_run)

    @operation("lifecycle status", operator_only=True, examples=("satchel lifecycle status --all-scopes",))
    def status(self, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[LifecycleStatus]:
        """Show the state of records, and what a run would do now."""
        with self._run("lifecycle status") as run:
            view = admin_view(self._reach(scope, all_scopes), self._clock.now())
            policy = self._policies.lifecycle
            records = list(self._ledger.usage.walk(view))
            _, decided = self._decisions(view, self._active_time(view.now))
            status = LifecycleStatus(
                p1_days=policy.p1_days,
                p2_days=policy.p2_days,
                stale_share=policy.stale_share,
                max_gap_days=policy.max_gap_days,
                grade_on_ingest=policy.grade_on_ingest,
                by_tier=count_values(rules.tier_of(one) for one in records),
                by_state=count_values(one.state for one in records),
                would_mark_stale=sum(one.to_state is State.STALE for _, one in decided),
                would_archive=sum(one.to_state is State.ARCHIVED for _, one in decided),
                last_run_at=self._ledger.usage.last_run_at(),
            )
            run.asked = {"scope": view.reach.name}
            return run.done(status, records=len(records))

    @operation(
        "lifecycle archive",
        writes=True,
        operator_only=True,
        examples=('satchel lifecycle archive ID --reason "the team moved on"',),
    )
    def archive(
        self,
        id: RecordId,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        reason: Annotated[str | None, Param("why; the history keeps it, with secrets masked")] = None,
    ) -> Ok[Archived]:
        """Archive a record: answers leave it out until 'lifecycle revive' brings it back."""
        with self._run("lifecycle archive", writes=True) as run:
            said = ARCHIVED_BY_OPERATOR if reason is None else mask(check_text(reason, "the reason"))
            view = admin_view(self._reach(scope, all_scopes), self._clock.now())
            record = self._record(id, view)
            to_state = rules.archived_state(record.state)
            run.asked = {"id": record.id, "scope": view.reach.name}
            run.decided = {"from": record.state, "to": to_state, "reason_code": "operator"}
            receipt = run.receipt()
            decision = rules.LifecycleDecision(to_state, rules.tier_of(record), "operator", 0, said)
            self._move([(record, decision)], view, receipt)
            return run.committed(Archived(record.id, record.state, to_state), receipt)

    @operation("lifecycle revive", writes=True, operator_only=True, examples=("satchel lifecycle revive ID",))
    def revive(self, id: RecordId, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[Revived]:
        """Bring an archived or stale record back."""
        with self._run("lifecycle revive", writes=True) as run:
            view = admin_view(self._reach(scope, all_scopes), self._clock.now())
            record = self._record(id, view)
            to_state = rules.revived_state(record.state)
            run.asked = {"id": record.id, "scope": view.reach.name}
            run.decided = {"from": record.state, "to": to_state, "reason_code": "revived"}
            receipt = run.receipt()
            self._move(
                [(record, rules.LifecycleDecision(to_state, rules.tier_of(record), "revived", 0))], view, receipt
            )
            return run.committed(Revived(record.id, record.state, to_state), receipt)

    def _record(self, reference: str, view: View) -> LifecycleRecord:
        meant = full_id(reference, memory_ids(self._ledger, view), observation_ids(self._ledger, view))
        record = self._ledger.usage.find(meant, view)
        if record is None:
            raise NotFound(f"no record {meant[:80]!r} in {view.reach}", hint="name its scope with --scope")
        return record

    def _active_time(self, now: int) -> rules.ActiveTime:
        return rules.ActiveTime(self._ledger.usage.active_days(), now, self._policies.lifecycle.max_gap_days)

    def _decisions(self, view: View, active_time: rules.ActiveTime) -> tuple[int, list[Decided]]:
        """Return how many records were examined, and the changes that are due."""
        examined, decided = 0, list[Decided]()
        for record in self._ledger.usage.walk(view):
            examined += 1
            decision = rules.decide(record, self._policies.lifecycle, active_time)
            if decision is not None:
                decided.append((record, decision))
        return examined, decided

    def _move(self, batch: Sequence[Decided], view: View, receipt: Receipt) -> None:
        """Move memories and observations together. Records that another process moved meanwhile are left alone."""
        decisions = {record.id: (record, decision) for record, decision in batch}
        with self._ledger.memories.transaction():
            current = self._ledger.memories.fetch([MemoryId(one.id) for one, _ in batch if one.is_memory], view)
            unmoved = [one for one in current.values() if one.state is decisions[one.id][0].state]
            changes = [_moved_change(one, decisions[one.id][1], view.now, self._parts.actor) for one in unmoved]
            moves = [_observation_move(record, decision) for record, decision in batch if not record.is_memory]
            self._ledger.memories.commit(changes, receipt)
            self._ledger.observations.change_states(moves, receipt, self._parts.actor)

    def _reflect(self, within: Reach, dry_run: bool) -> int:
        """Compress the logs that are too long once more, and prune them; return by how many lines they are shorter."""
        log, most, pruned = self._ledger.log, self._policies.lifecycle.log_chars, 0
        for scope in filter(within.admits, log.scopes()):
            lines = log.lines(scope)
            if log_size(lines) <= most:
                continue
            # Only here may earlier lines change: events repeated since then are merged into one line each.
            left = reflect((self._parts.observer or observe)(log.logged(scope)), most)
            pruned += len(lines) - len(left)
            if not dry_run:
                receipt = self._run("reflect", {"scope": scope}).receipt(
                    lines_in=len(lines), chars_in=log_size(lines), lines_out=len(left), chars_out=log_size(left)
                )
                # An unchanged line stays where it is: its number may be cited, and the prompt cache knows it.
                before, after = ({one.text for one in ones} for ones in (lines, left))
                changed = [one for one in left if one.text not in before]
                log.replace([one.number for one in lines if one.text not in after], changed, receipt)
        return pruned

    # Drift

    @operation("drift", operator_only=True, examples=("satchel drift --days 90 --svg drift.svg",))
    def drift(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        days: Annotated[int, Param("how many days back")] = 30,
        svg: Annotated[str | None, Param("also draw it into this SVG file", metavar="FILE", terminal_only=True)] = None,
        force: Annotated[bool, Param("replace an existing file", terminal_only=True)] = False,
    ) -> Ok[Drift]:
        """Show how labels, captures and archiving change over time."""
        with self._run("drift") as run:
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
            run.asked = {"scope": view.reach.name, "days": days, "svg": found.picture}
            return run.done(found, unknown_share=found.unknown_share, mismatches=found.mismatches, writes=False)


def _moved_change(memory: Memory, decision: rules.LifecycleDecision, now: int, actor: str) -> Change:
    # Reviving restarts the record's age; ageing must not look like a change of content.
    updated_at = now if decision.to_state is State.ACTIVE and decision.reason == "revived" else memory.updated_at
    moved = replace(memory, state=decision.to_state, updated_at=updated_at)
    return Change(moved, memory, _OPERATIONS[decision.to_state], actor, _reason(decision))


def _observation_move(record: LifecycleRecord, decision: rules.LifecycleDecision) -> StateChange:
    id, to_state = ObservationId(record.id), decision.to_state
    return StateChange(
        id, record.state, to_state, _OPERATIONS[to_state], _reason(decision), restarts=decision.reason == "revived"
    )


def _reason(decision: rules.LifecycleDecision) -> str:
    return decision.said or f"{decision.reason}: {decision.tier}, {decision.idle_days} days"


def _summarize(
    dry_run: bool, examined: int, decided: Sequence[Decided], ignored_days: int, pruned: int
) -> LifecycleRun:
    archived = [(record, one) for record, one in decided if one.to_state is State.ARCHIVED]
    return LifecycleRun(
        dry_run=dry_run,
        looked_at=examined,
        stale=sum(one.to_state is State.STALE for _, one in decided),
        archived=len(archived),
        by_tier=count_values(one.tier for _, one in archived),
        by_trust=count_values(record.trust for record, _ in archived),
        by_label=count_values(record.label for record, _ in archived),
        by_reason=count_values(one.reason for _, one in decided),
        unwitnessed_days=ignored_days,
        log_lines_pruned=pruned,
        examples=tuple(
            Moved(record.id, record.state, one.to_state, one.tier, one.reason, one.idle_days)
            for record, one in decided[:MAX_EXAMPLES]
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
