"""Observations, the usage of records, and the observational log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from satchel.domain.observation import Observation, ObservationId
from satchel.domain.record import Kind, Label, State, Trust

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach
    from satchel.domain.spool import Cursor
    from satchel.domain.view import View
    from satchel.ports.memories import Frequencies


class Grading(Struct, frozen=True):
    """The grade of one record."""

    id: str
    score: float
    label: Label
    grader: str
    version: int
    signals: tuple[str, ...]


class LifecycleRecord(Struct, frozen=True):
    """The fields of a memory or observation that the lifecycle decides on."""

    id: str
    is_memory: bool
    scope: str
    kind: Kind | None
    """None for an observation."""
    state: State
    trust: Trust
    label: Label
    is_graded: bool
    """Whether its importance comes from a scorer."""
    tags: tuple[str, ...]
    since: int
    """When it was created, changed or revived."""
    arrived_at: int
    """When this store took it in; an imported record is older by its own date."""
    last_used_at: int | None


class StateChange(Struct, frozen=True):
    """A change of an observation's state."""

    id: ObservationId
    from_state: State
    to_state: State
    operation: str
    reason: str
    restarts: bool = False
    """Whether its age restarts with this change."""


class ObservationEvent(Struct, frozen=True):
    """One change of an observation."""

    seq: int
    operation: str
    actor: str
    reason: str | None
    receipt: str
    at: int


class NewLogLine(Struct, frozen=True):
    """A line to add to the observational log, with the observations it covers."""

    scope: str
    at: int
    level: str
    text: str
    covers: tuple[ObservationId, ...]


Observer = Callable[[Iterable[Observation]], list[NewLogLine]]
"""Compresses observations into lines of the log."""


class StoredLogLine(Struct, frozen=True):
    """A line of the observational log."""

    number: int
    at: int
    level: str
    text: str


class DayCount(Struct, frozen=True):
    """The number of records of one sort on one day."""

    day: int
    """Days since the epoch, UTC."""
    what: str
    """captured, stored or archived"""
    label: Label
    count: int


class ObservationStore(Protocol):
    """Captured events."""

    def cursors(self) -> Mapping[str, Cursor]:
        """Return the position up to which each spool file has been ingested."""
        ...

    def ingest(
        self, observations: Sequence[Observation], cursors: Sequence[Cursor], receipt: Receipt
    ) -> frozenset[ObservationId]:
        """Store the new observations and the spool positions in one transaction; return the ids that were new.

        Forgotten observations do not come back.
        """
        ...

    def fetch(self, ids: Sequence[ObservationId], view: View) -> dict[ObservationId, Observation]:
        """Return those of the observations that the view admits."""
        ...

    def ids_between(self, first: str, last: str, view: View, limit: int) -> list[ObservationId]:
        """Return the ids of the view in a range, in order, from the index of ids."""
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[tuple[ObservationId, float]]:
        """Return the best full-text matches of the view with their scores, best first."""
        ...

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """Return how common terms are among the observations of the store."""
        ...

    def around(self, at: int, id: str, view: View, window: int) -> tuple[Sequence[Observation], Sequence[Observation]]:
        """Return the observations before and after a moment, each oldest first."""
        ...

    def history(self, id: ObservationId) -> list[ObservationEvent]:
        """Return the events of one observation, oldest first."""
        ...

    def ungraded(
        self, grader: str, version: int, view: View, limit: int, after: int = 0
    ) -> list[tuple[int, Observation]]:
        """Return observations without importance, or graded by an older version, each with its row number."""
        ...

    def grade(self, grades: Sequence[Grading], receipt: Receipt, actor: str) -> int:
        """Grade observations whose importance was not given; return how many."""
        ...

    def confirm(self, ids: Sequence[ObservationId], receipt: Receipt, actor: str, reason: str) -> None:
        """Make observations trusted. The receipt belongs to a larger write, which stores it."""
        ...

    def change_states(self, changes: Sequence[StateChange], receipt: Receipt, actor: str) -> int:
        """Change states, except where the state has changed since; return how many changed.

        The receipt belongs to a larger write, which stores it.
        """
        ...

    def erase(
        self, ids: Sequence[ObservationId], reach: Reach, actor: str, receipt: Receipt, *, everywhere: bool = True
    ) -> int:
        """Erase observations, leaving tombstones without content; return how many there were.

        What only repeats their text, in packets and notes, is erased `everywhere` or in their own scope alone.
        """
        ...

    def containing(self, text: str, scope: str) -> list[Observation]:
        """Return the observations of a scope that contain a text, or whose payload may."""
        ...

    def is_payload_shared(self, payload: str, excluding: Sequence[ObservationId]) -> bool:
        """Return whether another observation of any scope has the same payload."""
        ...

    def contains(self, fragment: str, *, excluding: Sequence[ObservationId]) -> bool:
        """Return whether another observation of any scope contains a fragment. Only for verifying an erasure."""
        ...


