"""How long records live without being used, as an operator sets it."""

from dataclasses import dataclass

from satchel.domain.knob import knob


@dataclass(frozen=True, slots=True)
class LifecyclePolicy:
    """How long records live without being used."""

    p1_days: int = knob(
        90, "days without use after which a fact, preference, decision or plan is archived", least=1, most=36_500
    )
    p2_days: int = knob(
        30, "days without use after which an observation or other memory is archived", least=1, most=36_500
    )
    stale_share: int = knob(
        50, "share of those days, in percent, after which a record is marked stale", least=1, most=100
    )
    max_gap_days: int = knob(
        180,
        "days in which nothing at all happened before the clock is doubted, and the gap not counted",
        least=1,
        most=36_500,
    )
    grade_on_ingest: bool = knob(True, "grade what comes in without an importance")
    observer_chars: int = knob(
        6_000, "characters of raw observations that are compressed into the log", least=100, most=1_000_000
    )
    observer_tail: int = knob(20, "newest observations that are left uncompressed", least=0, most=1_000)
    log_chars: int = knob(
        20_000, "longest observational log of a scope; the lifecycle prunes the rest", least=500, most=10_000_000
    )
