"""Decide what happens to each memory when an earlier state is restored.

A memory that existed gets all its earlier fields back. A newer one is archived, so that it can still be inspected,
revived and forgotten.
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


class RestoreStep(Struct, frozen=True):
    """The restored version of one memory, and the rule."""

    memory: Memory
    rule: str


class RestorePlan(Struct, frozen=True):
    """What a restore will do."""

    differences: Differences
    examples: tuple[RestoredMemory, ...]


def restore_step(one: Difference) -> RestoreStep | None:
    """Return the restored version of a changed memory, or None to leave it alone."""
    if one.then is not None:
        # Not its scope: its other records do not go back with it. 'satchel undo' takes a move back.
        then = replace(one.then, scope=one.now.scope)
        return None if then == one.now else RestoreStep(then, AS_THEN)
    if one.now.state not in LIVE_STATES:
        return None
    return RestoreStep(replace(one.now, state=State.ARCHIVED), CREATED_SINCE)


def plan_restore(differences: Iterable[Difference], erased: int, edges: int) -> RestorePlan:
    """Count what a restore will do, one memory at a time."""
    as_then = revived = created = put_away = 0
    examples: list[RestoredMemory] = []
    for one in differences:
        decided = restore_step(one)
        if decided is None:
            put_away += one.then is None
            continue
        as_then += decided.rule == AS_THEN
        created += decided.rule == CREATED_SINCE
        revived += one.now.state not in LIVE_STATES and decided.memory.state in LIVE_STATES
        if len(examples) < MAX_EXAMPLES:
            examples.append(RestoredMemory(one.now.id, decided.rule, one.now.state, decided.memory.state))
    return RestorePlan(Differences(as_then, revived, created, put_away, erased, edges), tuple(examples))
