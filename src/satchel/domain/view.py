"""Which records a request may see, as a list of named rules.

This is the reference implementation. Adapters apply the same rules in their queries, before any limit; a contract test
compares them with ``held_out_by``, and recall applies them again to the candidates of an index.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.media import has_media
from satchel.domain.record import Kind, Label, Memory, State, Trust
from satchel.domain.scope import Reach

LIVE_STATES = (State.CAPTURED, State.CATEGORIZED, State.ACTIVE, State.CONSOLIDATED, State.STALE)


class View(Struct, frozen=True):
    """Filters by scope, time, state, trust, kind, label and media. No kinds or labels means any."""

    reach: Reach
    now: int
    states: tuple[State, ...] = LIVE_STATES
    trusts: tuple[Trust, ...] = (Trust.TRUSTED, Trust.UNTRUSTED)
    kinds: tuple[Kind, ...] = ()
    labels: tuple[Label, ...] = ()
    media: str | None = None
    """Only records that refer to media of this kind, or of any; None admits all records."""
    timeless: bool = False
    """Whether validity dates are ignored: for administration, not for recall."""


def is_unusual(memory: Memory) -> bool:
    """Return whether a default view can exclude a record, now or at another time."""
    dated = memory.valid_from is not None or memory.valid_to is not None
    return dated or memory.trust is Trust.QUARANTINED or memory.state not in LIVE_STATES


def admin_view(reach: Reach, now: int) -> View:
    """Return the administrator's view: every record within reach."""
    return View(reach, now, states=tuple(State), trusts=tuple(Trust), timeless=True)


def without_quarantined(view: View) -> View:
    """Return a view without quarantined records, whose text must not reach a prompt."""
    return replace(view, trusts=tuple(one for one in view.trusts if one is not Trust.QUARANTINED))


# Scope comes first: a record out of reach must not be explained by any other rule.
RULES: tuple[tuple[str, Callable[[Memory, View], bool]], ...] = (
    ("scope", lambda memory, view: view.reach.admits(memory.scope)),
    ("trust", lambda memory, view: memory.trust in view.trusts),
    ("state", lambda memory, view: memory.state in view.states),
    ("not_yet_valid", lambda memory, view: view.timeless or memory.valid_from is None or memory.valid_from <= view.now),
    ("expired", lambda memory, view: view.timeless or memory.valid_to is None or memory.valid_to > view.now),
    ("kind", lambda memory, view: not view.kinds or memory.kind in view.kinds),
    ("label", lambda memory, view: not view.labels or memory.label in view.labels),
    ("media", lambda memory, view: view.media is None or has_media(memory.media_refs, view.media)),
)


def held_out_by(memory: Memory, view: View) -> str | None:
    """Return the first rule that excludes a record from a view, or None if it may be seen."""
    return next((name for name, admits in RULES if not admits(memory, view)), None)
