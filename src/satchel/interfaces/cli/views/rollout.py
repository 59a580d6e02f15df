"""Views of a rollout."""

from satchel.interfaces.cli.views.lines import Lines, Views, count
from satchel.interfaces.local_time import local_time
from satchel.interfaces.rollout.values import CanaryRecord, RolloutRun, RolloutStatus, StageChange

_STAGES = {
    "off": "no rollout",
    "a": "stage a: grades are written back in the background",
    "b": "stage b: the canary passed; write-back goes on",
    "c": "stage c: Satchel is live",
}


def _status(result: RolloutStatus) -> Lines:
    yield _STAGES[result.stage], "bold"
    yield f"  OpenClaw's memory slot: {result.slot or 'not set'}", ""
    if result.target:
        yield f"  writes back to the table {result.target.table} in {result.target.lancedb}", "dim"
    if result.last_run:
        problem = result.last_run.problem or "no problem"
        yield (
            f"  {count(result.green, 'run')} in a row without a problem; the last, {local_time(result.last_run.at)[:16]}: {problem}",
            "",
        )
    if result.canary:
        yield from _canary(result.canary)
    if result.stepped_down:
        yield f"  the live stage stepped down: {result.stepped_down}", "yellow"
    if result.interrupted:
        yield "  a canary was killed: 'satchel rollout run' or 'satchel rollout back' gives the slot back", "red"
    for stage, found in result.conditions.items():
        for one in found:
            yield f"  stage {stage} {'✓' if one.met else '·'} {one.message}", "green" if one.met else "dim"
    for line in result.cron:
        yield line, ""
    for name, content in result.systemd.items():
        yield f"# ~/.config/systemd/user/{name}", "dim"
        yield content.rstrip("\n"), ""


def _canary(canary: CanaryRecord) -> Lines:
    verdict = "failed" if canary.problems else "passed"
    compared = f"MRR {canary.mrr:.3f} against {canary.baseline_mrr:.3f} by vectors alone"
    yield f"  canary {verdict}: {count(canary.cases, 'case')}, {compared}", "yellow" if canary.problems else "green"


def _changed(result: StageChange) -> Lines:
    yield _STAGES[result.stage], "bold"
    yield f"  {result.action}", ""
    if result.canary:
        yield from _canary(result.canary)
    for problem in result.problems:
        yield f"  {problem}", "red"
    if result.backup:
        yield f"  copy of the configuration: {result.backup}", "dim"
    for number, step in enumerate(result.next_steps, 1):
        yield f"  {number}. {step}", ""


def _run(result: RolloutRun) -> Lines:
    # Nothing if all is well: cron sends what is printed by mail.
    if result.problems:
        yield f"satchel rollout: {_STAGES[result.stage]}", "bold"
    for problem in result.problems:
        yield f"  {problem}", "red"


VIEWS: Views = {"rollout status": _status, "rollout run": _run, "rollout": _changed}