class UsageStore(Protocol):
    """Usage, grades and ages of memories and observations."""

    def mark_selected(self, ids: Sequence[str], at: int) -> None:
        """Record that records were selected into a final bundle. Nothing else counts as use."""
        ...

    def last_used_at(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Return when each of these records was last selected."""
        ...

    def walk(self, view: View) -> Iterator[LifecycleRecord]:
        """Yield the lifecycle fields of every record of a view, memories first, each by id."""
        ...

    def find(self, id: str, view: View) -> LifecycleRecord | None:
        """Return the lifecycle fields of one record of a view."""
        ...

    def active_days(self) -> Sequence[int]:
        """Return the days since the epoch with any receipt, in order."""
        ...

    def last_run_at(self) -> int | None:
        """Return when the lifecycle last ran."""
        ...

    def keep_grades(self, grades: Sequence[Grading], at: int) -> None:
        """Store which scorer graded which memory."""
        ...

    def grades(self, ids: Sequence[str]) -> Mapping[str, Grading]:
        """Return the grades of those memories that a scorer graded."""
        ...

    def counts(self, view: View, since_day: int) -> Sequence[DayCount]:
        """Count by day the records that were captured, stored and archived."""
        ...

    def mismatches(self, view: View) -> int:
        """Count records whose label does not match their importance."""
        ...

    def totals(self, view: View) -> Mapping[str, Mapping[str, int]]:
        """Count all records of a view by label, kind, tool, language and state."""
        ...


class ObservationalLog(Protocol):
    """The compact text log over the observations of each scope. It grows only at its end until it is replaced."""

    def scopes_over(self, chars: int, tail: int) -> Sequence[str]:
        """Return the scopes whose observations without a line, except the newest, have at least this many characters."""
        ...

    def pending_size(self, scope: str) -> tuple[int, int]:
        """Return the number of observations without a line, and of their characters."""
        ...

    def oldest(self, scope: str, limit: int) -> Sequence[Observation]:
        """Return the oldest observations without a line, in order."""
        ...

    def newest(self, scope: str, limit: int) -> Sequence[Observation]:
        """Return the newest observations without a line, in order."""
        ...

    def append(self, lines: Sequence[NewLogLine], receipt: Receipt) -> None:
        """Add lines at the end, and mark the observations they cover."""
        ...

    def lines(self, scope: str) -> Sequence[StoredLogLine]:
        """Return the whole log of a scope, in order."""
        ...

    def scopes(self) -> Sequence[str]:
        """Return the scopes that have a log."""
        ...

    def logged(self, scope: str) -> Iterator[Observation]:
        """Yield the observations that the lines of a scope cover, in order."""
        ...

    def replace(self, numbers: Sequence[int], lines: Sequence[NewLogLine], receipt: Receipt) -> None:
        """Replace lines by others. A line that covers an observation forgotten meanwhile is left out."""
        ...
