"""Results of grading, lifecycle and drift."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.record import Label, State


class GradedRecord(Struct, frozen=True):
    """The grade of one record with its signals."""

    id: str
    score: float
    label: Label
    signals: tuple[str, ...]


class Graded(Struct, frozen=True):
    """Counts of a grading run."""

    dry_run: bool
    method: str
    version: int
    observations: int
    memories: int
    scorer_errors: int
    label_counts: Mapping[str, int]
    signal_counts: Mapping[str, int]
    examples: tuple[GradedRecord, ...]
    """The first graded records."""


class Moved(Struct, frozen=True):
    """One record that changed its state."""

    id: str
    from_state: State
    to_state: State
    tier: str
    reason: str
    idle_days: int


class LifecycleRun(Struct, frozen=True):
    """What a lifecycle run changed, or would change. Counts and ids only."""

    dry_run: bool
    looked_at: int
    stale: int
    archived: int
    by_tier: Mapping[str, int]
    by_trust: Mapping[str, int]
    by_label: Mapping[str, int]
    by_reason: Mapping[str, int]
    unwitnessed_days: int
    """Days not counted, because a gap without any activity was too long to trust the clock."""
    log_lines_pruned: int
    examples: tuple[Moved, ...]


class LifecycleStatus(Struct, frozen=True):
    """Records by tier and state, and what a run would change now."""

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


class Archived(Struct, frozen=True):
    """A record that the operator put away."""

    id: str
    from_state: State
    to_state: State


class Revived(Struct, frozen=True):
    """A record brought back from stale or archived."""

    id: str
    from_state: State
    to_state: State


class Day(Struct, frozen=True):
    """Counts of one day."""

    date: str
    captured: int
    stored: int
    archived: int
    labels: Mapping[str, int]
    unknown_share: float | None


class Drift(Struct, frozen=True):
    """Labels and rates over time."""

    scope: str
    days: tuple[Day, ...]
    labels: Mapping[str, int]
    unknown_share: float | None
    mismatches: int
    """Records whose label does not match their importance."""
    by_kind: Mapping[str, int]
    by_tool: Mapping[str, int]
    by_language: Mapping[str, int]
    by_state: Mapping[str, int]
    picture: str | None
    """Path of the written SVG."""
