"""Lifecycle rules: the state transitions of a record, and when an unused record becomes stale or archived.

Only selection into a final bundle counts as use. Time counts only while the store was active: after a gap of half a
year without any activity, the clock jumped or the store was not in use, and neither ages records. Archiving is
reversible.
"""

from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from satchel.domain.moment import DAY_MS
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.domain.record import Kind, Label, State, Trust
from satchel.errors import Refused
from satchel.ports import LifecycleRecord

TRANSITIONS: dict[State, tuple[State, ...]] = {
    State.CAPTURED: (State.CATEGORIZED,),
    State.CATEGORIZED: (State.ACTIVE,),
    State.ACTIVE: (State.CONSOLIDATED, State.STALE),
    State.CONSOLIDATED: (State.ACTIVE, State.STALE),
    State.STALE: (State.ACTIVE, State.ARCHIVED),
    State.ARCHIVED: (State.ACTIVE,),
    # Replaced by another record; final.
    State.RETIRED: (),
}


class Tier(StrEnum):
    """How long a record is kept without being used."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"


# Deliberate statements are kept longer than mere events.
_P1_KINDS = frozenset(
    {
        Kind.PREFERENCE,
        Kind.DECISION,
        Kind.FACT,
        Kind.ENTITY,
        Kind.PROCEDURE,
        Kind.REFLECTION,
        Kind.SUMMARY,
        Kind.PLAN,
        Kind.TODO,
    }
)
P0_TAGS = frozenset({"p0", "pinned"})


def horizon(policy: LifecyclePolicy, tier: Tier) -> int | None:
    """Return the days without use after which a tier is archived; None for never."""
    return {Tier.P0: None, Tier.P1: policy.p1_days, Tier.P2: policy.p2_days}[tier]


class LifecycleDecision(Struct, frozen=True):
    """The new state of one record, and why."""

    to_state: State
    tier: Tier
    reason: str
    idle_days: int
    said: str = ""
    """What the operator gave as the reason."""


def is_allowed(from_state: State, to_state: State) -> bool:
    """Return whether a single transition is allowed."""
    return to_state in TRANSITIONS[from_state]


def transition(from_state: State, to_state: State) -> State:
    """Return the new state, or raise Refused."""
    if not is_allowed(from_state, to_state):
        allowed = ", ".join(TRANSITIONS[from_state]) or "nothing"
        raise Refused(
            f"cannot change a record from {from_state} to {to_state}",
            code="transition_refused",
            hint=f"allowed from {from_state}: {allowed}",
        )
    return to_state


def archived_state(from_state: State) -> State:
    """Return the archived state, or raise Refused if a record is archived or retired already."""
    if from_state in (State.ARCHIVED, State.RETIRED):
        raise Refused(
            f"cannot archive a record that is {from_state}",
            code="transition_refused",
            hint="answers already leave it out",
        )
    return State.ARCHIVED


def revived_state(from_state: State) -> State:
    """Return the state of a revived record, or raise Refused unless it is stale or archived."""
    if from_state not in (State.STALE, State.ARCHIVED):
        raise Refused(
            f"cannot revive a record that is {from_state}",
            code="transition_refused",
            hint="only stale and archived records can be revived",
        )
    return transition(from_state, State.ACTIVE)


def path(from_state: State, to_state: State) -> tuple[State, ...]:
    """Return the shortest sequence of transitions, both ends included; empty if there is none."""
    paths: list[tuple[State, ...]] = [(from_state,)]
    seen = {from_state}
    for path_so_far in paths:
        if path_so_far[-1] is to_state:
            return path_so_far
        next_states = [state for state in TRANSITIONS[path_so_far[-1]] if state not in seen]
        seen.update(next_states)
        paths += [(*path_so_far, state) for state in next_states]
    return ()


def tier_of(life: LifecycleRecord) -> Tier:
    """Return the tier of a record. Trust only decides who may pin; it never extends retention."""
    if life.is_memory and life.trust is Trust.TRUSTED and _is_pinned(life):
        return Tier.P0
    return Tier.P1 if life.kind in _P1_KINDS else Tier.P2


def _is_pinned(life: LifecycleRecord) -> bool:
    given = life.label is Label.MUST_REMEMBER and not life.is_graded
    return given or any(tag.lower() in P0_TAGS for tag in life.tags)


class ActiveTime:
    """Time during which the store was in use: gaps longer than a maximum do not count."""

    def __init__(self, days: Sequence[int], now: int, max_gap_days: int) -> None:
        """`days` are the days since the epoch with any activity; future ones are ignored."""
        self.now = now
        moments = [day * DAY_MS for day in days if day * DAY_MS < now]
        self._moments = [*moments, now]
        self._max_gap = max_gap_days * DAY_MS
        self._counted = [0]
        for earlier, later in pairwise(self._moments):
            self._counted.append(self._counted[-1] + self._counts(later - earlier))

    def _counts(self, gap: int) -> int:
        return gap if 0 < gap <= self._max_gap else 0

    def elapsed(self, since: int) -> int:
        """Return the time that counts since a moment; 0 if it is in the future."""
        place = bisect_right(self._moments, since)
        if place == len(self._moments):
            return 0
        return self._counts(self._moments[place] - since) + self._counted[-1] - self._counted[place]

    @property
    def ignored_days(self) -> int:
        """Number of days in gaps that do not count."""
        gaps = (later - earlier for earlier, later in pairwise(self._moments))
        return sum(gap for gap in gaps if gap > self._max_gap) // DAY_MS


def decide(life: LifecycleRecord, policy: LifecyclePolicy, active_time: ActiveTime) -> LifecycleDecision | None:
    """Decide whether a record becomes stale, archived or active again; None for no change."""
    tier = tier_of(life)
    days = horizon(policy, tier)
    if days is None or not path(life.state, State.ARCHIVED) or life.state is State.ARCHIVED:
        return None
    used = life.last_used_at is not None
    idle = _idle(life, active_time)
    if idle >= days * DAY_MS:
        return LifecycleDecision(State.ARCHIVED, tier, "not_used_lately" if used else "never_used", idle // DAY_MS)
    is_old = idle * 100 >= days * DAY_MS * policy.stale_share
    if is_old and life.state is not State.STALE:
        return LifecycleDecision(State.STALE, tier, "growing_old", idle // DAY_MS)
    if not is_old and life.state is State.STALE:
        return LifecycleDecision(State.ACTIVE, tier, "used_again", idle // DAY_MS)
    return None


def _idle(life: LifecycleRecord, active_time: ActiveTime) -> int:
    """Return how long a record was not used: by its own date until it arrived, then while the store was active."""
    since = max(life.since, life.last_used_at or 0)
    # Nothing arrives in the future: the clock was ahead then.
    arrived_at = min(life.arrived_at, active_time.now)
    return max(0, arrived_at - since) + active_time.elapsed(max(since, arrived_at))
