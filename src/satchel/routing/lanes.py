"""The lanes of a store that native backends search."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from satchel.domain.periods import Period
from satchel.domain.routing import Traversal


class LaneHit(Struct, frozen=True):
    """A text with its absolute relevance and the time it was recorded."""

    id: str
    text: str
    relevance: float
    recorded_at: int
    happened_at: int | None = None
    title: str = ""
    """What it is about by its own words: the headings above a passage."""
    path: str | None = None
    line: int | None = None
    is_code: bool = False
    was_said: bool = False
    """Whether it is a message or a turn."""
    speaker: str | None = None
    expanded_from: str | None = None
    traversal: Traversal | None = None


class LaneResult(Struct, frozen=True):
    """The findings of a lane, best first, and a note about the search."""

    findings: tuple[LaneHit, ...]
    note: str | None = None


class LaneSearch(Protocol):
    """A lane searched by words (search), meaning (vsearch), or both (query), perhaps only within a period."""

    def __call__(
        self, text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None
    ) -> LaneResult: ...


class LaneMemories(Protocol):
    """The lane of memories: untrusted ones are found beside trusted ones, or only if no trusted one answers."""

    def __call__(
        self,
        text: str,
        *,
        mode: str,
        limit: int,
        scope: str | None,
        period: Period | None = None,
        untrusted: bool = False,
    ) -> LaneResult: ...


class LaneRecent(Protocol):
    """A lane that lists the newest records, perhaps only of a period."""

    def __call__(self, *, limit: int, scope: str | None, period: Period | None = None) -> LaneResult: ...


class LaneRelations(Protocol):
    """A lane that follows relations from the entities a query names."""

    def __call__(self, text: str, *, limit: int, scope: str | None) -> LaneResult: ...


class LaneNames(Protocol):
    """Tells which names no record of the store has."""

    def __call__(self, names: Sequence[str]) -> tuple[str, ...]: ...


class Lanes(Struct, frozen=True):
    """The lanes of a store. Without its lane a backend is not available."""

    memories: LaneMemories
    recent: LaneRecent
    sessions: LaneSearch | None = None
    """What was observed and said in sessions: observations, episodes and messages."""
    documents: LaneSearch | None = None
    graph: LaneRelations | None = None
    conversations: LaneSearch | None = None
    unknown: LaneNames | None = None
