"""Lifecycle: which states a record can go through, and when one that nobody uses is put away.

Only being selected into a final bundle counts as use, and time counts only while somebody was there to see it pass: a
gap in which the store saw nothing at all for half a year is a clock that jumped, or a store that slept. Neither makes
anything old. Archiving is soft: the record leaves ordinary answers and comes back whole by being revived.
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
from satchel.ports import Life

TRANSITIONS: dict[State, tuple[State, ...]] = {
    State.CAPTURED: (State.CATEGORIZED,),
    State.CATEGORIZED: (State.ACTIVE,),
    State.ACTIVE: (State.CONSOLIDATED, State.STALE),
    State.CONSOLIDATED: (State.ACTIVE, State.STALE),
    State.STALE: (State.ACTIVE, State.ARCHIVED),
    State.ARCHIVED: (State.ACTIVE,),
    # Replaced by another record: what is retired stays so.
    State.RETIRED: (),
}


class Tier(StrEnum):
    """How long a record is kept without being used."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"


# What somebody said on purpose keeps longer than what merely happened.
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
    """Return after how many days without use a record of a tier is archived; None for never."""
    return {Tier.P0: None, Tier.P1: policy.p1_days, Tier.P2: policy.p2_days}[tier]


class Decision(Struct, frozen=True):
    """What becomes of one record."""

    to_state: State
    tier: Tier
    reason: str
    idle_days: int


def is_allowed(from_state: State, to_state: State) -> bool:
    """Say whether a record may go from one state to another in one step."""
    return to_state in TRANSITIONS[from_state]


def step(from_state: State, to_state: State) -> State:
    """Return the new state, or refuse the step."""
    if not is_allowed(from_state, to_state):
        allowed = ", ".join(TRANSITIONS[from_state]) or "nothing"
        raise Refused(
            f"a record that is {from_state} cannot become {to_state}",
            code="transition_refused",
            hint=f"from {from_state} there is a way to: {allowed}",
        )
    return to_state


def revived(from_state: State) -> State:
    """Return the state of a record that is brought back; only what was put away, or is about to be, can be."""
    if from_state not in (State.STALE, State.ARCHIVED):
        raise Refused(
            f"a record that is {from_state} cannot be revived",
            code="transition_refused",
            hint="only what is archived or stale can be brought back",
        )
    return step(from_state, State.ACTIVE)


def path(from_state: State, to_state: State) -> tuple[State, ...]:
    """Return the shortest way from one state to another, both ends included; empty where there is none."""
    ways: list[tuple[State, ...]] = [(from_state,)]
    seen = {from_state}
    for way in ways:
        if way[-1] is to_state:
            return way
        onward = [state for state in TRANSITIONS[way[-1]] if state not in seen]
        seen.update(onward)
        ways += [(*way, state) for state in onward]
    return ()


def tier_of(life: Life) -> Tier:
    """Return the tier of a record. Trust decides only who may pin: use never raises it, and it never prolongs a life."""
    if life.is_memory and life.trust is Trust.TRUSTED and _is_pinned(life):
        return Tier.P0
    return Tier.P1 if life.kind in _P1_KINDS else Tier.P2


def _is_pinned(life: Life) -> bool:
    given = life.label is Label.MUST_REMEMBER and not life.is_graded
    return given or any(tag.lower() in P0_TAGS for tag in life.tags)


class Witnessed:
    """Time as the store has seen it pass: moments of activity, and the gaps between them that can be believed."""

    def __init__(self, days: Sequence[int], now: int, max_gap_days: int) -> None:
        """`days` are those, since the epoch, on which anything happened. What lies in the future is no witness."""
        moments = [day * DAY_MS for day in days if day * DAY_MS < now]
        self._moments = [*moments, now]
        self._max_gap = max_gap_days * DAY_MS
        self._counted = [0]
        for earlier, later in pairwise(self._moments):
            self._counted.append(self._counted[-1] + self._believed(later - earlier))

    def _believed(self, gap: int) -> int:
        return gap if 0 < gap <= self._max_gap else 0

    def elapsed(self, since: int) -> int:
        """Return how much time has counted since a moment; none since one that is yet to come."""
        place = bisect_right(self._moments, since)
        if place == len(self._moments):
            return 0
        return self._believed(self._moments[place] - since) + self._counted[-1] - self._counted[place]

    @property
    def unwitnessed_days(self) -> int:
        """How many days were not believed."""
        gaps = (later - earlier for earlier, later in pairwise(self._moments))
        return sum(gap for gap in gaps if gap > self._max_gap) // DAY_MS


def decide(life: Life, policy: LifecyclePolicy, witnessed: Witnessed) -> Decision | None:
    """Decide whether a record has gone unused for so long that it is stale, or to be archived; None to leave it."""
    tier = tier_of(life)
    days = horizon(policy, tier)
    if days is None or not path(life.state, State.ARCHIVED) or life.state is State.ARCHIVED:
        return None
    used = life.last_used_at is not None
    idle = witnessed.elapsed(max(life.since, life.last_used_at or 0))
    if idle >= days * DAY_MS:
        return Decision(State.ARCHIVED, tier, "not_used_lately" if used else "never_used", idle // DAY_MS)
    is_old = idle * 100 >= days * DAY_MS * policy.stale_share
    if is_old and life.state is not State.STALE:
        return Decision(State.STALE, tier, "growing_old", idle // DAY_MS)
    if not is_old and life.state is State.STALE:
        return Decision(State.ACTIVE, tier, "used_again", idle // DAY_MS)
    return None
