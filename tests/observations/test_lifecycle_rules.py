"""The lifecycle: every transition, every tier, and clocks that cannot be believed."""

from itertools import pairwise, product
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.domain.moment import DAY_MS
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.domain.record import Kind, Label, State, Trust
from satchel.errors import Refused
from satchel.observations.lifecycle_rules import (
    Decision,
    Tier,
    Witnessed,
    decide,
    is_allowed,
    path,
    revived,
    step,
    tier_of,
)
from satchel.ports import Life

ALLOWED = {
    ("captured", "categorized"),
    ("categorized", "active"),
    ("active", "consolidated"),
    ("active", "stale"),
    ("consolidated", "active"),
    ("consolidated", "stale"),
    ("stale", "active"),
    ("stale", "archived"),
    ("archived", "active"),
}
POLICY = LifecyclePolicy()
TODAY = 20_000


def life(**fields: Any) -> Life:
    given: dict[str, Any] = {
        "id": "m1", "is_memory": True, "scope": "global", "kind": Kind.OTHER, "state": State.ACTIVE,
        "trust": Trust.TRUSTED, "label": Label.UNKNOWN, "is_graded": False, "tags": (), "since": 0, "last_used_at": None,
    }  # fmt: skip
    return Life(**given | fields)


def decided(one: Life, idle_days: float, policy: LifecyclePolicy = POLICY) -> Decision | None:
    """Decide over a record that came so many days ago, with somebody there every day since."""
    now = TODAY * DAY_MS
    since = now - int(idle_days * DAY_MS)
    witnessed = Witnessed(range(since // DAY_MS, TODAY), now, policy.max_gap_days)
    return decide(replace(one, since=since), policy, witnessed)


class TestTransitions:
    @pytest.mark.parametrize(("before", "after"), [*product(State, State)])
    def test_a_step_is_allowed_or_refused_as_the_table_says(self, before: State, after: State) -> None:
        assert is_allowed(before, after) == ((before.value, after.value) in ALLOWED)
        if (before.value, after.value) in ALLOWED:
            assert step(before, after) is after
            return
        with pytest.raises(Refused) as refused:
            step(before, after)
        assert refused.value.code == "transition_refused"

    @pytest.mark.parametrize("state", [one for one in State if one is not State.RETIRED])
    def test_every_live_state_has_a_way_into_the_archive_and_back(self, state: State) -> None:
        way = path(state, State.ARCHIVED)
        assert all(is_allowed(one, other) for one, other in pairwise(way))
        assert (way[0], way[-1]) == (state, State.ARCHIVED)
        assert path(State.ARCHIVED, State.ACTIVE) == (State.ARCHIVED, State.ACTIVE)

    @pytest.mark.parametrize("state", State)
    def test_only_what_is_stale_or_archived_can_be_revived(self, state: State) -> None:
        if state in (State.STALE, State.ARCHIVED):
            assert revived(state) is State.ACTIVE
            return
        with pytest.raises(Refused):
            revived(state)

    def test_what_is_retired_goes_nowhere(self) -> None:
        assert all(path(State.RETIRED, state) == () for state in State if state is not State.RETIRED)
        assert decided(life(state=State.RETIRED), 10_000) is None


class TestTiers:
    @pytest.mark.parametrize(
        "kind", ["preference", "decision", "fact", "entity", "procedure", "reflection", "summary", "plan", "todo"]
    )
    def test_what_was_said_on_purpose_is_p1(self, kind: str) -> None:
        assert tier_of(life(kind=Kind(kind))) is Tier.P1

    def test_what_merely_happened_is_p2(self) -> None:
        assert tier_of(life(kind=Kind.EPISODE)) is Tier.P2
        assert tier_of(life(kind=Kind.OTHER)) is Tier.P2
        assert tier_of(life(is_memory=False, kind=None)) is Tier.P2

    def test_p0_has_to_be_said(self) -> None:
        assert tier_of(life(tags=("Pinned",))) is Tier.P0
        assert tier_of(life(tags=("p0",))) is Tier.P0
        assert tier_of(life(label=Label.MUST_REMEMBER)) is Tier.P0
        assert tier_of(life(label=Label.MUST_REMEMBER, is_graded=True)) is Tier.P2

    @pytest.mark.parametrize("trust", [Trust.UNTRUSTED, Trust.QUARANTINED])
    def test_what_is_not_trusted_cannot_pin_itself(self, trust: Trust) -> None:
        assert tier_of(life(tags=("p0",), label=Label.MUST_REMEMBER, trust=trust)) is Tier.P2

    @pytest.mark.parametrize(("tier", "kind", "days"), [(Tier.P1, Kind.FACT, 90), (Tier.P2, Kind.OTHER, 30)])
    def test_a_record_is_archived_on_the_day_of_its_horizon(self, tier: Tier, kind: Kind, days: int) -> None:
        assert decided(life(kind=kind), days - 0.01) == Decision(State.STALE, tier, "growing_old", days - 1)
        assert decided(life(kind=kind), days) == Decision(State.ARCHIVED, tier, "never_used", days)

    def test_p0_never_grows_old(self) -> None:
        assert decided(life(tags=("p0",)), 10_000) is None

    def test_horizons_can_be_set(self) -> None:
        policy = LifecyclePolicy(p1_days=7, p2_days=2, stale_share=100)
        assert decided(life(kind=Kind.FACT), 6.9, policy) is None
        assert decided(life(kind=Kind.FACT), 7, policy) == Decision(State.ARCHIVED, Tier.P1, "never_used", 7)
        assert decided(life(), 2, policy) == Decision(State.ARCHIVED, Tier.P2, "never_used", 2)

    def test_a_record_is_marked_stale_half_way_and_once(self) -> None:
        assert decided(life(), 14.9) is None
        assert decided(life(), 15) == Decision(State.STALE, Tier.P2, "growing_old", 15)
        assert decided(life(state=State.STALE), 16) is None

    def test_use_keeps_a_record_young_and_wakes_a_stale_one(self) -> None:
        now = TODAY * DAY_MS
        witnessed = Witnessed(range(TODAY - 400, TODAY), now, 180)
        used = life(since=now - 400 * DAY_MS, last_used_at=now - DAY_MS)
        assert decide(used, POLICY, witnessed) is None
        assert decide(replace(used, state=State.STALE), POLICY, witnessed) == Decision(
            State.ACTIVE, Tier.P2, "used_again", 1
        )
        long_ago = replace(used, last_used_at=now - 40 * DAY_MS)
        assert decide(long_ago, POLICY, witnessed) == Decision(State.ARCHIVED, Tier.P2, "not_used_lately", 40)

    def test_use_does_not_touch_trust(self) -> None:
        used = life(trust=Trust.UNTRUSTED, last_used_at=TODAY * DAY_MS, kind=Kind.FACT)
        assert tier_of(used) is Tier.P1
        assert used.trust is Trust.UNTRUSTED


class TestClocks:
    """Somebody was there every day for a year; then the clock says something else."""

    DAYS = range(TODAY - 365, TODAY)

    def idle(self, now_day: int, since_day: int = TODAY - 10) -> float:
        return Witnessed(self.DAYS, now_day * DAY_MS, 180).elapsed(since_day * DAY_MS) / DAY_MS

    def test_time_that_passes_counts(self) -> None:
        assert self.idle(TODAY) == 10
        assert self.idle(TODAY + 90) == 100

    @pytest.mark.parametrize("jump", [181, 365, 50 * 365])
    def test_a_jump_forward_does_not_count(self, jump: int) -> None:
        assert self.idle(TODAY + jump) == 9

    @pytest.mark.parametrize("jump", [-1, -365, -20_000])
    def test_a_jump_back_makes_nothing_older(self, jump: int) -> None:
        assert 0 <= self.idle(TODAY + jump) <= 9

    def test_after_a_jump_time_counts_on_from_there(self) -> None:
        later = [*self.DAYS, *range(TODAY + 1000, TODAY + 1020)]
        witnessed = Witnessed(later, (TODAY + 1020) * DAY_MS, 180)
        assert witnessed.elapsed((TODAY - 10) * DAY_MS) == (9 + 20) * DAY_MS
        assert witnessed.unwitnessed_days == 1001

    def test_what_lies_in_the_future_has_no_age(self) -> None:
        assert self.idle(TODAY, since_day=TODAY + 400) == 0

    def test_an_empty_store_has_seen_nothing(self) -> None:
        assert Witnessed([], 5, 180).elapsed(5) == 0
        assert Witnessed([], 5, 180).unwitnessed_days == 0

    @pytest.mark.parametrize("jump", [-365, 200, 365, 18_250])
    def test_no_jump_archives_anything(self, jump: int) -> None:
        witnessed = Witnessed(self.DAYS, (TODAY + jump) * DAY_MS, 180)
        young = [life(since=(TODAY - age) * DAY_MS) for age in range(1, 15)]
        assert [decide(one, POLICY, witnessed) for one in young] == [None] * 14
