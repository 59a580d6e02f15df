"""Which records a request may see, as a list of named rules.

This is the meaning. Adapters push the same rules down into their query languages, before any limit; a contract
test holds them equal to ``held_out_by``, and recall applies it once more to whatever an index brings back.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.record import Kind, Label, Memory, State, Trust
from satchel.domain.scope import Reach

LIVE_STATES = (State.CAPTURED, State.CATEGORIZED, State.ACTIVE, State.CONSOLIDATED, State.STALE)


class View(Struct, frozen=True):
    """What may be seen: where, when, and in which standing. No kinds or labels named means any of them."""

    reach: Reach
    now: int
    states: tuple[State, ...] = LIVE_STATES
    trusts: tuple[Trust, ...] = (Trust.TRUSTED, Trust.UNTRUSTED)
    kinds: tuple[Kind, ...] = ()
    labels: tuple[Label, ...] = ()
    timeless: bool = False
    """True ignores validity dates: for administration, not for recall."""


def is_unusual(memory: Memory) -> bool:
    """Say whether an ordinary view may keep a record out, now or at some other time."""
    dated = memory.valid_from is not None or memory.valid_to is not None
    return dated or memory.trust is Trust.QUARANTINED or memory.state not in LIVE_STATES


def whole(reach: Reach, now: int) -> View:
    """Return the administrator's view: every record within reach, whatever its standing."""
    return View(reach, now, states=tuple(State), trusts=tuple(Trust), timeless=True)


def unquarantined(view: View) -> View:
    """Return a view without quarantined records: their text reaches no prompt."""
    return replace(view, trusts=(Trust.TRUSTED, Trust.UNTRUSTED))


# Scope stands first: a record out of reach is never explained by any other rule.
RULES: tuple[tuple[str, Callable[[Memory, View], bool]], ...] = (
    ("scope", lambda memory, view: view.reach.admits(memory.scope)),
    ("trust", lambda memory, view: memory.trust in view.trusts),
    ("state", lambda memory, view: memory.state in view.states),
    ("not_yet_valid", lambda memory, view: view.timeless or memory.valid_from is None or memory.valid_from <= view.now),
    ("expired", lambda memory, view: view.timeless or memory.valid_to is None or memory.valid_to > view.now),
    ("kind", lambda memory, view: not view.kinds or memory.kind in view.kinds),
    ("label", lambda memory, view: not view.labels or memory.label in view.labels),
)


def held_out_by(memory: Memory, view: View) -> str | None:
    """Name the first rule that keeps a record out of a view, or None when it may be seen."""
    return next((name for name, admits in RULES if not admits(memory, view)), None)
