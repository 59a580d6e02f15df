"""Memories as rows and as JSON: the only place that knows how one is stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec.structs import astuple, fields

from satchel.adapters.sql.records import READABLE_TEXT, ReadableColumn, RecordFormat
from satchel.domain.canonical import canonical
from satchel.domain.record import Kind, Label, Memory, SourceKind, State, Trust, is_intact

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Row

COLUMNS = tuple(field.name for field in fields(Memory))
# The columns that are no texts.
NUMBERS = {
    **dict.fromkeys(("importance", "confidence", "success"), "REAL"),
    **dict.fromkeys(("abstraction", "valid_from", "valid_to", "created_at", "updated_at"), "INTEGER"),
}

_LISTS = frozenset({"keywords", "tags", "media_refs"})
_ENUMS: dict[str, type[StrEnum]] = {
    "kind": Kind,
    "label": Label,
    "trust": Trust,
    "source_kind": SourceKind,
    "state": State,
}
# The positions of columns that are not read as they are, with the members of their enum by value.
_ENUM_COLUMNS = tuple((COLUMNS.index(name), enum, {one.value: one for one in enum}) for name, enum in _ENUMS.items())
_LIST_COLUMNS = tuple(COLUMNS.index(name) for name in sorted(_LISTS))


def to_row(memory: Memory) -> list[Any]:
    """Return the values of a record in the order of COLUMNS."""
    values = list(astuple(memory))
    for index in _LIST_COLUMNS:
        values[index] = _listed(values[index])
    return values


def changed_values(memory: Memory, before: Memory) -> dict[str, Any]:
    """Return the columns that differ between two versions of a record, with their new values."""
    values = {name: value for name, value in _items(memory) if value != getattr(before, name)}
    return {name: _listed(value) if name in _LISTS else value for name, value in values.items()}


def _listed(value: Sequence[str]) -> str:
    # Most lists are empty, and encoding them takes a tenth of writing a record.
    return canonical(value) if value else "[]"


def from_row(row: Row) -> Memory:
    """Return the record of a row selected as SELECTED. On the path of every recall, so it is kept fast."""
    values = list(row)
    for index, enum, members in _ENUM_COLUMNS:
        # A lookup is faster than calling the enum, which is only needed to raise the error for an unknown value.
        values[index] = members.get(values[index]) or enum(values[index])
    for index in _LIST_COLUMNS:
        values[index] = () if values[index] == "[]" else tuple(json.loads(values[index]))
    return Memory(*values)


def _texts(value: str) -> list[str]:
    texts = json.loads(value)
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise ValueError(value)
    return texts


# What a record is taken for when a column of it is damaged: as little as possible.
_FALLBACKS = {
    "kind": Kind.OTHER,
    "label": Label.UNKNOWN,
    "trust": Trust.QUARANTINED,
    "source_kind": SourceKind.SYSTEM,
    "state": State.ARCHIVED,
}
MEMORIES = RecordFormat(
    "memory",
    {name: f"m.{name}" for name in COLUMNS},
    from_row=from_row,
    is_intact=is_intact,
    readable={
        **{name: ReadableColumn(enum, _FALLBACKS[name].value) for name, enum in _ENUMS.items()},
        **{name: ReadableColumn(_texts, "[]") for name in sorted(_LISTS)},
        "text": READABLE_TEXT,
    },
)
SELECTED = MEMORIES.selected


def to_json(memory: Memory) -> str:
    """Return a record as canonical JSON."""
    return canonical(dict(_items(memory)))


def from_json(text: str) -> Memory:
    """Read a record written by to_json."""
    values: dict[str, Any] = json.loads(text)
    for name, enum in _ENUMS.items():
        values[name] = enum(values[name])
    for name in _LISTS:
        values[name] = tuple(values[name])
    return Memory(**values)


def _items(memory: Memory) -> list[tuple[str, Any]]:
    return [(name, getattr(memory, name)) for name in COLUMNS]
