"""Results of the operations on observations."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import asdict

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.history import RecordEvent
from satchel.domain.observation import Observation, ObservationId
from satchel.domain.receipt import Receipt
from satchel.domain.record import Label, Memory, Trust


class CaptureResult(Struct, frozen=True):
    """Counts of captured events."""

    captured: int
    private: int
    """Events marked as private."""
    rejected: int
    """Invalid events, now in the dead-letter file."""
    misplaced: int = 0
    """Events that named an invalid scope and were put into the default scope."""

    @property
    def outcome(self) -> Outcome:
        """Failed if any event was invalid."""
        return failed_if(self.rejected > 0)


def capture_receipt(captured: CaptureResult, scope: str | None, at: int) -> Receipt:
    """Return the receipt of a capture. It is not stored, since capture does not open the ledger."""
    warnings = misplaced_warnings(captured.misplaced)
    return Receipt("capture", {"scope": scope}, decided=asdict(captured), warnings=warnings, at=at)


def misplaced_warnings(count: int) -> tuple[str, ...]:
    """Warn about events that named an invalid scope."""
    if not count:
        return ()
    return (f"scope_invalid: {count} events named no valid scope; they were filed under the default one",)


class Ingested(Struct, frozen=True):
    """Counts of ingested lines."""

    total_seen: int
    inserted: int
    skipped_existing: int
    """Lines whose event the ledger already has, or has forgotten."""
    skipped_disabled: int
    """Lines marked as private."""
    misplaced: int
    """Lines that named an invalid scope and were put into the default scope."""
    quarantined: int
    """Lines that read as an order to the agent."""
    rejected: int
    """Invalid lines, now in the dead-letter file."""
    rejected_by: Mapping[str, int]
    waiting: int
    """Incomplete last lines, left until their writer finishes them."""
    graded_filled: int
    scorer_errors: int
    label_counts: Mapping[str, int]
    archived_files: int
    log_lines: int
    """Lines added to the observational log."""


class ObservationLine(Struct, frozen=True):
    """A one-line summary of an observation."""

    id: ObservationId
    at: int
    kind: str
    tool_name: str | None
    summary: str
    label: Label
    trust: Trust


class SearchHit(Struct, frozen=True):
    """An observation found by a search."""

    id: ObservationId
    at: int
    kind: str
    tool_name: str | None
    summary: str
    snippet: str
    """The text around the match."""
    label: Label
    trust: Trust
    score: float
    lane: str
    rank: int


class FoundObservations(Struct, frozen=True):
    """The observations found by a search, best first."""

    hits: tuple[SearchHit, ...]
    scope: str


class Timeline(Struct, frozen=True):
    """The observations around a record, oldest first."""

    around: str
    at: int
    before: tuple[ObservationLine, ...]
    here: ObservationLine | None
    """The observation itself; None if the record is a memory."""
    after: tuple[ObservationLine, ...]


class Observed(Struct, frozen=True):
    """An observation with its history."""

    observation: Observation
    last_used_at: int | None
    history: tuple[RecordEvent, ...]

    @property
    def memory(self) -> Memory:
        """Not available: the record is an observation."""
        raise AttributeError(f"{self.observation.id} is an observation, not a memory")


class Excerpt(Struct, frozen=True):
    """Part of an artifact."""

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


class LogContents(Struct, frozen=True):
    """The observational log of a scope, and the observations not yet in it."""

    scope: str
    observations: tuple[LogLine, ...]
    raw_buffer: tuple[ObservationLine, ...]
    raw_chars: int
    raw_total: int
    """Number of observations not yet in the log; only the newest are shown."""
