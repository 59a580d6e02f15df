"""Decide which fields of a row a memory fills or replaces."""

import math
from collections.abc import Collection, Mapping

from msgspec import Struct

from satchel.domain.record import Kind, Label, Memory
from satchel.domain.text import normalize_text
from satchel.errors import InvalidRequest
from satchel.ports.foreign_table import FieldValue, ForeignRow

FIELDS: Mapping[str, type] = {
    "importance": float,
    "importance_label": str,
    "scope": str,
    "trust_tier": str,
    "category": str,
    "source_kind": str,
}
"""The fields that a write-back carries."""
SAFE_TO_FORCE = ("importance", "importance_label", "scope", "category")
"""What --force replaces unless fields are named: a raise of trust has to be asked for by name."""


class RowChange(Struct, frozen=True):
    """What becomes of one row."""

    values: Mapping[str, FieldValue]
    """The fields that change."""
    replaced: tuple[str, ...]
    """Those of them that had a value."""


def incoming(memory: Memory) -> dict[str, FieldValue]:
    """Return the values of a memory to write; None for a grade or category that was never set."""
    return {
        "importance": memory.importance,
        "importance_label": None if memory.label is Label.UNKNOWN else memory.label.value,
        "scope": memory.scope,
        "trust_tier": memory.trust.value,
        "category": None if memory.category == Kind.OTHER else str(memory.category),
        "source_kind": memory.source_kind.value,
    }


def decide(row: ForeignRow, memory: Memory, force: Collection[str]) -> RowChange:
    """Fill the empty fields of a row, and replace those in `force`; a value that is the same stays."""
    offered = {name: value for name, value in incoming(memory).items() if name in row.values and not is_empty(value)}
    filled = {name: value for name, value in offered.items() if is_empty(row.values[name])}
    replaced = {
        name: value
        for name, value in offered.items()
        if name in force and name not in filled and not _same(row.values[name], value)
    }
    return RowChange({**filled, **replaced}, tuple(replaced))


def is_empty(value: FieldValue) -> bool:
    """Return whether a field has no value: null, NaN, or blank text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or math.isnan(value)


def _same(held: FieldValue, offered: FieldValue) -> bool:
    if isinstance(held, (int, float)) and isinstance(offered, (int, float)):
        # A column of float32 holds 0.7 as 0.699999988.
        return math.isclose(held, offered, rel_tol=1e-6, abs_tol=1e-9)
    return held == offered


def is_about(row: ForeignRow, memory: Memory) -> bool:
    """Return whether a row still has the text of the memory: the grade of one text must not pass to another."""
    return normalize_text(row.text) == normalize_text(memory.text)


def parse_force_fields(text: str | None, force: bool) -> tuple[str, ...]:
    """Return the fields whose values may be replaced, from a comma-separated list."""
    if not force:
        if text is not None:
            raise InvalidRequest("--force-fields needs --force", code="usage", hint="without it nothing is replaced")
        return ()
    if text is None:
        return SAFE_TO_FORCE
    named = tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))
    if unknown := next((one for one in named if one not in FIELDS), None):
        raise InvalidRequest(
            f"unknown field {unknown[:40]!r}", code="unknown_word", hint=f"one or more of: {', '.join(FIELDS)}"
        )
    if not named:
        raise InvalidRequest("--force-fields names no field", code="usage", hint=f"such as {SAFE_TO_FORCE[0]}")
    return named
