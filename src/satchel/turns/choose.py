"""Choose which candidates of a turn to keep, and report the rest on the receipt."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.policies import AutoCapturePolicy
from satchel.domain.receipt_sections import CaptureScan, CaptureSection
from satchel.domain.record import Kind
from satchel.domain.similarity import near_duplicate
from satchel.turns.extract import CaptureCandidate, Extraction

SCHEMA = "openclaw-mem-engine.autoCapture.receipt.v1"
TODO_MARKER = "openclaw-mem-engine:todoGuardrail"

DUPLICATE = "duplicate"
TODO_RATE_LIMIT = "todo_rate_limit"
TODO_DEDUPE_WINDOW = "todo_dedupe_window"
FILTERS = (
    "tool_output",
    "secrets_like",
    DUPLICATE,
    TODO_RATE_LIMIT,
    TODO_DEDUPE_WINDOW,
    "older_user_messages",
    "input_chars_truncated",
)


class Chosen(Struct, frozen=True):
    """The candidates of a turn to be kept."""

    kept: tuple[CaptureCandidate, ...]
    filtered: Mapping[str, int]
    extraction: Extraction


def choose(
    extraction: Extraction,
    policy: AutoCapturePolicy,
    *,
    recalled: Sequence[str] = (),
    is_stored: Callable[[CaptureCandidate], bool] = lambda _: False,
) -> Chosen:
    """Return the candidates to keep, explicitly lasting ones first, then in order.

    Texts shown to the turn from memory (`recalled`) and texts already stored are duplicates. For a todo, `is_stored`
    looks within the dedupe window of the policy.
    """
    kept, filtered = list[CaptureCandidate](), Counter(extraction.filtered)
    for one in sorted(extraction.candidates, key=lambda candidate: not candidate.lasting):
        if len(kept) == policy.max_items_per_turn:
            break
        if reason := _reason_against(one, kept, policy, recalled, is_stored):
            filtered[reason] += 1
        else:
            kept.append(one)
    return Chosen(tuple(kept), filtered, extraction)


def receipt(chosen: Chosen, verbosity: str, stored: int) -> CaptureSection:
    """Return the capture receipt."""
    extraction = chosen.extraction
    return CaptureSection(
        schema=SCHEMA,
        verbosity=verbosity,
        candidate_extraction_count=extraction.extracted,
        filtered_out={name: chosen.filtered.get(name, 0) for name in FILTERS},
        scanned=CaptureScan(extraction.user_messages, extraction.text_blocks, extraction.text_chars),
        stored_count=stored,
    )


def todo_markers(chosen: Chosen) -> list[dict[str, Json]]:
    """Return the log markers of todos that a capture left out."""
    return [
        {"marker": TODO_MARKER, "phase": "capture", "reason": reason, "dropped": chosen.filtered[reason]}
        for reason in (TODO_RATE_LIMIT, TODO_DEDUPE_WINDOW)
        if chosen.filtered.get(reason)
    ]


def stale_todo_marker(dropped: int, policy: AutoCapturePolicy) -> dict[str, Json] | None:
    """Return the log marker of todos too old to be recalled before a turn."""
    if not dropped:
        return None
    days = policy.todo_stale_ttl_days
    return {"marker": TODO_MARKER, "phase": "recall", "reason": "todo_stale_ttl", "dropped": dropped, "ttlDays": days}


def _reason_against(
    one: CaptureCandidate,
    kept: Sequence[CaptureCandidate],
    policy: AutoCapturePolicy,
    recalled: Sequence[str],
    is_stored: Callable[[CaptureCandidate], bool],
) -> str | None:
    is_todo = one.kind is Kind.TODO
    threshold = policy.dedupe_similarity_threshold
    if any(near_duplicate(one.text, other.text, threshold) and one.scope == other.scope for other in kept):
        return DUPLICATE
    if any(near_duplicate(one.text, text, threshold) for text in recalled):
        return DUPLICATE
    if is_todo and sum(other.kind is Kind.TODO for other in kept) >= policy.max_todo_per_turn:
        return TODO_RATE_LIMIT
    if is_stored(one):
        return TODO_DEDUPE_WINDOW if is_todo else DUPLICATE
    return None
