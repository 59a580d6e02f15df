"""The commands of a rollout."""

import os
import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

from msgspec.structs import replace

from satchel.core.operations import Param, operation
from satchel.core.run import OperationRun, require_writable
from satchel.domain.arguments import check_range, check_unit_interval, one_of
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.errors import InvalidRequest
from satchel.interfaces.operations.session import Session
from satchel.interfaces.rollout.values import (
    DEFAULT_RUN_LIMIT,
    RolloutRun,
    RolloutStatus,
    Stage,
    StageChange,
    WritebackTarget,
)
from satchel.writeback.values import MAX_LIMIT

if TYPE_CHECKING:
    from satchel.interfaces.rollout.service import Rollout

T = TypeVar("T")

MAX_MINUTES = 240
_STAGES = (Stage.A, Stage.B, Stage.C)
# The options of each stage.
_OPTIONS = {
    Stage.A: ("lancedb", "table", "limit"),
    Stage.B: ("cases", "minutes", "force"),
    Stage.C: ("max_error_rate", "max_latency_ms", "force"),
}


@operation("rollout status", operator_only=True, terminal_only=True, examples=("satchel rollout status --timers",))
def rollout_status(
    session: Session,
    timers: Annotated[bool, Param("also show the lines for cron and the unit files for systemd")] = False,
) -> Ok[RolloutStatus]:
    """Show the stage, the plugin in OpenClaw's memory slot, and what the next stage waits for."""
    with OperationRun(session.memory.parts, "rollout status", {"timers": timers}) as run:
        found = _rollout(session).status()
        return run.done(found if timers else _without_units(found), stage=found.stage, slot=found.slot)


@operation(
    "rollout stage",
    writes=True,
    idempotent=True,
    operator_only=True,
    terminal_only=True,
    long=True,
    examples=(
        "satchel rollout stage a --lancedb ~/.openclaw/memory/lancedb --table memories",
        "satchel rollout stage b --cases golden.jsonl --minutes 30",
        "satchel rollout stage c --max-latency-ms 800",
    ),
)
def rollout_stage(
    session: Session,
    stage: Annotated[
        str,
        Param("a: background write-back; b: canary; c: live", positional=True, choices=[str(one) for one in _STAGES]),
    ],
    lancedb: Annotated[str | None, Param("for a: folder of the LanceDB database", metavar="FOLDER")] = None,
    table: Annotated[str | None, Param("for a: name of its table")] = None,
    limit: Annotated[
        int | None, Param(f"for a: how many rows a run changes at most; {DEFAULT_RUN_LIMIT} if omitted")
    ] = None,
    cases: Annotated[
        str | None, Param("for b: your own golden set; the built-in one if omitted", metavar="FILE")
    ] = None,
    minutes: Annotated[
        int | None,
        Param(f"for b: keep the slot this long and look at what agents recall, 0 to {MAX_MINUTES}; 0 if omitted"),
    ] = None,
    max_error_rate: Annotated[
        float | None, Param("for c: step down when a larger share of recalls fails, 0 to 1; 0.05 if omitted")
    ] = None,
    max_latency_ms: Annotated[
        float | None,
        Param("for c: step down when recalls take longer (p95); 1000, or three times the canary's, if omitted"),
    ] = None,
    force: Annotated[bool, Param("for b and c: do not wait until it is ready")] = False,
) -> Ok[StageChange]:
    """Go to a stage of the rollout into OpenClaw's memory slot.

    a writes grades back into the table of the present plugin, whenever 'satchel rollout run' runs. b copies OpenClaw's
    configuration, gives Satchel the slot, asks a golden set, compares, and gives the slot back. c gives Satchel the slot;
    'satchel rollout run' gives it back by itself when recalls fail or slow down.
    """
    require_writable(session.memory.parts)
    wanted = one_of(Stage, stage, "stage")
    given = {
        "lancedb": lancedb,
        "table": table,
        "limit": limit,
        "cases": cases,
        "minutes": minutes,
        "max_error_rate": max_error_rate,
        "max_latency_ms": max_latency_ms,
        "force": force or None,
    }
    asked: dict[str, Json] = {name: value for name, value in given.items() if value is not None}
    for name in asked:
        if name not in _OPTIONS.get(wanted, ()):
            raise InvalidRequest(
                f"--{name.replace('_', '-')} is not an option of stage {wanted}",
                code="usage",
                hint=f"use {', '.join('--' + one.replace('_', '-') for one in _OPTIONS.get(wanted, ())) or 'a, b or c'}",
            )
    with OperationRun(session.memory.parts, "rollout stage", {"stage": wanted, **asked}) as run:
        rollout = _rollout(session)
        if wanted is Stage.A:
            change = rollout.start_background(_target(rollout, lancedb, table, limit))
        elif wanted is Stage.B:
            window = check_range(minutes or 0, "minutes", 0, MAX_MINUTES)
            change = rollout.canary(cases, window, force=force)
        else:
            change = rollout.go_live(_share(max_error_rate), _duration(max_latency_ms), force=force)
        run.warn(*(f"rollout: {one}" for one in change.problems))
        run.decided = _facts(change)
        return _recorded(session, run, change)


