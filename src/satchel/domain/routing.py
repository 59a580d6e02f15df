"""What the dispatch router is asked, what a backend answers it, and the envelope that comes out, in the words of its specification."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.outcome import Outcome as Ending
from satchel.domain.outcome import failed_if

BACKENDS = ("qmd", "totalrecall", "cognee", "lossless")
MODES = ("search", "vsearch", "query")
"""The modes of qmd: by word, by meaning, by both. No other backend has any."""
MAX_CONTENT_CHARS = 500
# A displayed 0.4 is never rejected: what is compared is what is shown.
DIGITS = 4


class Status(StrEnum):
    """How a backend, or the router as a whole, fared."""

    SUCCESS = "success"
    PARTIAL = "partial"
    EMPTY = "empty"
    ERROR = "error"


class Code(StrEnum):
    """What went wrong, in the specification's words."""

    UNAVAILABLE = "BACKEND_UNAVAILABLE"
    TIMEOUT = "QUERY_TIMEOUT"
    ERROR = "BACKEND_ERROR"
    PARTIAL = "PARTIAL_RESULT"
    ALL_FAILED = "ALL_BACKENDS_FAILED"


class Outcome(StrEnum):
    """What became of one attempt."""

    ACCEPTED = "accepted"
    LOW = "low_relevance"
    EMPTY = "empty"
    ERROR = "error"
    TIMEOUT = "timeout"


class State(StrEnum):
    """How a backend stands, by the lowest probe that failed."""

    READY = "ready"
    DEGRADED = "degraded"
    INSTALLED = "installed"
    UNAVAILABLE = "unavailable"


class Stage(StrEnum):
    """Which sort of sign decided the rule."""

    KEYWORD = "keyword"
    IDENTIFIER = "identifier"
    WEAK = "weak"
    DEFAULT = "default"
    HINT = "hint"


class Strategy(StrEnum):
    """How the steps of a chain are tried. Only the first is the specification's."""

    SEQUENTIAL = "sequential"
    RACE = "race"
    MERGE = "merge"


class Step(Struct, frozen=True):
    """One entry of a chain: a backend, and its mode where it has one."""

    backend: str
    mode: str | None = None

    def __str__(self) -> str:
        return self.backend if self.mode is None else f"{self.backend}:{self.mode}"


class Route(Struct, frozen=True):
    """Where a query is to go, and by which signs that was decided."""

    number: int
    rule: str
    stage: Stage
    signals: tuple[str, ...]
    chain: tuple[Step, ...]


class Asked(Struct, frozen=True):
    """What one backend is asked."""

    query: str
    mode: str | None
    limit: int
    deadline: float
    """When the answer is no longer waited for, in ticks of the clock."""
    scope: str | None = None


class Traversal(Struct, frozen=True):
    """The way through a graph that an item stands for."""

    depth: int
    nodes: tuple[str, ...]
    edges: tuple[str, ...]


class Item(Struct, frozen=True):
    """One result. Relevance is absolute: it depends on the query and the item, not on what else was found."""

    content: str
    relevance: float
    source: str
    timestamp: str
    """When it was remembered, not when it was asked for."""
    id: str | None = None
    event_time: str | None = None
    record_time: str | None = None
    expanded_from: str | None = None
    traversal: Traversal | None = None
    path: str | None = None
    line: int | None = None


class Reply(Struct, frozen=True):
    """What a backend answers: the nine fields of the contract, and what should be known of how it came about."""

    query_echo: str
    results: tuple[Item, ...]
    result_count: int
    status: Status
    backend: str
    normalized_relevance: float
    backend_duration_ms: int = 0
    error_message: str | None = None
    error_code: str | None = None
    note: str | None = None


class Planned(Struct, frozen=True):
    """A step that will be tried, and how its backend stands."""

    backend: str
    mode: str | None
    state: State


class Skipped(Struct, frozen=True):
    """A step that was removed before anything was tried."""

    backend: str
    mode: str | None
    reason: str


class Attempt(Struct, frozen=True):
    """A step that was tried."""

    backend: str
    mode: str | None
    status: Status
    result_count: int
    normalized_relevance: float
    duration_ms: int
    error_code: str | None
    error_message: str | None
    outcome: Outcome
    note: str | None = None


class RuleNamed(Struct, frozen=True):
    """The rule that matched."""

    number: int
    id: str


class RouteTrace(Struct, frozen=True):
    """How an envelope came about."""

    rule: RuleNamed
    stage: Stage
    signals: tuple[str, ...]
    strategy: Strategy
    planned: tuple[Planned, ...]
    attempts: tuple[Attempt, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...] = ()


class RouterEnvelope(Struct, frozen=True):
    """The answer of the router. The two fields of an error, and the trace, are there only where they are called for."""

    query_echo: str
    routed_to: str | None
    routed_mode: str | None
    fallback_chain: tuple[str, ...]
    fallbacks_used: int
    results: tuple[Item, ...]
    result_count: int
    normalized_relevance: float
    status: Status
    router_duration_ms: int
    backend_duration_ms: int
    error_code: str | None = None
    error_message: str | None = None
    trace: RouteTrace | None = None

    @property
    def outcome(self) -> Ending:
        """An answer that no backend gave is no success."""
        return failed_if(self.status is Status.ERROR)


class Entry(Struct, frozen=True):
    """A backend as the state file has it."""

    name: str
    state: State
    adapter: str = "native"
    options: Mapping[str, Json] = {}
    modes: Mapping[str, State] = {}
    """Modes that stand otherwise than the backend as a whole."""
    message: str | None = None
    last_health_check: str | None = None


class Roster(Struct, frozen=True):
    """The backends there are."""

    entries: tuple[Entry, ...]
    tier: str | None = None
    found: bool = True
    """Whether a state file says so; else these are Satchel's own."""

    def entry(self, name: str) -> Entry | None:
        """Return the entry of a backend, if it is listed."""
        return next((one for one in self.entries if one.name == name), None)


def best(items: tuple[Item, ...]) -> float:
    """Return the relevance of an answer: that of its best item."""
    return max((one.relevance for one in items), default=0.0)
