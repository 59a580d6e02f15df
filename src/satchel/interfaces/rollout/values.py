"""What a rollout remembers, and what its commands answer."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if

DEFAULT_RUN_LIMIT = 500
DEFAULT_ERROR_RATE = 0.05
# How often latency may rise above the canary's before it counts, and the latency that always is good enough.
LATENCY_FACTOR = 3.0
GOOD_P95_MS = 1_000.0
KEPT_RUNS = 50


class Stage(StrEnum):
    """How far a rollout is."""

    OFF = "off"
    A = "a"
    """In the background: grades are written back; OpenClaw keeps its memory plugin."""
    B = "b"
    """The canary passed. OpenClaw has its memory plugin again."""
    C = "c"
    """Live: Satchel has the memory slot."""


class WritebackTarget(Struct, frozen=True):
    """The table that the background stage writes to."""

    lancedb: str
    table: str
    limit: int = DEFAULT_RUN_LIMIT


class RunRecord(Struct, frozen=True):
    """One periodic run."""

    at: int
    stage: Stage
    problem: str = ""
    """Why it was not green; empty if it was."""
    updated: int = 0
    eligible: float = 0.0


class ProbeFigures(Struct, frozen=True):
    """What recalls of the store, asked as OpenClaw asks them, showed."""

    asked: int = 0
    failed: int = 0
    incomplete: int = 0
    """Answers whose receipt lacks policyTier, ftsTop, vecTop, fusedTop or tierCounts."""
    p95_ms: float = 0.0
    live: int = 0
    """Recalls of agents that were looked at too."""

    @property
    def error_rate(self) -> float:
        """Failed probes and degraded live recalls, as a share from 0 to 1."""
        return round(self.failed / (self.asked + self.live), 4) if self.asked + self.live else 0.0


class CanaryRecord(Struct, frozen=True):
    """The result of a canary."""

    at: int
    problems: tuple[str, ...]
    """Why it did not pass; none if it passed."""
    cases: int = 0
    mrr: float = 0.0
    """Of recall by words and meaning."""
    baseline_mrr: float = 0.0
    """Of search by vectors alone, which is what memory-lancedb does."""
    probes: ProbeFigures = ProbeFigures()
    minutes: int = 0


class SlotRecord(Struct, frozen=True):
    """A switched memory slot, and how to put it back."""

    path: str
    backup: str
    """Name of the copy of OpenClaw's configuration as it was before."""
    after: str
    """Digest of the configuration that was written."""
    previous: str | None
    """The plugin that had the slot; None if none was named."""
    until: int = 0
    """When a canary must have ended; 0 for the live stage."""


class Limits(Struct, frozen=True):
    """When the live stage steps down."""

    max_error_rate: float = DEFAULT_ERROR_RATE
    max_latency_ms: float = GOOD_P95_MS


class RolloutState(Struct, frozen=True):
    """What is known of a rollout between two commands."""

    stage: Stage = Stage.OFF
    target: WritebackTarget | None = None
    runs: tuple[RunRecord, ...] = ()
    """The newest, oldest first."""
    green: int = 0
    """How many runs in a row were green."""
    canary: CanaryRecord | None = None
    slot: SlotRecord | None = None
    """Set while Satchel has the slot."""
    limits: Limits = Limits()
    live_since: int = 0
    stepped_down: str = ""
    """Why the live stage was left by itself the last time."""


class Condition(Struct, frozen=True):
    """One thing that a stage should wait for."""

    name: str
    met: bool
    message: str


class RolloutStatus(Struct, frozen=True):
    """How far the rollout is, what OpenClaw uses, and what the next stage waits for."""

    stage: Stage
    slot: str
    """The plugin in OpenClaw's memory slot; empty if none is named or there is no configuration."""
    config: str
    """The path of OpenClaw's configuration."""
    target: WritebackTarget | None
    runs: int
    green: int
    last_run: RunRecord | None
    canary: CanaryRecord | None
    conditions: Mapping[str, tuple[Condition, ...]]
    """By stage that could be next."""
    stepped_down: str
    interrupted: bool
    """A canary was killed and left the slot switched; the next run puts it back."""
    cron: tuple[str, ...]
    systemd: Mapping[str, str]
    """Contents of unit files by name."""


class StageChange(Struct, frozen=True):
    """The result of a step of the rollout."""

    before: Stage
    stage: Stage
    action: str
    """What was done, in one line."""
    problems: tuple[str, ...] = ()
    canary: CanaryRecord | None = None
    backup: str = ""
    """The copy of OpenClaw's configuration."""
    next_steps: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Failed if there are problems."""
        return failed_if(bool(self.problems))


class RolloutRun(Struct, frozen=True):
    """The result of the periodic work."""

    stage: Stage
    """After the run."""
    updated: int = 0
    problems: tuple[str, ...] = ()
    probes: ProbeFigures | None = None

    @property
    def outcome(self) -> Outcome:
        """Failed if there are problems."""
        return failed_if(bool(self.problems))