@operation(
    "rollout run",
    writes=True,
    idempotent=True,
    operator_only=True,
    terminal_only=True,
    long=True,
    examples=("satchel rollout run",),
)
def rollout_run(session: Session) -> Ok[RolloutRun]:
    """Do the periodic work of the stage, for cron or a timer; prints nothing if all is well.

    Stages a and b write back. The live stage recalls a few memories, looks at what agents recalled since the last run,
    and gives the slot back to the plugin before when recalls fail or slow down.
    """
    with OperationRun(session.memory.parts, "rollout run", {}, writes=True) as run:
        done = _rollout(session).run()
        run.warn(*(f"rollout: {one}" for one in done.problems))
        run.decided = {"stage": done.stage, "updated": done.updated, "problems": len(done.problems)}
        return _recorded(session, run, done)


@operation(
    "rollout back",
    writes=True,
    idempotent=True,
    operator_only=True,
    terminal_only=True,
    examples=("satchel rollout back",),
)
def rollout_back(session: Session) -> Ok[StageChange]:
    """End the rollout and give OpenClaw's memory slot back to the plugin that had it."""
    with OperationRun(session.memory.parts, "rollout back", {}, writes=True) as run:
        change = _rollout(session).back()
        run.decided = _facts(change)
        return _recorded(session, run, change)


def _recorded(session: Session, run: OperationRun, result: T) -> Ok[T]:
    """Answer once the ledger has the receipt: no step goes without one."""
    receipt = run.receipt()
    session.memory.parts.ledger.memories.commit([], receipt)
    return run.committed(result, receipt)


def _facts(change: StageChange) -> dict[str, Json]:
    return {"before": change.before, "stage": change.stage, "action": change.action, "problems": len(change.problems)}


def _without_units(found: RolloutStatus) -> RolloutStatus:
    return replace(found, cron=(), systemd={})


def _target(rollout: "Rollout", lancedb: str | None, table: str | None, limit: int | None) -> WritebackTarget:
    known = rollout.folder.load().target
    folder, name = lancedb or (known and known.lancedb), table or (known and known.table)
    if not folder or not name:
        raise InvalidRequest(
            "stage a needs --lancedb and --table",
            code="missing_param",
            hint="name the folder and the table of the present memory plugin",
        )
    # The periodic runs start in another folder.
    folder = folder if "://" in folder else os.path.abspath(os.path.expanduser(folder))  # noqa: PTH100, PTH111  links stay
    most = limit if limit is not None else known.limit if known else DEFAULT_RUN_LIMIT
    return WritebackTarget(folder, name, check_range(most, "limit", 1, MAX_LIMIT))


def _share(value: float | None) -> float | None:
    return None if value is None else check_unit_interval(value, "max-error-rate")


def _duration(value: float | None) -> float | None:
    if value is not None and not 1 <= value <= 600_000:
        raise InvalidRequest(
            f"max-latency-ms {value!r} is not a number from 1 to 600000", code="out_of_range", hint="such as 800"
        )
    return value


def _rollout(session: Session) -> "Rollout":
    # The help of all commands does without them.
    from satchel.domain.hosts import OPENCLAW
    from satchel.interfaces.evaluation.run import built_in, run_evaluation
    from satchel.interfaces.install.check import check_configuration
    from satchel.interfaces.install.machine import this_machine
    from satchel.interfaces.rollout.probes import probe, with_live
    from satchel.interfaces.rollout.service import Rollout, Work
    from satchel.interfaces.rollout.state import RolloutFolder
    from satchel.interfaces.writeback import write_back

    parts, settings = session.memory.parts, session.settings
    machine = this_machine(settings, session.folder or ".")
    scope = parts.policies.scope.default_scope
    work = Work(
        write_back=lambda target, dry_run: (
            write_back(session, target.lancedb, target.table, limit=target.limit, dry_run=dry_run).result
        ),
        evaluate=lambda cases: run_evaluation(settings, session.progress, cases=cases).result,
        probe=lambda: probe(settings, [one.query for one in built_in(scope).cases]),
        live=lambda probes, since: with_live(probes, parts.ledger.receipts, since),
        check_configuration=partial(check_configuration, host=OPENCLAW),
        wait=time.sleep,
        now=parts.clock.now,
    )
    store = ("--home", str(settings.home_folder)) if machine.store is not None else ()
    return Rollout(machine, RolloutFolder(settings.home_folder), (*machine.program, *store), work)
