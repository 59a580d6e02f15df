"""Rollback: what becomes of a memory when the state of an earlier moment is restored.

What was there becomes what it was, in every field. What was not there yet is archived: it does not hold, and is not
gone either, so that it can be looked at, brought back and forgotten like anything else that was put away.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.history import Difference, Differences, RestoredMemory
from satchel.domain.record import Memory, State
from satchel.domain.view import LIVE_STATES

AS_THEN = "as_then"
CREATED_SINCE = "created_since"

MAX_EXAMPLES = 20


class Step(Struct, frozen=True):
    """What a restore makes of one memory, and by which rule."""

    memory: Memory
    rule: str


class Plan(Struct, frozen=True):
    """What a restore will do."""

    differences: Differences
    examples: tuple[RestoredMemory, ...]


def step(one: Difference) -> Step | None:
    """Return what becomes of a memory that was changed since, or None to leave it as it is."""
    if one.then is not None:
        return None if one.then == one.now else Step(one.then, AS_THEN)
    if one.now.state not in LIVE_STATES:
        return None
    return Step(replace(one.now, state=State.ARCHIVED), CREATED_SINCE)


def plan(differences: Iterable[Difference], erased: int, edges: int) -> Plan:
    """Count what a restore will do, looking at one memory at a time."""
    as_then = revived = created = put_away = 0
    examples: list[RestoredMemory] = []
    for one in differences:
        decided = step(one)
        if decided is None:
            put_away += one.then is None
            continue
        as_then += decided.rule == AS_THEN
        created += decided.rule == CREATED_SINCE
        revived += one.now.state not in LIVE_STATES and decided.memory.state in LIVE_STATES
        if len(examples) < MAX_EXAMPLES:
            examples.append(RestoredMemory(one.now.id, decided.rule, one.now.state, decided.memory.state))
    return Plan(Differences(as_then, revived, created, put_away, erased, edges), tuple(examples))
