"""Explain: a receipt in words, from the receipt alone; bounded, masked, and with no more of records than may be seen."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from satchel.domain.explanation import Mention, Section, Warned, Why
from satchel.domain.shorten import shortened
from satchel.explaining.meanings import warning_means
from satchel.explaining.readings import ELSEWHERE, reading
from satchel.explaining.telling import MOST_LINES, fields, listed
from satchel.ports import KeptReceipt

# A receipt may name thousands: what is said of it stays readable.
MOST_MENTIONS = 50
MOST_CHARS = 300

RECALL_LIKE = ("recall", "pack", "route", "episodes search", "attention route", "turn before", "turn after")
"""The operations that choose among records."""
OF_AGENTS = (*RECALL_LIKE, "store", "forget", "attention add", "attention reflect", "attention refresh")
"""The operations that agents have tools for: the receipts of all others are the operator's."""


def explained(kept: KeptReceipt, mask: Callable[[str], str]) -> Why:
    """Return a receipt in words, without the words of any record. `mask` takes secrets out."""
    asked = fields(kept.body.get("asked"))
    read = reading(kept.operation, kept.body)
    scope = asked.get("scope")
    return Why(
        receipt=kept.digest,
        operation=kept.operation,
        at=kept.at,
        duration_ms=kept.duration_ms,
        scope=scope if isinstance(scope, str) else None,
        sections=tuple(_clean(one, mask) for one in read.sections if one.lines),
        included=tuple(_clean_mention(one, mask) for one in read.included[:MOST_MENTIONS]),
        left_out=tuple(_clean_mention(one, mask) for one in read.left_out[:MOST_MENTIONS]),
        warnings=tuple(_warned(one, mask) for one in listed(kept.body.get("warnings")) if isinstance(one, str)),
    )


def named(why: Why) -> list[str]:
    """Return the records that an explanation mentions, each once."""
    return list(dict.fromkeys(one.id for one in (*why.included, *why.left_out) if one.id))


def shown(why: Why, beginnings: Mapping[str, str], *, only_these: bool) -> Why:
    """Add how records begin. With `only_these`, other records lose their names, and nothing is said of other scopes."""
    if only_these:
        warnings = (replace(one, said=one.code) if one.code == "scope_fallback" else one for one in why.warnings)
        sections = (one for one in why.sections if one.title != ELSEWHERE)
        why = replace(why, sections=tuple(sections), warnings=tuple(warnings))
    return replace(
        why,
        included=tuple(_shown(one, beginnings, only_these) for one in why.included),
        left_out=tuple(_shown(one, beginnings, only_these) for one in why.left_out),
    )


def _shown(one: Mention, beginnings: Mapping[str, str], only_these: bool) -> Mention:
    if one.id in beginnings:
        return replace(one, words=beginnings[one.id])
    hidden = only_these and one.id
    return Mention("", "", "not_yours", "a record that you may not see") if hidden else one


def _line(text: str, mask: Callable[[str], str]) -> str:
    """Return a text on one line, so that it cannot pass for another one of ours."""
    return shortened(" ".join(mask(text).split()), MOST_CHARS)


def _clean(section: Section, mask: Callable[[str], str]) -> Section:
    return Section(section.title, tuple(_line(line, mask) for line in section.lines[:MOST_LINES]))


def _clean_mention(one: Mention, mask: Callable[[str], str]) -> Mention:
    return replace(one, reasons=tuple(_line(reason, mask) for reason in one.reasons))


def _warned(warning: str, mask: Callable[[str], str]) -> Warned:
    code = warning.partition(":")[0][:60]
    return Warned(code, _line(warning, mask), warning_means(code))
