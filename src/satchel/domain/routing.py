"""Values of the dispatch router: routes, backend queries and replies, and the envelope, as its specification names them."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.envelope import Outcome as Ending
from satchel.domain.envelope import failed_if
from satchel.domain.periods import Period

BACKENDS = ("qmd", "totalrecall", "cognee", "lossless")
MODES = ("search", "vsearch", "query")
"""The modes of qmd: lexical, vector, hybrid. Other backends have no modes."""
MAX_CONTENT_CHARS = 500
# Relevances are compared as rounded for display, so that a displayed 0.4 passes a threshold of 0.4.
DIGITS = 4


class RouteStatus(StrEnum):
    """The result status of a backend or of the whole router."""

    SUCCESS = "success"
    PARTIAL = "partial"
    EMPTY = "empty"
    ERROR = "error"


class RouteErrorCode(StrEnum):
    """The error codes of the specification."""

    UNAVAILABLE = "BACKEND_UNAVAILABLE"
    TIMEOUT = "QUERY_TIMEOUT"
    ERROR = "BACKEND_ERROR"
    PARTIAL = "PARTIAL_RESULT"
    ALL_FAILED = "ALL_BACKENDS_FAILED"


class AttemptOutcome(StrEnum):
    """The outcome of one attempt."""

    ACCEPTED = "accepted"
    LOW = "low_relevance"
    EMPTY = "empty"
    ERROR = "error"
    TIMEOUT = "timeout"


class BackendState(StrEnum):
    """The health of a backend, by the lowest probe that failed."""

    READY = "ready"
    DEGRADED = "degraded"
    INSTALLED = "installed"
    UNAVAILABLE = "unavailable"


class RouteStage(StrEnum):
    """The kind of signal that decided the rule."""

    KEYWORD = "keyword"
    IDENTIFIER = "identifier"
    WEAK = "weak"
    DEFAULT = "default"
    HINT = "hint"


class RouteStrategy(StrEnum):
    """How the steps of a chain are tried. Only SEQUENTIAL is in the specification."""

    SEQUENTIAL = "sequential"
    RACE = "race"
    MERGE = "merge"


class ChainStep(Struct, frozen=True):
    """One step of a chain: a backend and its mode, if it has modes."""

    backend: str
    mode: str | None = None

    def __str__(self) -> str:
        return self.backend if self.mode is None else f"{self.backend}:{self.mode}"


class QueryRoute(Struct, frozen=True):
    """The chain of backends for a query, and the rule and signals that decided it."""

    number: int
    rule: str
    stage: RouteStage
    signals: tuple[str, ...]
    chain: tuple[ChainStep, ...]


class BackendQuery(Struct, frozen=True):
    """A query to one backend."""

    query: str
    mode: str | None
    limit: int
    deadline: float
    """When to stop waiting for the reply, in ticks of the clock."""
    scope: str | None = None
    period: Period | None = None
    """The time that the query asks about, if only results of that time answer it."""
    rule: str | None = None
    """The rule that chose the backend."""


class Traversal(Struct, frozen=True):
    """The path through a graph that led to an item."""

    depth: int
    nodes: tuple[str, ...]
    edges: tuple[str, ...]


class RouteItem(Struct, frozen=True):
    """One result. Its relevance depends on the query and the item only, not on the other results."""

    content: str
    relevance: float
    source: str
    timestamp: str
    """When it was recorded, not when it was retrieved."""
    id: str | None = None
    event_time: str | None = None
    record_time: str | None = None
    expanded_from: str | None = None
    traversal: Traversal | None = None
    path: str | None = None
    line: int | None = None


class BackendReply(Struct, frozen=True):
    """The reply of a backend: the nine fields of the contract, and a note."""

    query_echo: str
    results: tuple[RouteItem, ...]
    result_count: int
    status: RouteStatus
    backend: str
    normalized_relevance: float
    backend_duration_ms: int = 0
    error_message: str | None = None
    error_code: str | None = None
    note: str | None = None


class PlannedStep(Struct, frozen=True):
    """A step that will be tried, and the state of its backend."""

    backend: str
    mode: str | None
    state: BackendState


class SkippedStep(Struct, frozen=True):
    """A step that was removed before anything was tried."""

    backend: str
    mode: str | None
    reason: str


class Attempt(Struct, frozen=True):
    """A step that was tried."""

    backend: str
    mode: str | None
    status: RouteStatus
    result_count: int
    normalized_relevance: float
    duration_ms: int
    error_code: str | None
    error_message: str | None
    outcome: AttemptOutcome
    note: str | None = None


class MatchedRule(Struct, frozen=True):
    """The rule that matched."""

    number: int
    id: str


class RouteTrace(Struct, frozen=True):
    """The trace of a routed query."""

    rule: MatchedRule
    stage: RouteStage
    signals: tuple[str, ...]
    strategy: RouteStrategy
    planned: tuple[PlannedStep, ...]
    attempts: tuple[Attempt, ...]
    skipped: tuple[SkippedStep, ...]
    notes: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    """What a person has to know beside the results."""


class RouterEnvelope(Struct, frozen=True):
    """The answer of the router. The error fields and the trace are present only if needed."""

    query_echo: str
    routed_to: str | None
    routed_mode: str | None
    fallback_chain: tuple[str, ...]
    fallbacks_used: int
    results: tuple[RouteItem, ...]
    result_count: int
    normalized_relevance: float
    status: RouteStatus
    router_duration_ms: int
    backend_duration_ms: int
    error_code: str | None = None
    error_message: str | None = None
    trace: RouteTrace | None = None

    @property
    def outcome(self) -> Ending:
        """Failed if no backend answered."""
        return failed_if(self.status is RouteStatus.ERROR)


class BackendEntry(Struct, frozen=True):
    """A backend as listed in the state file."""

    name: str
    state: BackendState
    adapter: str = "native"
    options: Mapping[str, Json] = {}
    modes: Mapping[str, BackendState] = {}
    """Modes whose state differs from the backend's."""
    message: str | None = None
    last_health_check: str | None = None


class BackendRoster(Struct, frozen=True):
    """All known backends."""

    entries: tuple[BackendEntry, ...]
    tier: str | None = None
    found: bool = True
    """Whether they come from a state file; otherwise they are the native ones."""

    def entry(self, name: str) -> BackendEntry | None:
        """Return the entry of a backend, or None."""
        return next((one for one in self.entries if one.name == name), None)


def best_relevance(items: Sequence[RouteItem]) -> float:
    """Return the relevance of the best item, or 0."""
    return max((one.relevance for one in items), default=0.0)
