"""Settings of the lifecycle: when unused records become stale and are archived."""

from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Setting


class LifecyclePolicy(Struct, frozen=True):
    """When unused records become stale and are archived."""

    p1_days: Annotated[
        int, Setting("days without use after which a fact, preference, decision or plan is archived", 1, 36_500)
    ] = 90
    p2_days: Annotated[
        int, Setting("days without use after which an observation or other memory is archived", 1, 36_500)
    ] = 30
    stale_share: Annotated[int, Setting("percentage of those days after which a record is marked stale", 1, 100)] = 50
    max_gap_days: Annotated[
        int,
        Setting(
            "longest gap without any activity, in days; a longer one is taken for a wrong clock and not counted",
            1,
            36_500,
        ),
    ] = 180
    grade_on_ingest: Annotated[bool, Setting("grade observations that arrive without an importance")] = True
    observer_chars: Annotated[
        int,
        Setting(
            "characters of raw observations, without the newest, from which they are compressed into the log",
            100,
            1_000_000,
        ),
    ] = 6_000
    observer_tail: Annotated[int, Setting("newest observations to leave uncompressed", 0, 1_000)] = 20
    log_chars: Annotated[
        int, Setting("maximum length of a scope's observational log; the lifecycle prunes the rest", 500, 10_000_000)
    ] = 20_000
