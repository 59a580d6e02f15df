"""How long records live without being used, as an operator sets it."""

from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Knob


class LifecyclePolicy(Struct, frozen=True):
    """How long records live without being used."""

    p1_days: Annotated[
        int, Knob("days without use after which a fact, preference, decision or plan is archived", least=1, most=36_500)
    ] = 90
    p2_days: Annotated[
        int, Knob("days without use after which an observation or other memory is archived", least=1, most=36_500)
    ] = 30
    stale_share: Annotated[
        int, Knob("share of those days, in percent, after which a record is marked stale", least=1, most=100)
    ] = 50
    max_gap_days: Annotated[
        int,
        Knob(
            "days in which nothing at all happened before the clock is doubted, and the gap not counted",
            least=1,
            most=36_500,
        ),
    ] = 180
    grade_on_ingest: Annotated[bool, Knob("grade what comes in without an importance")] = True
    observer_chars: Annotated[
        int, Knob("characters of raw observations that are compressed into the log", least=100, most=1_000_000)
    ] = 6_000
    observer_tail: Annotated[int, Knob("newest observations that are left uncompressed", least=0, most=1_000)] = 20
    log_chars: Annotated[
        int, Knob("longest observational log of a scope; the lifecycle prunes the rest", least=500, most=10_000_000)
    ] = 20_000
