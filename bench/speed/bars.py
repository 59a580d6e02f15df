"""Targets that the design sets for some figures. A missed target is reported and does not stop a run."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from bench.speed.results import Bar, Contest, Timing


class Limit(Struct, frozen=True):
    """An upper or lower limit of a figure, for stores of some sizes."""

    what: str
    statistic: str
    limit: float
    at_least: bool = False
    beyond: int = 0
    """Applies to more memories than this …"""
    until: int = 10_000_000
    """… and at most this many."""

    def check(self, timing: Timing, unit: str) -> Bar:
        """Compare a figure with the limit."""
        figure = float(getattr(timing, self.statistic))
        name = "" if timing.runs == 1 else f"{self.statistic} "
        sign, met = ("≥", figure >= self.limit) if self.at_least else ("≤", figure <= self.limit)
        return Bar(f"{name}{sign} {self.limit:,g} {unit}", met)


LIMITS = (
    Limit("cold start: capture", "p95", 80),
    Limit("cold start: hook after a tool", "p95", 80),
    Limit("cold start: recall, lexical", "p95", 250),
    Limit("cold start: recall, hybrid", "p95", 1_500),
    Limit("cold start: turn before", "p95", 500, until=10_000),
    Limit("MCP start: tools/list", "p95", 300),
    Limit("with a server: turn before", "p95", 60, until=10_000),
    Limit("cold start: recall, lexical", "p50", 200, beyond=100_000),
    Limit("warm recall, hybrid", "p50", 12, until=100_000),
    Limit("warm recall, hybrid", "p95", 25, until=100_000),
    Limit("warm recall, hybrid", "p50", 30, beyond=100_000),
    Limit("warm recall, hybrid", "p95", 60, beyond=100_000),
    Limit("true 10 neighbours found", "p50", 98, at_least=True),
    Limit("bytes for each memory", "p50", 3_000, beyond=99_999),
    Limit("bulk import", "p50", 10_000, at_least=True, beyond=99_999),
    Limit("resident memory", "p50", 2_048, beyond=100_000),
    Limit("durable store", "p50", 5),
    Limit("ingest of observations", "p50", 3_000, at_least=True),
    Limit("16 writers at once: acknowledged and lost", "p50", 0),
)


def with_bars(contests: Sequence[Contest], rows: int) -> tuple[Contest, ...]:
    """Return the contests, each with the targets set for it."""
    return tuple(replace(one, bars=_bars(one, rows)) for one in contests)


def _bars(one: Contest, rows: int) -> tuple[Bar, ...]:
    asked = (limit for limit in LIMITS if limit.what == one.what and limit.beyond < rows <= limit.until)
    return tuple(limit.check(one.satchel, one.unit) for limit in asked)
