"""The stages of a rollout, on the files of an OpenClaw."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.errors import Conflict, InvalidRequest, NotFound, Refused, SatchelError, Unavailable
from satchel.interfaces.install.answers import InstallCheck
from satchel.interfaces.rollout.service import Rollout
from satchel.interfaces.rollout.values import ProbeFigures, Stage
from satchel.writeback.values import WritebackReport
from tests.interfaces.rollout.rolling import CONFIG, NOW, TARGET, Machinery, evaluation, made_ready, report
from tests.tables import each_case, fresh_folder


@pytest.fixture
def machinery(tmp_path: Path) -> Machinery:
    return Machinery(tmp_path)


@pytest.fixture
def rollout(machinery: Machinery, home: Path) -> Rollout:
    return machinery.rollout(home)


@pytest.fixture
def ready(rollout: Rollout) -> Rollout:
    """A rollout that ran in the background for long enough."""
    made_ready(rollout)
    return rollout


def passed(rollout: Rollout) -> Rollout:
    rollout.canary(None, 0, force=False)
    return rollout


def slot_of(rollout: Rollout) -> str:
    return rollout.status().slot


def test_without_a_rollout_nothing_is_touched(rollout: Rollout, machinery: Machinery) -> None:
    status = rollout.status()

    assert (status.stage, status.slot, status.interrupted) == (Stage.OFF, "memory-lancedb", False)
    assert set(status.conditions) == {"b", "c"}
    assert rollout.run().problems == ()
    assert rollout.back().stage is Stage.OFF
    assert machinery.config.read_text(encoding="utf-8") == CONFIG


def test_the_background_stage_leaves_openclaw_alone(rollout: Rollout, machinery: Machinery) -> None:
    change = rollout.start_background(TARGET)

    assert (change.before, change.stage) == (Stage.OFF, Stage.A)
    assert [rollout.run().updated for _ in range(3)] == [3, 3, 3]
    assert rollout.status().green == 3
    assert machinery.config.read_text(encoding="utf-8") == CONFIG


@each_case(
    ("made", "problem"),
    [
        (report(errors=2), "several rows"),
        (report(lost=1), "no row in it any more"),
    ],
)
def test_an_anomaly_is_reported_and_starts_the_count_again(tmp_path: Path, made: WritebackReport, problem: str) -> None:
    folder = fresh_folder(tmp_path)
    machinery = Machinery(folder)
    rollout = machinery.rollout(folder / "home")
    rollout.start_background(TARGET)
    rollout.run()
    machinery.report = lambda: made

    done = rollout.run()

    assert done.outcome == 1
    assert problem in done.problems[0]
    assert rollout.status().green == 0


def test_a_write_back_that_fails_is_remembered_and_raised(rollout: Rollout, machinery: Machinery) -> None:
    rollout.start_background(TARGET)
    rollout.run()

    def busy() -> WritebackReport:
        raise Unavailable("the table is busy", code="table_busy")

    machinery.report = busy
    with pytest.raises(Unavailable):
        rollout.run()

    status = rollout.status()
    assert status.last_run is not None
    assert (status.green, status.last_run.problem) == (0, "the table is busy")


def test_memories_without_a_row_are_no_anomaly(rollout: Rollout, machinery: Machinery) -> None:
    rollout.start_background(TARGET)
    machinery.report = lambda: report(missing=7)

    assert rollout.run().problems == ()


def test_a_canary_waits_until_it_is_ready(rollout: Rollout) -> None:
    rollout.start_background(TARGET)

    with pytest.raises(Refused, match="0 of 12 runs") as caught:
        rollout.canary(None, 0, force=False)
    assert caught.value.code == "not_ready"
    assert rollout.canary(None, 0, force=True).stage is Stage.B


def test_a_canary_switches_the_slot_and_restores_the_file(ready: Rollout, machinery: Machinery) -> None:
    seen = []
    machinery.during = lambda: seen.append((slot_of(ready), machinery.config.read_text(encoding="utf-8")))

    change = ready.canary(None, 5, force=False)

    assert (change.stage, change.problems) == (Stage.B, ())
    assert change.canary is not None
    assert (change.canary.mrr, change.canary.baseline_mrr) == (0.9, 0.7)
    (during,) = seen
    assert during[0] == "satchel"
    assert "// my gateway" in during[1]
    assert machinery.config.read_text(encoding="utf-8") == CONFIG
    assert [one.name for one in ready.folder.folder.iterdir()] == ["state.json"]


@each_case(
    ("answers", "problem"),
    [
        ({"evaluation": lambda: evaluation(hybrid=0.5)}, "another mode"),
        ({"evaluation": lambda: evaluation(wrong_scope=0.1)}, "another scope"),
        ({"evaluation": lambda: replace(evaluation(), holds=None)}, "could not be asked"),
        ({"probes": ProbeFigures(asked=20, failed=3)}, "15.0% of the recalls failed"),
        ({"probes": ProbeFigures(asked=20, incomplete=1)}, "policyTier"),
        ({"probes": ProbeFigures(asked=20, p95_ms=5_000)}, "5000 ms"),
        ({"checks": (InstallCheck("validate", False, "OpenClaw says no"),)}, "OpenClaw says no"),
    ],
)
def test_a_canary_that_fails_stays_in_its_stage(tmp_path: Path, answers: dict[str, Any], problem: str) -> None:
    folder = fresh_folder(tmp_path)
    machinery = Machinery(folder)
    rollout = machinery.rollout(folder / "home")
    made_ready(rollout)
    vars(machinery).update(answers)

    change = rollout.canary(None, 0, force=False)

    assert (change.stage, change.outcome) == (Stage.A, 1)
    assert problem in change.problems[0]
    assert machinery.config.read_text(encoding="utf-8") == CONFIG


def test_an_error_during_a_canary_gives_the_slot_back(ready: Rollout, machinery: Machinery) -> None:
    def broken() -> None:
        raise InvalidRequest("no golden set", code="invalid_golden_set")

    machinery.evaluation = broken  # type: ignore[assignment]
    with pytest.raises(InvalidRequest):
        ready.canary(None, 0, force=False)

    assert machinery.config.read_text(encoding="utf-8") == CONFIG
    assert ready.folder.load().slot is None


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_killed_canary_is_repaired_by_the_next_run(
    ready: Rollout, machinery: Machinery, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed() -> None:
        raise Killed

    machinery.during = killed
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Rollout, "_end_canary", lambda self, record: "")
        ready.canary(None, 5, force=False)
    assert slot_of(ready) == "satchel"
    assert ready.run().problems == ()  # It could still be running.
    with pytest.raises(Conflict):
        ready.go_live(None, None, force=True)

    machinery.now = NOW + 3_600_000
    assert ready.status().interrupted
    assert "a canary was killed" in ready.run().problems[0]

    assert machinery.config.read_text(encoding="utf-8") == CONFIG
    assert not ready.status().interrupted


def test_back_ends_a_canary_that_runs(ready: Rollout, machinery: Machinery) -> None:
    machinery.during = lambda: assert_back(ready)

    change = ready.canary(None, 5, force=False)

    assert change.problems == ("it was taken back before its end",)
    assert change.stage is Stage.OFF
    assert machinery.config.read_text(encoding="utf-8") == CONFIG


def assert_back(rollout: Rollout) -> None:
    assert rollout.back().stage is Stage.OFF


def test_live_and_back(ready: Rollout, machinery: Machinery) -> None:
    with pytest.raises(Refused, match="no canary has passed"):
        ready.go_live(None, None, force=False)
    change = passed(ready).go_live(None, None, force=False)

    assert (change.stage, slot_of(ready)) == (Stage.C, "satchel")
    assert Path(change.backup).read_text(encoding="utf-8") == CONFIG
    assert ready.run().problems == ()
    assert ready.back().stage is Stage.OFF
    assert machinery.config.read_text(encoding="utf-8") == CONFIG


@each_case(
    ("probes", "problem"),
    [
        (ProbeFigures(asked=20, failed=2, p95_ms=10.0), "10.0% of the recalls failed"),
        (ProbeFigures(asked=20, live=80, failed=9, p95_ms=10.0), "9.0% of the recalls failed"),
        (ProbeFigures(asked=20, p95_ms=1_001.0), "1001 ms"),
    ],
)
def test_live_steps_down_by_itself(tmp_path: Path, probes: ProbeFigures, problem: str) -> None:
    folder = fresh_folder(tmp_path)
    machinery = Machinery(folder)
    rollout = machinery.rollout(folder / "home")
    made_ready(rollout)
    passed(rollout).go_live(None, None, force=False)
    assert rollout.run().stage is Stage.C
    machinery.probes = probes

    done = rollout.run()

    assert (done.stage, done.outcome) == (Stage.A, 1)
    assert problem in done.problems[0]
    assert machinery.config.read_text(encoding="utf-8") == CONFIG
    status = rollout.status()
    assert problem in status.stepped_down
    assert status.green == 0


def test_the_limits_can_be_given(ready: Rollout, machinery: Machinery) -> None:
    passed(ready).go_live(0.5, 2_000.0, force=False)
    machinery.probes = ProbeFigures(asked=20, failed=9, p95_ms=1_900.0)

    assert ready.run().stage is Stage.C


def test_the_latency_limit_grows_with_what_the_canary_took(ready: Rollout, machinery: Machinery) -> None:
    machinery.probes = ProbeFigures(asked=20, p95_ms=900.0)
    passed(ready).go_live(None, None, force=False)
    machinery.probes = ProbeFigures(asked=20, p95_ms=2_600.0)

    assert ready.run().stage is Stage.C


def test_a_configuration_that_openclaw_refuses_is_put_back(ready: Rollout, machinery: Machinery) -> None:
    passed(ready)
    machinery.checks = (InstallCheck("validate", False, "OpenClaw says no"),)

    change = ready.go_live(None, None, force=False)

    assert (change.stage, change.problems) == (Stage.A, ("OpenClaw says no",))
    assert machinery.config.read_text(encoding="utf-8") == CONFIG


def test_changes_of_the_person_while_live_stay(ready: Rollout, machinery: Machinery) -> None:
    passed(ready).go_live(None, None, force=False)
    changed = machinery.config.read_text(encoding="utf-8").replace("18789", "18790")
    machinery.config.write_text(changed, encoding="utf-8")

    change = ready.back()

    after = machinery.config.read_text(encoding="utf-8")
    assert "only the memory slot" in change.action
    assert after == changed.replace('memory: "satchel"', 'memory: "memory-lancedb"')
    assert slot_of(ready) == "memory-lancedb"


def test_a_slot_that_another_plugin_got_meanwhile_is_left_alone(ready: Rollout, machinery: Machinery) -> None:
    passed(ready).go_live(None, None, force=False)
    given = machinery.config.read_text(encoding="utf-8").replace('memory: "satchel"', 'memory: "memory-core"')
    machinery.config.write_text(given, encoding="utf-8")

    assert "left alone" in ready.back().action
    assert machinery.config.read_text(encoding="utf-8") == given


def test_back_works_without_the_copy_and_without_the_file(ready: Rollout, machinery: Machinery) -> None:
    change = passed(ready).go_live(None, None, force=False)
    Path(change.backup).unlink()

    assert ready.back().stage is Stage.OFF
    assert slot_of(ready) == "memory-lancedb"

    made_ready(ready)
    passed(ready).go_live(None, None, force=False)
    machinery.config.unlink()
    assert ready.back().action == "the configuration is gone"


def test_a_configuration_without_a_slot_gets_none_back(tmp_path: Path) -> None:
    machinery = Machinery(tmp_path, '{"gateway": {"port": 1}}\n')
    rollout = machinery.rollout(tmp_path / "home")

    rollout.go_live(None, None, force=True)
    machinery.config.write_bytes(machinery.config.read_bytes() + b"\n")
    rollout.back()

    assert slot_of(rollout) == ""


@each_case(
    ("config", "kind", "code"),
    [
        (None, NotFound, "no_openclaw"),
        ("{broken", InvalidRequest, "host_config"),
        ('{"plugins": []}', SatchelError, "host_config"),
        ('{"plugins": {"slots": {"memory": "satchel"}}}', Conflict, "already_switched"),
    ],
)
def test_a_configuration_that_cannot_be_switched(tmp_path: Path, config: str | None, kind: Any, code: str) -> None:
    folder = fresh_folder(tmp_path)
    machinery = Machinery(folder, config)
    rollout = machinery.rollout(folder / "home")
    made_ready(rollout)

    with pytest.raises(kind) as caught:
        rollout.canary(None, 0, force=False)

    assert caught.value.code == code
    assert rollout.folder.load().slot is None
    assert (machinery.config.read_text(encoding="utf-8") if machinery.config.exists() else None) == config


def test_live_is_neither_tried_nor_started_twice(ready: Rollout) -> None:
    passed(ready).go_live(None, None, force=False)

    with pytest.raises(Conflict):
        ready.canary(None, 0, force=True)
    with pytest.raises(Conflict):
        ready.go_live(None, None, force=True)
    assert slot_of(ready) == "satchel"


def test_the_background_stage_gives_a_live_slot_back(ready: Rollout, machinery: Machinery) -> None:
    passed(ready).go_live(None, None, force=False)

    ready.start_background(TARGET)

    assert machinery.config.read_text(encoding="utf-8") == CONFIG


def test_a_damaged_state_is_one_clear_error(rollout: Rollout) -> None:
    rollout.folder.folder.mkdir(parents=True)
    (rollout.folder.folder / "state.json").write_text('{"stage": "z"}', encoding="utf-8")

    for act in (rollout.status, rollout.run, rollout.back):
        with pytest.raises(InvalidRequest) as caught:
            act()
        assert caught.value.code == "rollout_state"
