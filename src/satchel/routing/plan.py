"""The plan: which steps of a chain can be tried, in which order. What is missing is left out without a word."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from satchel.domain.routing import Planned, Roster, Skipped, State, Step

_USABLE = (State.READY, State.DEGRADED)


class Plan(Struct, frozen=True):
    """The steps to try, best standing first, and those that cannot be."""

    steps: tuple[Planned, ...]
    skipped: tuple[Skipped, ...]


def plan(
    chain: tuple[Step, ...], roster: Roster, tiers: Mapping[str, tuple[str, ...]], resting: Collection[str] = ()
) -> Plan:
    """Return the steps that a roster leaves of a chain; the degraded and those that failed lately come last."""
    kept, skipped = [], []
    for step in chain:
        state, reason = _standing(step, roster, tiers)
        if state is None:
            skipped.append(Skipped(step.backend, step.mode, reason))
        else:
            rested = State.DEGRADED if str(step) in resting else state
            kept.append(Planned(step.backend, step.mode, rested))
    kept.sort(key=lambda one: one.state is State.DEGRADED)
    return Plan(tuple(kept), tuple(skipped))


def _standing(step: Step, roster: Roster, tiers: Mapping[str, tuple[str, ...]]) -> tuple[State | None, str]:
    entry = roster.entry(step.backend)
    if entry is None:
        return None, "not listed"
    if roster.tier is not None and step.backend not in tiers.get(roster.tier, ()):
        return None, f"not part of the tier {roster.tier}"
    if entry.state not in _USABLE:
        return None, entry.state.value
    mode = entry.modes.get(step.mode, entry.state) if step.mode else entry.state
    if mode not in _USABLE:
        return None, f"mode {mode.value}"
    return (State.DEGRADED if State.DEGRADED in (mode, entry.state) else State.READY), ""
