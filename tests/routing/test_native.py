"""The native backends: what is of the time that a query asks about, or else the nearest match."""

from satchel.domain.periods import Period
from satchel.domain.routing import BackendQuery
from satchel.routing.lanes import LaneHit, LaneResult, Lanes
from satchel.routing.native import native_backends
from tests.tables import each_case

TODAY = Period(100, 200, "today")
REPAIRED = LaneHit("old", "the oven was repaired", 0.8, 50)


def _lanes(*hits: LaneHit) -> Lanes:
    def search(
        text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None, untrusted: bool = False
    ) -> LaneResult:
        return LaneResult(tuple(one for one in hits if period is None or period.holds(one.recorded_at)))

    def newest(*, limit: int, scope: str | None, period: Period | None = None) -> LaneResult:
        return search("", mode="", limit=limit, scope=scope, period=period)

    return Lanes(memories=search, recent=newest, conversations=search)


@each_case(
    ("backend", "of_today", "expected"),
    [
        ("lossless", 0.05, "old"),
        ("totalrecall", 0.05, "old"),
        ("lossless", 0.2, "new"),
        ("totalrecall", 0.2, "new"),
    ],
    ids=str,
)
def test_a_match_of_another_time_comes_before_a_remote_one_of_the_time(
    backend: str, of_today: float, expected: str
) -> None:
    lanes = _lanes(LaneHit("new", "the oven smells of bread", of_today, 150), REPAIRED)
    asked = BackendQuery("what happened to the oven today", None, 20, 0.0, period=TODAY, rule="recent")

    found = native_backends(lanes, lambda: 200)[backend].ask(asked)

    assert [one.id for one in found.results] == [expected]
