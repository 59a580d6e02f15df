"""The stages of a rollout: write back in the background, try, go live, step down, and take it all back."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.errors import Conflict, Refused, SatchelError
from satchel.interfaces.evaluation.metrics import HYBRID, Evaluation
from satchel.interfaces.install.answers import InstallCheck
from satchel.interfaces.install.machine import Machine
from satchel.interfaces.install.plan import FilePlan
from satchel.interfaces.rollout import slot
from satchel.interfaces.rollout.judge import (
    canary_problems,
    conditions,
    later_stages,
    live_limits,
    mrr_of,
    probe_problems,
    unmet,
)
from satchel.interfaces.rollout.state import RolloutFolder
from satchel.interfaces.rollout.timers import cron_lines, systemd_units
from satchel.interfaces.rollout.values import (
    KEPT_RUNS,
    CanaryRecord,
    Limits,
    ProbeFigures,
    RolloutRun,
    RolloutState,
    RolloutStatus,
    RunRecord,
    SlotRecord,
    Stage,
    StageChange,
    WritebackTarget,
)
from satchel.writeback.values import WritebackReport

# How long the checks of a canary may take besides its window, before it counts as killed.
CANARY_SLACK_MS = 30 * 60_000
_MINUTE_MS = 60_000
_RELOAD = "OpenClaw reloads its configuration by itself; with gateway.reload off, run 'openclaw gateway restart'"

_TIMERS = "'satchel rollout status --timers' prints the lines for cron or systemd that run it from now on"


class Work(Struct, frozen=True):
    """What the stages do with the store and with OpenClaw."""

    write_back: Callable[[WritebackTarget, bool], WritebackReport]
    """Writes back; only shows what would be written if the second argument says so."""
    evaluate: Callable[[str | None], Evaluation]
    """Asks a golden set: that in a file, or the built-in one."""
    probe: Callable[[], ProbeFigures]
    live: Callable[[ProbeFigures, int], ProbeFigures]
    """Adds the recalls of agents since a moment."""
    check_configuration: Callable[[Machine], tuple[InstallCheck, ...]]
    wait: Callable[[float], None]
    """Waits for a number of seconds."""
    now: Callable[[], int]


class Rollout(Struct, frozen=True):
    """The rollout of one store into the OpenClaw of one person."""

    machine: Machine
    folder: RolloutFolder
    program: tuple[str, ...]
    """The words that start Satchel with this store."""
    work: Work

    # Where it is

    def status(self) -> RolloutStatus:
        """Return how far it is and what the next stage waits for."""
        state = self.folder.load()
        return RolloutStatus(
            stage=state.stage,
            slot=slot.current_slot(self.machine),
            config=str(slot.config_file(self.machine).path),
            target=state.target,
            runs=len(state.runs),
            green=state.green,
            last_run=state.runs[-1] if state.runs else None,
            canary=state.canary,
            conditions={str(one): conditions(state, one) for one in later_stages(state.stage)},
            stepped_down=state.stepped_down,
            interrupted=self._is_interrupted(state),
            cron=cron_lines(self.program, state.stage),
            systemd=systemd_units(self.program, state.stage),
        )

    def _is_interrupted(self, state: RolloutState) -> bool:
        return state.slot is not None and state.stage is not Stage.C and state.slot.until < self.work.now()

    # Stage A

    def start_background(self, target: WritebackTarget) -> StageChange:
        """Check the table with a dry run and remember it; a live slot is given back."""
        found = self.work.write_back(target, True)
        with self.folder.locked() as state:
            given_back = self._give_back(state)
            self.folder.save(replace(state, stage=Stage.A, target=target, slot=None))
        due = f"{found.updated} rows to update now, {found.eligible:.0%} of the memories have a row"
        return StageChange(
            state.stage,
            Stage.A,
            ". ".join(filter(None, (given_back, f"grades will be written back into {target.table}: {due}"))),
            next_steps=(_TIMERS,),
        )

    # Stage B

    def canary(self, cases: str | None, minutes: int, *, force: bool) -> StageChange:
        """Switch the slot for a while, ask the golden set, compare, and switch back whatever happens."""
        with self.folder.locked() as state:
            self._require_ready(state, Stage.B, force)
            state = self._at_rest(state)
            plan = slot.plan_switch(self.machine, self.folder.folder.parent)
            started = self.work.now()
            record = slot.record_of(plan, self.folder, until=started + minutes * _MINUTE_MS + CANARY_SLACK_MS)
            self._switch(plan, record, state, replace(state, slot=record))
        try:
            canary = self._tried(cases, minutes, started)
        finally:
            action = self._end_canary(record)
        if not action:
            canary = replace(canary, problems=(*canary.problems, "it was taken back before its end"))
        with self.folder.locked() as current:
            stage = current.stage if canary.problems else Stage.B
            self.folder.save(replace(current, stage=stage, canary=canary))
        told = f"the canary {'failed' if canary.problems else 'passed'}; {action or 'the slot was given back before'}"
        return StageChange(state.stage, stage, told, canary.problems, canary)

    def _switch(self, plan: FilePlan, record: SlotRecord, before: RolloutState, after: RolloutState) -> None:
        """Switch the slot. The state is saved first, so that a crash in between leaves nothing unknown."""
        try:
            self.folder.save(after)
            slot.switch(plan)
        except BaseException:  # also a signal: the slot and its record stay in step
            self.folder.save(before)
            self.folder.remove_backup(record.backup)
            raise

    def _tried(self, cases: str | None, minutes: int, started: int) -> CanaryRecord:
        checks = self.work.check_configuration(self.machine)
        evaluation = self.work.evaluate(cases)
        self.work.wait(minutes * 60.0)
        probes = self.work.live(self.work.probe(), started)
        problems = (
            *(one.message for one in checks if not one.passed),
            *canary_problems(evaluation, probes, Limits()),
        )
        return CanaryRecord(
            at=self.work.now(),
            problems=problems,
            cases=evaluation.cases,
            mrr=mrr_of(evaluation, HYBRID),
            baseline_mrr=mrr_of(evaluation),
            probes=probes,
            minutes=minutes,
        )

    def _end_canary(self, record: SlotRecord) -> str:
        """Give the slot back, unless that was done meanwhile. It must not stay switched because one write failed."""
        try:
            return self._give_back_canary(record)
        except OSError:
            return self._give_back_canary(record)

    def _give_back_canary(self, record: SlotRecord) -> str:
        with self.folder.locked() as state:
            if state.slot != record:
                return ""
            action = self._give_back(state)
            self.folder.save(replace(state, slot=None))
        return action

    # Stage C

    def go_live(self, max_error_rate: float | None, max_latency_ms: float | None, *, force: bool) -> StageChange:
        """Give Satchel the slot until the rollout is taken back or steps down."""
        with self.folder.locked() as state:
            self._require_ready(state, Stage.C, force)
            state = self._at_rest(state)
            plan = slot.plan_switch(self.machine, self.folder.folder.parent)
            record = slot.record_of(plan, self.folder)
            after = replace(
                state,
                stage=Stage.C,
                slot=record,
                limits=live_limits(state, max_error_rate, max_latency_ms),
                live_since=self.work.now(),
                stepped_down="",
            )
            self._switch(plan, record, state, after)
        checks = self.work.check_configuration(self.machine)
        if problems := tuple(one.message for one in checks if not one.passed):
            return self._step_down(problems)
        return StageChange(
            state.stage,
            Stage.C,
            f"Satchel has OpenClaw's memory slot; '{record.previous or 'no plugin'}' had it before",
            backup=str(self.folder.folder / record.backup),
            next_steps=(_RELOAD, _TIMERS),
        )

    def _step_down(self, problems: Sequence[str]) -> StageChange:
        with self.folder.locked() as state:
            action = self._give_back(state)
            stage = Stage.A if state.target else Stage.OFF
            reason = "; ".join(problems)
            self.folder.save(replace(state, stage=stage, slot=None, green=0, stepped_down=reason))
        return StageChange(state.stage, stage, f"stepped down: {action}", tuple(problems), next_steps=(_RELOAD,))

    # Periodic work, and the way back

    def run(self) -> RolloutRun:
        """Do the periodic work of the stage, and remember whether it was green."""
        with self.folder.locked() as state:
            interrupted = self._is_interrupted(state)
            state = self._repaired(state) if interrupted else state
        left = ("a canary was killed; its switch of the memory slot was taken back",) if interrupted else ()
        if state.stage is Stage.C:
            done = self._check_live(state)
        elif state.target is not None and state.stage is not Stage.OFF:
            done = self._write_back(state.stage, state.target)
        else:
            done = RolloutRun(state.stage)
        return replace(done, problems=(*left, *done.problems))

    def _write_back(self, stage: Stage, target: WritebackTarget) -> RolloutRun:
        try:
            report = self.work.write_back(target, False)
        except SatchelError as error:
            self._remember(RunRecord(self.work.now(), stage, error.message))
            raise
        record = RunRecord(self.work.now(), stage, _anomaly(report), report.updated, report.eligible)
        self._remember(record)
        return RolloutRun(stage, record.updated, (record.problem,) if record.problem else ())

    def _check_live(self, state: RolloutState) -> RolloutRun:
        """Look at recalls; when too many fail or take too long, the plugin before gets the slot back."""
        probes = self.work.live(self.work.probe(), max(state.live_since, state.runs[-1].at if state.runs else 0))
        problems = probe_problems(probes, state.limits)
        self._remember(RunRecord(self.work.now(), Stage.C, "; ".join(problems)))
        if not problems:
            return RolloutRun(Stage.C, probes=probes)
        down = self._step_down(problems)
        return RolloutRun(down.stage, 0, (*problems, down.action), probes)

    def _remember(self, record: RunRecord) -> None:
        with self.folder.locked() as state:
            green = 0 if record.problem else state.green + 1
            self.folder.save(replace(state, runs=(*state.runs, record)[-KEPT_RUNS:], green=green))

    def back(self) -> StageChange:
        """End the rollout: the plugin before gets the slot back, and nothing runs any more."""
        with self.folder.locked() as state:
            action = self._give_back(state)
            self.folder.save(replace(state, stage=Stage.OFF, slot=None, green=0))
        told = action or "OpenClaw's memory slot was not switched; nothing was changed in it"
        steps = ("remove the lines of the rollout from crontab or systemd",) if state.stage is not Stage.OFF else ()
        return StageChange(state.stage, Stage.OFF, told, next_steps=(*((_RELOAD,) if action else ()), *steps))

    def _give_back(self, state: RolloutState) -> str:
        """Give the slot back if it is switched, and return how."""
        if state.slot is None:
            return ""
        action = slot.switch_back(state.slot, self.folder)
        self.folder.remove_backup(state.slot.backup)
        return action

    def _repaired(self, state: RolloutState) -> RolloutState:
        """Return the state after the slot was given back, if it was switched."""
        if state.slot is None:
            return state
        self._give_back(state)
        repaired = replace(state, slot=None)
        self.folder.save(repaired)
        return repaired

    def _at_rest(self, state: RolloutState) -> RolloutState:
        """Return the state with the slot given back by a killed canary; raise if Satchel has it for good reason."""
        if state.slot is not None and not self._is_interrupted(state):
            live = state.stage is Stage.C
            raise Conflict(
                "the rollout is live already" if live else "a canary is running",
                code="already_switched",
                hint="'satchel rollout back' or 'satchel rollout stage a' gives the slot back first",
            )
        return self._repaired(state)

    def _require_ready(self, state: RolloutState, stage: Stage, force: bool) -> None:
        lacking = unmet(conditions(state, stage))
        if lacking and not force:
            raise Refused(
                f"stage {stage} is not ready: {'; '.join(lacking)}",
                code="not_ready",
                hint="wait for more runs of 'satchel rollout run', or use --force",
            )


def _anomaly(report: WritebackReport) -> str:
    """Return what a person should look at after a write-back; empty if nothing."""
    found = []
    if report.errors:
        found.append(f"{report.errors} memories have several rows with the same id")
    if report.lost:
        found.append(f"{report.lost} memories that came from the table have no row in it any more")
    return "; ".join(found)
