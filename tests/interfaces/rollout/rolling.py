"""A rollout on a machine in a temporary folder, whose work with the store gives answers that a test sets."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from satchel.interfaces.evaluation.metrics import Evaluation, Figures, ModeReport
from satchel.interfaces.install.answers import InstallCheck
from satchel.interfaces.install.machine import Machine
from satchel.interfaces.rollout.service import Rollout, Work
from satchel.interfaces.rollout.state import RolloutFolder
from satchel.interfaces.rollout.values import ProbeFigures, RunRecord, Stage, WritebackTarget
from satchel.writeback.values import WritebackReport
from tests.interfaces.install.installing import machine_in

CONFIG = """{
  // my gateway
  gateway: { port: 18789, auth: { token: "t" } },
  plugins: {
    slots: { memory: "memory-lancedb" },
    entries: { "memory-lancedb": { enabled: true } },
  },
}
"""
NOW = 1_700_000_000_000
TARGET = WritebackTarget("/lancedb", "memories")
FINE = ProbeFigures(asked=20, p95_ms=12.0)


def report(**values: Any) -> WritebackReport:
    """Return the report of a green write-back."""
    made = WritebackReport(
        "memories", "/lancedb", False, ("scope",), (), (), 10, 3, 7, 1.0, 0, {}, 0, (), 0, 0, 0, (), False
    )
    return replace(made, **values)


def evaluation(hybrid: float = 0.9, vector: float = 0.7, wrong_scope: float = 0.0) -> Evaluation:
    """Return the report of a golden set."""

    def figures(mrr: float) -> Figures:
        return Figures(3, mrr, mrr, mrr, mrr, 9, wrong_scope, 5.0, 9.0)

    modes = tuple(
        ModeReport(mode, "", figures(mrr), {}, {}, ()) for mode, mrr in (("hybrid", hybrid), ("vector", vector))
    )
    return Evaluation("mine", "sha256:0", False, 3, 9, 5, "hashing", modes, hybrid >= vector)


class Machinery:
    """What the work of a rollout answers; a test changes it."""

    def __init__(self, folder: Path, config: str | None = CONFIG) -> None:
        self.machine: Machine = machine_in(folder)
        self.config = self.machine.home / ".openclaw" / "openclaw.json"
        if config is not None:
            self.config.write_text(config, encoding="utf-8")
        self.report: Callable[[], WritebackReport] = report
        self.evaluation: Callable[[], Evaluation] = evaluation
        self.probes = FINE
        self.checks: tuple[InstallCheck, ...] = ()
        self.during: Callable[[], None] = lambda: None
        """Happens while a canary waits."""
        self.now = NOW

    def rollout(self, home: Path) -> Rollout:
        """Return the rollout of a store in a folder."""
        work = Work(
            write_back=lambda target, dry_run: self.report(),
            evaluate=lambda cases: self.evaluation(),
            probe=lambda: self.probes,
            live=lambda probes, since: probes,
            check_configuration=lambda machine: self.checks,
            wait=lambda seconds: self.during(),
            now=lambda: self.now,
        )
        return Rollout(self.machine, RolloutFolder(home), ("/bin/satchel",), work)


def made_ready(rollout: Rollout) -> None:
    """Let a rollout have run for long enough."""
    with rollout.folder.locked() as state:
        runs = (RunRecord(NOW, Stage.A, eligible=1.0),)
        rollout.folder.save(replace(state, stage=Stage.A, target=TARGET, runs=runs, green=30))
