"""The budget: how much of a block of memories fits in front of a prompt, applied last and to the finished text."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.canonical import Json
from satchel.domain.policies import BudgetPolicy, Overflow
from satchel.turns.render import Entry, block, comment, line

MARKER = "openclaw-mem-engine:contextBudget"
ELLIPSIS = "…"


class Slot(Struct, frozen=True):
    """One memory that is to stand in the block."""

    id: str
    entry: Entry
    created_at: int
    pinned: bool = False
    """Whether it stays longer than the newest ones, which it is not counted among."""


class Budgeted(Struct, frozen=True):
    """The block that goes in front of the prompt, and what became of the rest."""

    text: str
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    """Ids, in the order in which they were given up."""
    before_chars: int
    truncated_chars: int
    """How much the last cut took away, once no slot could be dropped."""
    min_recent_slots_honored: bool

    @property
    def after_chars(self) -> int:
        """How long the block is."""
        return len(self.text)

    @property
    def truncated(self) -> bool:
        """Whether anything was dropped or cut."""
        return bool(self.dropped or self.truncated_chars)


def within_budget(slots: Sequence[Slot], policy: BudgetPolicy, *, ids_in_comment: int = 0) -> Budgeted:
    """Return the block for these slots, best first, held to the budget. With a comment, it names that many ids."""
    kept, dropped = [_Rendered(slot, line(slot.entry)) for slot in slots], list[str]()
    protected = _protected(slots, policy.min_recent_slots)
    text = before = _text(kept, ids_in_comment)
    if policy.enabled:
        for victim in _victims(slots, protected, policy.overflow_action):
            if len(text) <= policy.max_chars:
                break
            kept = [one for one in kept if one.slot != victim]
            dropped.append(victim.id)
            text = _text(kept, ids_in_comment)
    uncut = len(text)
    if policy.enabled and uncut > policy.max_chars:
        kept, given_up = _cut(kept, policy.max_chars)
        dropped += given_up
        text = _text(kept, 0)
    left = tuple(one.slot.id for one in kept)
    honored = {slot.id for slot in protected if not slot.pinned} <= set(left)
    return Budgeted(text, left, tuple(dropped), len(before), uncut - len(text), honored)


def receipt_section(budgeted: Budgeted, policy: BudgetPolicy) -> dict[str, Json]:
    """Return what a recall's receipt says of the budget."""
    return {
        "enabled": policy.enabled,
        "maxChars": policy.max_chars,
        "minRecentSlots": policy.min_recent_slots,
        "overflowAction": policy.overflow_action,
        "beforeChars": budgeted.before_chars,
        "afterChars": budgeted.after_chars,
        "droppedCount": len(budgeted.dropped),
        "droppedIds": list(budgeted.dropped),
        "truncatedChars": budgeted.truncated_chars,
        "truncated": budgeted.truncated,
        "minRecentSlotsHonored": budgeted.min_recent_slots_honored,
    }


def marker(budgeted: Budgeted) -> dict[str, Json] | None:
    """Return what the log is told when something did not fit."""
    if not budgeted.truncated:
        return None
    return {
        "marker": MARKER,
        "beforeChars": budgeted.before_chars,
        "afterChars": budgeted.after_chars,
        "droppedIds": list(budgeted.dropped),
        "droppedCount": len(budgeted.dropped),
        "truncatedChars": budgeted.truncated_chars,
    }


class _Rendered(Struct, frozen=True):
    """A slot with its line: escaping a long text over and over would take longer than the recall."""

    slot: Slot
    line: str


def _text(slots: Sequence[_Rendered], ids_in_comment: int) -> str:
    memories = block([one.line for one in slots])
    if not (memories and ids_in_comment):
        return memories
    return f"{memories}\n{comment(one.slot.id for one in slots[:ids_in_comment])}"


def _newest_first(slots: Sequence[Slot]) -> list[Slot]:
    return sorted(slots, key=lambda slot: (-slot.created_at, slot.id))


def _protected(slots: Sequence[Slot], recent: int) -> list[Slot]:
    newest = _newest_first([slot for slot in slots if not slot.pinned])[:recent]
    return [slot for slot in slots if slot.pinned or slot in newest]


def _victims(slots: Sequence[Slot], protected: Sequence[Slot], action: str) -> list[Slot]:
    order = _newest_first(slots) if action == Overflow.OLDEST else list(slots)
    return [slot for slot in reversed(order) if slot not in protected]


def _cut(slots: Sequence[_Rendered], most: int) -> tuple[list[_Rendered], list[str]]:
    """Shorten what is left from its tail: the comment is gone; then goes the end of the last text, then its slot."""
    kept, given_up = list(slots), list[str]()
    while kept and len(_text(kept, 0)) > most:
        *others, last = kept
        shorter = _shortened(others, last.slot, most)
        if shorter is None:
            given_up.append(last.slot.id)
        kept = others if shorter is None else [*others, shorter]
    return kept, given_up


def _shortened(others: Sequence[_Rendered], last: Slot, most: int) -> _Rendered | None:
    """Return a slot with as much of its text as fits after the others, or nothing when not even a letter does."""
    fits, too_long = None, min(len(last.entry.text), most)
    least = 0
    while too_long - least > 1:
        middle = (least + too_long) // 2
        # Cut before it is escaped: half a character reference would say something else.
        beginning = _Rendered(last, line(replace(last.entry, text=last.entry.text[:middle] + ELLIPSIS)))
        if len(_text([*others, beginning], 0)) <= most:
            fits, least = beginning, middle
        else:
            too_long = middle
    return fits
