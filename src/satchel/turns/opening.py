"""Choose what an agent should know from the first turn of a session: the rules, decisions and preferences of its project."""

from collections.abc import Iterable, Sequence

from satchel.domain.record import Kind, Label, Memory, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View

KINDS = (Kind.PREFERENCE, Kind.DECISION, Kind.PROCEDURE)
LABELS = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE, Label.UNKNOWN)
MAX_ITEMS = 12
# Places that memories for every project get, if there are so many.
SHARED_ITEMS = 4
# Number of newest memories of a scope that are compared.
POOL = 500
# An ungraded memory counts as much as one that is just worth remembering.
UNGRADED_IMPORTANCE = 0.5


def opening_view(scope: str, now: int) -> View:
    """Return the view of what may open a session in a scope: nothing untrusted, and nothing graded unimportant."""
    return View(Reach((scope,)), now, trusts=(Trust.TRUSTED,), kinds=KINDS, labels=LABELS)


def choose_opening(own: Sequence[Memory], shared: Sequence[Memory]) -> list[Memory]:
    """Return the memories that open a session, those of the project first, each part by importance.

    What is for every project keeps some places, however many the project has.
    """
    ranked, for_all = _ranked(own), _ranked(shared)
    kept = MAX_ITEMS - min(SHARED_ITEMS, len(for_all))
    return [*ranked[:kept], *for_all][:MAX_ITEMS]


def _ranked(memories: Iterable[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda one: (-_importance(one), -one.created_at, one.id))


def _importance(memory: Memory) -> float:
    return UNGRADED_IMPORTANCE if memory.importance is None else memory.importance
