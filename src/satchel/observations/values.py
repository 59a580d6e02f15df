"""What the operations on evidence answer: capture, ingest, progressive recall, grading, lifecycle, the log, drift."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import asdict

from satchel.domain.answers import Occurrence
from satchel.domain.observation import Observation, ObservationId
from satchel.domain.outcome import Outcome, failed_if
from satchel.domain.receipt import Receipt
from satchel.domain.record import Label, Memory, Trust


class Captured(Struct, frozen=True):
    """Events were written to the spool."""

    captured: int
    private: int
    """How many asked not to be kept."""
    rejected: int
    """How many were no events; they are in the dead-letter file."""
    misplaced: int = 0
    """How many named a scope that cannot be one; they are in the default scope."""

    @property
    def outcome(self) -> Outcome:
        """Failed when something was no event."""
        return failed_if(self.rejected > 0)


def capture_receipt(captured: Captured, scope: str | None, at: int) -> Receipt:
    """Return the receipt of a capture. The ledger is not opened for it, so it is kept nowhere."""
    warnings = misplaced_warnings(captured.misplaced)
    return Receipt("capture", {"scope": scope}, decided=asdict(captured), warnings=warnings, at=at)


def misplaced_warnings(count: int) -> tuple[str, ...]:
    """Warn of events that named a scope which cannot be one."""
    if not count:
        return ()
    return (f"scope_invalid: {count} events named no valid scope; they were filed under the default one",)


class Ingested(Struct, frozen=True):
    """What became of the lines of the spool."""

    total_seen: int
    inserted: int
    skipped_existing: int
    """Lines whose event the ledger has, or has forgotten."""
    skipped_disabled: int
    """Lines that ask not to be kept."""
    misplaced: int
    """Lines whose scope cannot be one; they went to the default scope."""
    rejected: int
    """Lines that are no events; they are in the dead-letter file."""
    rejected_by: Mapping[str, int]
    waiting: int
    """Last lines without an end: half of one, until somebody writes on."""
    graded_filled: int
    scorer_errors: int
    label_counts: Mapping[str, int]
    archived_files: int
    log_lines: int
    """How many lines the observational log has grown by."""


class Sight(Struct, frozen=True):
    """One observation in a line: enough to decide whether to look closer."""

    id: ObservationId
    at: int
    kind: str
    tool_name: str | None
    summary: str
    label: Label
    trust: Trust


class SearchHit(Struct, frozen=True):
    """An observation that a search found."""

    id: ObservationId
    at: int
    kind: str
    tool_name: str | None
    summary: str
    snippet: str
    """The words around what was found."""
    label: Label
    trust: Trust
    score: float
    lane: str
    rank: int


class Searched(Struct, frozen=True):
    """The observations that a search found, best first."""

    hits: tuple[SearchHit, ...]
    scope: str


class Timeline(Struct, frozen=True):
    """What happened around a record, oldest first."""

    around: str
    at: int
    before: tuple[Sight, ...]
    here: Sight | None
    """The observation itself; None when it is a memory that was asked about."""
    after: tuple[Sight, ...]


class Observed(Struct, frozen=True):
    """One observation, whole, with its history."""

    observation: Observation
    last_used_at: int | None
    history: tuple[Occurrence, ...]

    @property
    def memory(self) -> Memory:
        """There is none: what was asked for by its id is an observation, and no memory was made of it."""
        raise AttributeError(f"{self.observation.id} is an observation, not a memory")


class Excerpt(Struct, frozen=True):
    """A piece of an artifact."""

    name: str
    bytes: int
    chars: int
    part: str
    text: str


class LogLine(Struct, frozen=True):
    """One line of the observational log."""

    number: int
    at: int
    level: str
    text: str


class Shown(Struct, frozen=True):
    """The observational log of a scope, and what has not been compressed into it yet."""

    scope: str
    observations: tuple[LogLine, ...]
    raw_buffer: tuple[Sight, ...]
    raw_chars: int
    raw_total: int
    """How many observations wait; the newest are shown."""
