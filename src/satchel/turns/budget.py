"""Choose the memories for a prompt block: by tier first, then within the character budget."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.canonical import Json
from satchel.domain.policies import BudgetPolicy, Overflow, Selection
from satchel.domain.ranking import Hit
from satchel.domain.receipt_sections import BudgetSection
from satchel.domain.record import Label
from satchel.turns.block import BlockEntry, entry_line, ids_comment, wrap_lines

MARKER = "openclaw-mem-engine:contextBudget"
ELLIPSIS = "…"
TIERS = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE, Label.UNKNOWN)
# Quotas: maximum of must_remember, minimum of nice_to_have, maximum of ungraded memories.
MUST_MAX, NICE_MIN, UNKNOWN_MAX = 2, 2, 1


def select_hits(hits: Sequence[Hit], limit: int, mode: str) -> list[Hit]:
    """Return the hits for a prompt: best first, tier by tier, or with a quota for each tier and the rest by score."""
    if mode == Selection.RELEVANCE:
        return list(hits[:limit])
    by_tier = {label: [hit for hit in hits if hit.memory.label is label] for label in TIERS}
    if mode == Selection.TIER_QUOTA:
        return _by_quota(by_tier, limit)
    return [hit for label in TIERS for hit in by_tier[label]][:limit]


def _by_quota(by_tier: dict[Label, list[Hit]], limit: int) -> list[Hit]:
    must, nice, unknown = (by_tier[label] for label in TIERS)
    for_nice = min(NICE_MIN, limit, len(nice))
    for_must = min(MUST_MAX, limit - for_nice, len(must))
    for_unknown = min(UNKNOWN_MAX, limit - for_nice - for_must, len(unknown))
    first = [*must[:for_must], *nice[:for_nice], *unknown[:for_unknown]]
    others = [*must[for_must:], *nice[for_nice:], *unknown[for_unknown:]]
    rest = sorted(others, key=lambda hit: (-hit.score, -hit.memory.created_at, hit.memory.id))
    return [*first, *rest][:limit]


class BlockSlot(Struct, frozen=True):
    """A memory to be put into the block."""

    id: str
    entry: BlockEntry
    created_at: int
    pinned: bool = False
    """Kept longer than the newest memories, and not counted among them."""


class BudgetedBlock(Struct, frozen=True):
    """The block to inject, and what was left out of it."""

    text: str
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    """Ids, in the order in which they were dropped."""
    before_chars: int
    truncated_chars: int
    """Characters removed by truncation after no more slots could be dropped."""
    min_recent_slots_honored: bool

    @property
    def after_chars(self) -> int:
        """Length of the block."""
        return len(self.text)

    @property
    def truncated(self) -> bool:
        """Whether a slot was dropped or truncated."""
        return bool(self.dropped or self.truncated_chars)


def fit_budget(slots: Sequence[BlockSlot], policy: BudgetPolicy, *, ids_in_comment: int = 0) -> BudgetedBlock:
    """Return the block for these slots, best first, within the budget. The comment names up to `ids_in_comment` ids."""
    kept, dropped = [_Rendered(slot, entry_line(slot.entry)) for slot in slots], list[str]()
    protected = _protected(slots, policy.min_recent_slots)
    text = before = _text(kept, ids_in_comment)
    if policy.enabled:
        for next_dropped in _drop_order(slots, protected, policy.overflow_action):
            if len(text) <= policy.max_chars:
                break
            kept = [one for one in kept if one.slot != next_dropped]
            dropped.append(next_dropped.id)
            text = _text(kept, ids_in_comment)
    uncut = len(text)
    if policy.enabled and uncut > policy.max_chars:
        kept, dropped_ids = _truncate(kept, policy.max_chars)
        dropped += dropped_ids
        text = _text(kept, 0)
    left = tuple(one.slot.id for one in kept)
    honored = {slot.id for slot in protected if not slot.pinned} <= set(left)
    return BudgetedBlock(text, left, tuple(dropped), len(before), uncut - len(text), honored)


def receipt_section(budgeted: BudgetedBlock, policy: BudgetPolicy) -> BudgetSection:
    """Return the budget section of a recall receipt."""
    return BudgetSection(
        enabled=policy.enabled,
        max_chars=policy.max_chars,
        min_recent_slots=policy.min_recent_slots,
        overflow_action=policy.overflow_action,
        before_chars=budgeted.before_chars,
        after_chars=budgeted.after_chars,
        dropped_count=len(budgeted.dropped),
        dropped_ids=list(budgeted.dropped),
        truncated_chars=budgeted.truncated_chars,
        truncated=budgeted.truncated,
        min_recent_slots_honored=budgeted.min_recent_slots_honored,
    )


def marker(budgeted: BudgetedBlock) -> dict[str, Json] | None:
    """Return the log marker of a block that exceeded its budget, else None."""
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
    """A slot with its line, cached because escaping a long text repeatedly is slower than the recall."""

    slot: BlockSlot
    line: str


def _text(slots: Sequence[_Rendered], ids_in_comment: int) -> str:
    memories = wrap_lines([one.line for one in slots])
    if not (memories and ids_in_comment):
        return memories
    return f"{memories}\n{ids_comment(one.slot.id for one in slots[:ids_in_comment])}"


def _newest_first(slots: Sequence[BlockSlot]) -> list[BlockSlot]:
    return sorted(slots, key=lambda slot: (-slot.created_at, slot.id))


def _protected(slots: Sequence[BlockSlot], recent: int) -> list[BlockSlot]:
    newest = _newest_first([slot for slot in slots if not slot.pinned])[:recent]
    return [slot for slot in slots if slot.pinned or slot in newest]


def _drop_order(slots: Sequence[BlockSlot], protected: Sequence[BlockSlot], action: str) -> list[BlockSlot]:
    order = _newest_first(slots) if action == Overflow.OLDEST else list(slots)
    return [slot for slot in reversed(order) if slot not in protected]


def _truncate(slots: Sequence[_Rendered], max_chars: int) -> tuple[list[_Rendered], list[str]]:
    """Truncate from the end: without the comment, shorten the last text, then drop its slot."""
    kept, dropped_ids = list(slots), list[str]()
    while kept and len(_text(kept, 0)) > max_chars:
        *others, last = kept
        shorter = _truncated_slot(others, last.slot, max_chars)
        if shorter is None:
            dropped_ids.append(last.slot.id)
        kept = others if shorter is None else [*others, shorter]
    return kept, dropped_ids


def _truncated_slot(others: Sequence[_Rendered], last: BlockSlot, max_chars: int) -> _Rendered | None:
    """Return the slot with as much of its text as fits after the others, or None if not one character fits."""
    fits, shortest_too_long = None, min(len(last.entry.text), max_chars)
    longest_fitting = 0
    while shortest_too_long - longest_fitting > 1:
        middle = (longest_fitting + shortest_too_long) // 2
        # Cut before escaping: half a character reference would be another text.
        beginning = _Rendered(last, entry_line(replace(last.entry, text=last.entry.text[:middle] + ELLIPSIS)))
        if len(_text([*others, beginning], 0)) <= max_chars:
            fits, longest_fitting = beginning, middle
        else:
            shortest_too_long = middle
    return fits
