"""Answers about what is worth keeping: grades, runs of the lifecycle, and how both move over time."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.record import Label, State


class GradedRecord(Struct, frozen=True):
    """The grade of one record, and what it went by."""

    id: str
    score: float
    label: Label
    signals: tuple[str, ...]


class Graded(Struct, frozen=True):
    """What grading came to."""

    dry_run: bool
    method: str
    version: int
    observations: int
    memories: int
    scorer_errors: int
    label_counts: Mapping[str, int]
    signal_counts: Mapping[str, int]
    examples: tuple[GradedRecord, ...]
    """The first of them, with the reason for each."""


class Moved(Struct, frozen=True):
    """One record that changed its state."""

    id: str
    from_state: State
    to_state: State
    tier: str
    reason: str
    idle_days: int


class LifecycleRun(Struct, frozen=True):
    """What a run of the lifecycle did, or would do. Counts and ids, no text."""

    dry_run: bool
    looked_at: int
    stale: int
    archived: int
    by_tier: Mapping[str, int]
    by_trust: Mapping[str, int]
    by_label: Mapping[str, int]
    by_reason: Mapping[str, int]
    unwitnessed_days: int
    """Days that were not counted, since nothing at all happened for so long that the clock is doubted."""
    log_lines_pruned: int
    examples: tuple[Moved, ...]


class LifecycleStatus(Struct, frozen=True):
    """How the records stand, and what a run would do now."""

    p1_days: int
    p2_days: int
    stale_share: int
    max_gap_days: int
    grade_on_ingest: bool
    by_tier: Mapping[str, int]
    by_state: Mapping[str, int]
    would_mark_stale: int
    would_archive: int
    last_run_at: int | None


class Revived(Struct, frozen=True):
    """A record was brought back."""

    id: str
    from_state: State
    to_state: State


class Day(Struct, frozen=True):
    """What one day brought."""

    date: str
    captured: int
    stored: int
    archived: int
    labels: Mapping[str, int]
    unknown_share: float | None


class Drift(Struct, frozen=True):
    """How labels and rates move over time."""

    scope: str
    days: tuple[Day, ...]
    labels: Mapping[str, int]
    unknown_share: float | None
    mismatches: int
    """Records whose label is not what their importance earns."""
    by_kind: Mapping[str, int]
    by_tool: Mapping[str, int]
    by_language: Mapping[str, int]
    by_state: Mapping[str, int]
    picture: str | None
    """Where the picture was written."""
