"""Choose what an agent should know from the first turn of a session: the rules, decisions and preferences of its project."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import Overflow, Policies
from satchel.domain.record import Kind, Label, Memory, MemoryId, Trust
from satchel.domain.scope import Placement, Reach, fallback_scopes
from satchel.domain.view import View
from satchel.ports import MemoryStore
from satchel.turns.budget import BlockSlot, fit_budget
from satchel.turns.prompt_context import block_entry

KINDS = (Kind.PREFERENCE, Kind.DECISION, Kind.PROCEDURE)
LABELS = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE, Label.UNKNOWN)
MAX_ITEMS = 12
# Places that memories for every project get, if there are so many.
SHARED_ITEMS = 4
# Number of newest memories of a scope that are compared.
POOL = 500
# An ungraded memory counts as much as one that is just worth remembering.
UNGRADED_IMPORTANCE = 0.5


class Opening(Struct, frozen=True):
    """The block that opens a session, and what it was chosen from."""

    block: str
    memories: tuple[MemoryId, ...]
    dropped: tuple[str, ...]
    """Ids that did not fit into the block."""
    own: int
    """How many memories of the project could have opened it."""
    shared: int
    """How many memories for every project could have."""


def open_session(store: MemoryStore, placement: Placement, policies: Policies, now: int) -> Opening:
    """Choose what opens a session, within the budget of a block."""
    own = store.page(_view(placement.scope, now), POOL)
    scopes = fallback_scopes(placement, policies.scope)
    shared = [memory for name in scopes for memory in store.page(_view(name, now), POOL)]
    chosen = choose_opening(own, shared)
    # The least important is dropped first, not the oldest.
    budget = replace(policies.budget, min_recent_slots=0, overflow_action=Overflow.TAIL)
    block = fit_budget([BlockSlot(one.id, block_entry(one), one.created_at) for one in chosen], budget)
    kept = tuple(one.id for one in chosen if one.id in block.kept)
    return Opening(block.text, kept, block.dropped, len(own), len(shared))


def _view(scope: str, now: int) -> View:
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
