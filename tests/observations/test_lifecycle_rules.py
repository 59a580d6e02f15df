"""Lifecycle rules: transitions, tiers, and clocks that jump."""

from itertools import pairwise, product
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.domain.moment import DAY_MS
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.domain.record import Kind, Label, State, Trust
from satchel.errors import Refused
from satchel.observations.lifecycle_rules import (
    ActiveTime,
    LifecycleDecision,
    Tier,
    decide,
    is_allowed,
    path,
    revived_state,
    tier_of,
    transition,
)
from satchel.ports import LifecycleRecord
from tests.tables import each_case

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


def life(**fields: Any) -> LifecycleRecord:
    given: dict[str, Any] = {
        "id": "m1", "is_memory": True, "scope": "global", "kind": Kind.OTHER, "state": State.ACTIVE,
        "trust": Trust.TRUSTED, "label": Label.UNKNOWN, "is_graded": False, "tags": (), "since": 0, "arrived_at": 0,
        "last_used_at": None,
    }  # fmt: skip
    return LifecycleRecord(**given | fields)


def decided(one: LifecycleRecord, idle_days: float, policy: LifecyclePolicy = POLICY) -> LifecycleDecision | None:
    """Decide about a record stored idle_days ago, with activity on every day since."""
    now = TODAY * DAY_MS
    since = now - int(idle_days * DAY_MS)
    active_time = ActiveTime(range(since // DAY_MS, TODAY), now, policy.max_gap_days)
    return decide(replace(one, since=since), policy, active_time)


class TestTransitions:
    @each_case(("before", "after"), [*product(State, State)])
    def test_a_transition_is_allowed_or_refused_as_the_table_says(self, before: State, after: State) -> None:
        assert is_allowed(before, after) == ((before.value, after.value) in ALLOWED)
        if (before.value, after.value) in ALLOWED:
            assert transition(before, after) is after
            return
        with pytest.raises(Refused) as refused:
            transition(before, after)
        assert refused.value.code == "transition_refused"

    @each_case("state", [one for one in State if one is not State.RETIRED])
    def test_every_live_state_has_a_path_to_archived_and_back(self, state: State) -> None:
        path_so_far = path(state, State.ARCHIVED)
        assert all(is_allowed(one, other) for one, other in pairwise(path_so_far))
        assert (path_so_far[0], path_so_far[-1]) == (state, State.ARCHIVED)
        assert path(State.ARCHIVED, State.ACTIVE) == (State.ARCHIVED, State.ACTIVE)

    @each_case("state", State)
    def test_only_stale_and_archived_records_can_be_revived(self, state: State) -> None:
        if state in (State.STALE, State.ARCHIVED):
            assert revived_state(state) is State.ACTIVE
            return
        with pytest.raises(Refused):
            revived_state(state)

    def test_a_retired_record_never_changes(self) -> None:
        assert all(path(State.RETIRED, state) == () for state in State if state is not State.RETIRED)
        assert decided(life(state=State.RETIRED), 10_000) is None


class TestTiers:
    @each_case(
        "kind", ["preference", "decision", "fact", "entity", "procedure", "reflection", "summary", "plan", "todo"]
    )
    def test_deliberate_statements_are_p1(self, kind: str) -> None:
        assert tier_of(life(kind=Kind(kind))) is Tier.P1

    def test_episodes_and_observations_are_p2(self) -> None:
        assert tier_of(life(kind=Kind.EPISODE)) is Tier.P2
        assert tier_of(life(kind=Kind.OTHER)) is Tier.P2
        assert tier_of(life(is_memory=False, kind=None)) is Tier.P2

    def test_p0_requires_a_tag_or_a_given_importance(self) -> None:
        assert tier_of(life(tags=("Pinned",))) is Tier.P0
        assert tier_of(life(tags=("p0",))) is Tier.P0
        assert tier_of(life(label=Label.MUST_REMEMBER)) is Tier.P0
        assert tier_of(life(label=Label.MUST_REMEMBER, is_graded=True)) is Tier.P2

    @each_case("trust", [Trust.UNTRUSTED, Trust.QUARANTINED])
    def test_untrusted_records_cannot_be_pinned(self, trust: Trust) -> None:
        assert tier_of(life(tags=("p0",), label=Label.MUST_REMEMBER, trust=trust)) is Tier.P2

    @each_case(("tier", "kind", "days"), [(Tier.P1, Kind.FACT, 90), (Tier.P2, Kind.OTHER, 30)])
    def test_a_record_is_archived_on_the_day_of_its_horizon(self, tier: Tier, kind: Kind, days: int) -> None:
        assert decided(life(kind=kind), days - 0.01) == LifecycleDecision(State.STALE, tier, "growing_old", days - 1)
        assert decided(life(kind=kind), days) == LifecycleDecision(State.ARCHIVED, tier, "never_used", days)

    def test_p0_never_ages(self) -> None:
        assert decided(life(tags=("p0",)), 10_000) is None

    def test_horizons_can_be_set(self) -> None:
        policy = LifecyclePolicy(p1_days=7, p2_days=2, stale_share=100)
        assert decided(life(kind=Kind.FACT), 6.9, policy) is None
        assert decided(life(kind=Kind.FACT), 7, policy) == LifecycleDecision(State.ARCHIVED, Tier.P1, "never_used", 7)
        assert decided(life(), 2, policy) == LifecycleDecision(State.ARCHIVED, Tier.P2, "never_used", 2)

    def test_a_record_is_marked_stale_half_way_and_once(self) -> None:
        assert decided(life(), 14.9) is None
        assert decided(life(), 15) == LifecycleDecision(State.STALE, Tier.P2, "growing_old", 15)
        assert decided(life(state=State.STALE), 16) is None

    def test_use_keeps_a_record_active_and_reactivates_a_stale_one(self) -> None:
        now = TODAY * DAY_MS
        active_time = ActiveTime(range(TODAY - 400, TODAY), now, 180)
        used = life(since=now - 400 * DAY_MS, last_used_at=now - DAY_MS)
        assert decide(used, POLICY, active_time) is None
        assert decide(replace(used, state=State.STALE), POLICY, active_time) == LifecycleDecision(
            State.ACTIVE, Tier.P2, "used_again", 1
        )
        long_ago = replace(used, last_used_at=now - 40 * DAY_MS)
        assert decide(long_ago, POLICY, active_time) == LifecycleDecision(
            State.ARCHIVED, Tier.P2, "not_used_lately", 40
        )

    def test_use_does_not_touch_trust(self) -> None:
        used = life(trust=Trust.UNTRUSTED, last_used_at=TODAY * DAY_MS, kind=Kind.FACT)
        assert tier_of(used) is Tier.P1
        assert used.trust is Trust.UNTRUSTED


class TestClocks:
    """Activity on every day of a year, then the clock jumps."""

    DAYS = range(TODAY - 365, TODAY)

    def idle(self, now_day: int, since_day: int = TODAY - 10) -> float:
        return ActiveTime(self.DAYS, now_day * DAY_MS, 180).elapsed(since_day * DAY_MS) / DAY_MS

    def test_time_that_passes_counts(self) -> None:
        assert self.idle(TODAY) == 10
        assert self.idle(TODAY + 90) == 100

    @each_case("jump", [181, 365, 50 * 365])
    def test_a_jump_forward_does_not_count(self, jump: int) -> None:
        assert self.idle(TODAY + jump) == 9

    @each_case("jump", [-1, -365, -20_000])
    def test_a_jump_back_ages_nothing(self, jump: int) -> None:
        assert 0 <= self.idle(TODAY + jump) <= 9

    def test_after_a_jump_time_counts_from_there(self) -> None:
        later = [*self.DAYS, *range(TODAY + 1000, TODAY + 1020)]
        active_time = ActiveTime(later, (TODAY + 1020) * DAY_MS, 180)
        assert active_time.elapsed((TODAY - 10) * DAY_MS) == (9 + 20) * DAY_MS
        assert active_time.ignored_days == 1001

    def test_a_record_from_the_future_has_no_age(self) -> None:
        assert self.idle(TODAY, since_day=TODAY + 400) == 0

    def test_an_empty_store_has_no_active_time(self) -> None:
        assert ActiveTime([], 5, 180).elapsed(5) == 0
        assert ActiveTime([], 5, 180).ignored_days == 0

    @each_case("jump", [-365, 200, 365, 18_250])
    def test_no_jump_archives_anything(self, jump: int) -> None:
        active_time = ActiveTime(self.DAYS, (TODAY + jump) * DAY_MS, 180)
        young = [life(since=(TODAY - age) * DAY_MS) for age in range(1, 15)]
        assert [decide(one, POLICY, active_time) for one in young] == [None] * 14


def test_a_record_that_arrived_while_the_clock_was_ahead_is_not_old() -> None:
    now = TODAY * DAY_MS
    ahead = life(since=now - DAY_MS, arrived_at=now + 50 * 365 * DAY_MS)

    assert decide(ahead, POLICY, ActiveTime([TODAY - 1], now, POLICY.max_gap_days)) is None
