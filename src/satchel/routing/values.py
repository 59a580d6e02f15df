"""What is said of the router and its backends, beside its envelope."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.outcome import Outcome, failed_if


class BackendReport(Struct, frozen=True):
    """One backend: how it stands, by whom it is served, and what to do about what does not work."""

    name: str
    status: str
    adapter: str
    in_tier: bool
    modes: Mapping[str, str]
    message: str | None
    last_health_check: str | None


class BackendList(Struct, frozen=True):
    """The backends there are, and where that is written."""

    state_file: str
    found: bool
    """Whether there is such a file; without one the native backends are used."""
    tier: str | None
    backends: tuple[BackendReport, ...]
    written: bool = False
    """Whether the file was written just now."""


class RuleReport(Struct, frozen=True):
    """How one rule has performed."""

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
    """How one backend has performed."""

    backend: str
    asked: int
    outcomes: Mapping[str, int]


class RouteStats(Struct, frozen=True):
    """How rules and backends have performed, counted from the receipts."""

    receipts: int
    rules: tuple[RuleReport, ...]
    backends: tuple[BackendTally, ...]


class Noted(Struct, frozen=True):
    """A memory was written into Total Recall's files."""

    file: str
    adapter: str


class Probe(Struct, frozen=True):
    """What a probe of one backend came to."""

    backend: str
    adapter: str
    status: str
    reason: str
    modes: Mapping[str, str]


class Probes(Struct, frozen=True):
    """What the probes came to. Nothing was written."""

    probes: tuple[Probe, ...]

    @property
    def outcome(self) -> Outcome:
        """Whether any backend can be used."""
        return failed_if(not any(one.status in ("ready", "degraded") for one in self.probes))
