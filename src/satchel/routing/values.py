"""Results of the routing operations other than the router's envelope."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.receipt_sections import RouteAttemptEntry


class BackendReport(Struct, frozen=True):
    """One backend with its status, adapter, and what is wrong with it."""

    name: str
    status: str
    adapter: str
    in_tier: bool
    modes: Mapping[str, str]
    message: str | None
    last_health_check: str | None


class BackendList(Struct, frozen=True):
    """The known backends and their state file."""

    state_file: str
    found: bool
    """Whether the file exists; without it the native backends are used."""
    tier: str | None
    backends: tuple[BackendReport, ...]
    written: bool = False
    """Whether the file was written by this call."""


class RuleReport(Struct, frozen=True):
    """Performance of one rule."""

    rule: str
    routed: int
    accepted_first: int
    """How often the first step was good enough."""
    fallbacks: int
    statuses: Mapping[str, int]
    routed_to: Mapping[str, int]
    mean_relevance: float
    mean_ms: float


class BackendTally(Struct, frozen=True):
    """Performance of one backend."""

    backend: str
    asked: int
    outcomes: Mapping[str, int]


class RouteStats(Struct, frozen=True):
    """Performance of rules and backends, from the receipts."""

    receipts: int
    rules: tuple[RuleReport, ...]
    backends: tuple[BackendTally, ...]


class PastRoute(Struct, frozen=True):
    """A routed question, from its receipt. The question itself is not kept."""

    receipt: str
    seq: int
    at: int
    duration_ms: float
    scope: str | None
    query_chars: int
    rule: str
    stage: str
    signals: tuple[str, ...]
    strategy: str
    status: str
    routed_to: str | None
    routed_mode: str | None
    relevance: float
    fallbacks_used: int
    results: int
    attempts: tuple[RouteAttemptEntry, ...]
    skipped: tuple[str, ...]
    """Steps that were not tried, each with the reason."""


class PastRoutes(Struct, frozen=True):
    """Routed questions, newest first."""

    routes: tuple[PastRoute, ...]
    next: int | None = None
    """The sequence number to continue before."""


class Noted(Struct, frozen=True):
    """A memory written to Total Recall's files."""

    file: str
    adapter: str


class Probe(Struct, frozen=True):
    """The result of probing one backend."""

    backend: str
    adapter: str
    status: str
    reason: str
    modes: Mapping[str, str]


class Probes(Struct, frozen=True):
    """The results of all probes. Nothing was written."""

    probes: tuple[Probe, ...]

    @property
    def outcome(self) -> Outcome:
        """Failed if no backend is usable."""
        return failed_if(not any(one.status in ("ready", "degraded") for one in self.probes))
