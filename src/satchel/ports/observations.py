"""The observations of a ledger: taken in exactly once, found, graded, moved through their life, erased."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from satchel.domain.observation import Observation, ObservationId
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Label, State, Trust
from satchel.domain.scope import Reach
from satchel.domain.spool import Cursor
from satchel.domain.view import View


class TakenIn(Struct, frozen=True):
    """Which of some observations were new."""

    inserted: frozenset[ObservationId]


class Grading(Struct, frozen=True):
    """The grade that one record is to have."""

    id: str
    score: float
    label: Label
    grader: str
    version: int
    signals: tuple[str, ...]


class Life(Struct, frozen=True):
    """What decides over the life of one record, memory or observation."""

    id: str
    is_memory: bool
    scope: str
    kind: Kind | None
    """None for an observation."""
    state: State
    trust: Trust
    label: Label
    is_graded: bool
    """Whether its importance was graded, and not given."""
    tags: tuple[str, ...]
    since: int
    """When it came, or was brought back."""
    last_used_at: int | None


class Move(Struct, frozen=True):
    """A change of an observation's state."""

    id: ObservationId
    from_state: State
    to_state: State
    operation: str
    reason: str
    restarts: bool = False
    """Whether its age is counted anew from here."""


class Passage(Struct, frozen=True):
    """One event in the life of an observation."""

    seq: int
    operation: str
    actor: str
    reason: str | None
    receipt: str
    at: int


class LoggedLine(Struct, frozen=True):
    """A line of the observational log, and the observations it stands for."""

    scope: str
    at: int
    level: str
    text: str
    covers: tuple[ObservationId, ...]


Observer = Callable[[Sequence[Observation]], list[LoggedLine]]
"""Compresses observations into lines of the log."""


class KeptLine(Struct, frozen=True):
    """A line of the observational log as the ledger holds it."""

    number: int
    at: int
    level: str
    text: str


class DayCount(Struct, frozen=True):
    """How many records of one sort there were on one day."""

    day: int
    """Days since the epoch, UTC."""
    what: str
    """captured, stored or archived"""
    label: Label
    count: int


class Observations(Protocol):
    """Captured events as rows."""

    def cursors(self) -> Mapping[str, Cursor]:
        """Return how far each file of the spool has been read."""
        ...

    def take_in(self, observations: Sequence[Observation], cursors: Sequence[Cursor], receipt: Receipt) -> TakenIn:
        """Keep those that are new, and how far the spool was read, as one. What was forgotten does not come back."""
        ...

    def fetch(self, ids: Sequence[ObservationId], view: View) -> dict[ObservationId, Observation]:
        """Return those of the observations that the view may see."""
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[tuple[ObservationId, float]]:
        """Return the best full-text matches of the view with their scores, best first."""
        ...

    def around(self, at: int, id: str, view: View, window: int) -> tuple[Sequence[Observation], Sequence[Observation]]:
        """Return the neighbours of a moment: those before it and those after it, each oldest first."""
        ...

    def history(self, id: ObservationId) -> list[Passage]:
        """Return the events of one observation, oldest first."""
        ...

    def ungraded(
        self, grader: str, version: int, view: View, limit: int, after: int = 0
    ) -> list[tuple[int, Observation]]:
        """Return observations without importance, or graded by an older version, each after its row number."""
        ...

    def grade(self, grades: Sequence[Grading], receipt: Receipt, actor: str) -> int:
        """Grade observations whose importance nobody gave; return how many."""
        ...

    def move(self, moves: Sequence[Move], receipt: Receipt, actor: str) -> int:
        """Change states; one that is no longer as it was is left alone. Returns how many changed.

        The receipt is that of a larger write, which keeps it.
        """
        ...

    def erase(self, ids: Sequence[ObservationId], reach: Reach, actor: str, receipt: Receipt) -> int:
        """Remove every trace of some observations, leaving tombstones; return how many there were."""
        ...

    def holding(self, text: str, scope: str) -> list[Observation]:
        """Return the observations of a scope that hold a text word for word, or whose payload may."""
        ...

    def sharing(self, payload: str, besides: Sequence[ObservationId]) -> bool:
        """Say whether any other observation, in whatever scope, has the same payload."""
        ...

    def contains(self, fragment: str, *, besides: Sequence[ObservationId]) -> bool:
        """Say whether any other observation holds a piece of text, in whatever scope. For proving an erasure only."""
        ...


class Lives(Protocol):
    """The lives of all records: how they are used and how they age."""

    def mark_selected(self, ids: Sequence[str], at: int) -> None:
        """Remember that records were selected into a final bundle. Nothing else counts as use."""
        ...

    def last_used_at(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Return when each of these was last selected."""
        ...

    def walk(self, view: View) -> Iterator[Life]:
        """Yield every record of a view with what decides over its life, in order of id."""
        ...

    def find(self, id: str, view: View) -> Life | None:
        """Return one record of a view with what decides over its life."""
        ...

    def witnessed(self) -> Sequence[int]:
        """Return the days, since the epoch, on which anything at all happened here, in order."""
        ...

    def last_run_at(self) -> int | None:
        """Return when the lifecycle last ran."""
        ...

    def keep_grades(self, grades: Sequence[Grading], at: int) -> None:
        """Remember which scorer graded which memory."""
        ...

    def grades(self, ids: Sequence[str]) -> Mapping[str, Grading]:
        """Return the grades of these memories, where a scorer gave one."""
        ...

    def counts(self, view: View, since_day: int) -> Sequence[DayCount]:
        """Count by day what was captured, stored and archived."""
        ...

    def mismatches(self, view: View) -> int:
        """Count records whose label is not what their importance earns."""
        ...

    def totals(self, view: View) -> Mapping[str, Mapping[str, int]]:
        """Count all records of a view by label, kind, tool, language and state."""
        ...


class ObservationalLog(Protocol):
    """The compact text layer over the observations of each scope. Between prunings it only grows at its end."""

    def full(self, chars: int) -> Sequence[str]:
        """Return the scopes whose uncovered observations have at least so many characters."""
        ...

    def measure(self, scope: str) -> tuple[int, int]:
        """Return how many observations no line covers, and their characters."""
        ...

    def oldest(self, scope: str, limit: int) -> Sequence[Observation]:
        """Return the oldest observations that no line covers, in order."""
        ...

    def newest(self, scope: str, limit: int) -> Sequence[Observation]:
        """Return the newest observations that no line covers, in order."""
        ...

    def append(self, lines: Sequence[LoggedLine], receipt: Receipt) -> None:
        """Add lines at the end, and mark what they cover."""
        ...

    def lines(self, scope: str) -> Sequence[KeptLine]:
        """Return the whole log of a scope, in order."""
        ...

    def scopes(self) -> Sequence[str]:
        """Return the scopes that have a log."""
        ...

    def prune(self, numbers: Sequence[int], receipt: Receipt) -> None:
        """Remove lines."""
        ...
