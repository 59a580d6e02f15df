"""Explain a receipt in words: bounded, masked, and with only the records the caller may see."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.shorten import shorten
from satchel.explaining.meanings import warning_meaning
from satchel.explaining.readings import reading
from satchel.explaining.receipt_values import MAX_LINES, fields, listed
from satchel.explaining.sections import ELSEWHERE, ReceiptReading
from satchel.explaining.values import (
    AnswerSummary,
    ExplainedWarning,
    ExplanationSection,
    ReceiptExplanation,
    RecordMention,
    RecordPreview,
)
from satchel.ports import StoredReceipt

# Receipts may name thousands of records; an explanation stays readable.
MAX_MENTIONS = 50
MAX_LINE_CHARS = 300

RECALL_LIKE = (
    "recall",
    "pack",
    "route",
    "episodes search",
    "attention route",
    "turn start",
    "turn before",
    "turn after",
)
"""Operations that select records."""
OF_AGENTS = (*RECALL_LIKE, "store", "forget", "attention add", "attention reflect", "attention refresh")
"""Operations agents have tools for; receipts of all others are for the operator only."""

_NAMING_SCOPES = ("scope_fallback", "scope_unknown", "scope_new")
"""Warnings that name scopes an agent may not know of."""


def explain_receipt(kept: StoredReceipt, mask: Callable[[str], str]) -> ReceiptExplanation:
    """Return a receipt in words, without texts of records. `mask` masks secrets."""
    asked = fields(kept.body.get("asked"))
    read = reading(kept.operation, kept.body)
    scope = asked.get("scope")
    return ReceiptExplanation(
        receipt=kept.digest,
        operation=kept.operation,
        at=kept.at,
        duration_ms=kept.duration_ms,
        scope=scope if isinstance(scope, str) else None,
        sections=tuple(_clean(one, mask) for one in read.sections if one.lines),
        included=tuple(_clean_mention(one, mask) for one in read.included[:MAX_MENTIONS]),
        left_out=tuple(_clean_mention(one, mask) for one in read.left_out[:MAX_MENTIONS]),
        warnings=tuple(_warned(one, mask) for one in _warnings(kept)),
        budget=read.budget,
    )


def summarize_answers(
    kept: Sequence[StoredReceipt], previews: Callable[[Sequence[str]], Mapping[str, RecordPreview]]
) -> tuple[AnswerSummary, ...]:
    """Return in numbers what receipts say about answers. `previews` returns the records of ids that still exist."""
    read = [reading(one.operation, one.body) for one in kept]
    firsts = [next((one.id for one in each.included if one.id), "") for each in read]
    known = previews([one for one in firsts if one])
    return tuple(map(_summary, kept, read, map(known.get, firsts)))


def _summary(kept: StoredReceipt, read: ReceiptReading, first: RecordPreview | None) -> AnswerSummary:
    asked = fields(kept.body.get("asked"))
    scope, role = asked.get("scope"), asked.get("role")
    return AnswerSummary(
        receipt=kept.digest,
        seq=kept.seq,
        operation=kept.operation,
        at=kept.at,
        duration_ms=kept.duration_ms,
        scope=scope if isinstance(scope, str) else None,
        included=len(read.included),
        left_out=len(read.left_out),
        budget=read.budget,
        nothing=read.nothing,
        warnings=tuple(_code(one) for one in _warnings(kept)),
        role=role if isinstance(role, str) else None,
        first=first.words if first else "",
    )


def _warnings(kept: StoredReceipt) -> list[str]:
    return [one for one in listed(kept.body.get("warnings")) if isinstance(one, str)]


def _code(warning: str) -> str:
    return warning.partition(":")[0][:60]


def included_ids(why: ReceiptExplanation) -> list[str]:
    """Return the distinct ids of the records that an answer contains."""
    return list(dict.fromkeys(one.id for one in why.included if one.id))


def mentioned_ids(why: ReceiptExplanation) -> list[str]:
    """Return the distinct ids of records in an explanation."""
    return list(dict.fromkeys(one.id for one in (*why.included, *why.left_out) if one.id))


def with_previews(
    why: ReceiptExplanation, previews: Mapping[str, RecordPreview], *, only_these: bool
) -> ReceiptExplanation:
    """Add what is known of records. With `only_these`, other records and other scopes stay unnamed."""
    if only_these:
        warnings = (replace(one, said=one.code) if one.code in _NAMING_SCOPES else one for one in why.warnings)
        sections = (one for one in why.sections if one.title != ELSEWHERE)
        why = replace(why, sections=tuple(sections), warnings=tuple(warnings))
    return replace(
        why,
        included=tuple(_shown(one, previews, only_these) for one in why.included),
        left_out=tuple(_shown(one, previews, only_these) for one in why.left_out),
    )


def _shown(one: RecordMention, previews: Mapping[str, RecordPreview], only_these: bool) -> RecordMention:
    if known := previews.get(one.id):
        return replace(one, words=known.words, record=known.record)
    hidden = only_these and one.id
    return RecordMention("", "", "not_yours", "a record that you may not see") if hidden else one


def _line(text: str, mask: Callable[[str], str]) -> str:
    """Return a text on one line, so that it cannot imitate another line."""
    return shorten(" ".join(mask(text).split()), MAX_LINE_CHARS)


def _clean(section: ExplanationSection, mask: Callable[[str], str]) -> ExplanationSection:
    return ExplanationSection(section.title, tuple(_line(line, mask) for line in section.lines[:MAX_LINES]))


def _clean_mention(one: RecordMention, mask: Callable[[str], str]) -> RecordMention:
    return replace(one, reasons=tuple(_line(reason, mask) for reason in one.reasons))


def _warned(warning: str, mask: Callable[[str], str]) -> ExplainedWarning:
    code = _code(warning)
    return ExplainedWarning(code, _line(warning, mask), warning_meaning(code))
