"""Records as rows and as JSON: the one place that knows how a memory is written down."""

import json
from typing import Any

from msgspec.structs import fields

from satchel.adapters.sqlite.database import Row
from satchel.domain.canonical import canonical
from satchel.domain.record import Kind, Label, Memory, SourceKind, State, Trust

COLUMNS = tuple(field.name for field in fields(Memory))
SELECTED = ", ".join(f"m.{name}" for name in COLUMNS)

_LISTS = frozenset({"keywords", "tags", "media_refs"})
_WORDS = {"kind": Kind, "label": Label, "trust": Trust, "source_kind": SourceKind, "state": State}


def to_row(memory: Memory) -> list[Any]:
    """Return the values of a record in the order of COLUMNS."""
    return [canonical(value) if name in _LISTS else value for name, value in _items(memory)]


def changed_values(memory: Memory, before: Memory) -> dict[str, Any]:
    """Return the columns in which a record differs from what it was, with their new values."""
    differing = [name for name in COLUMNS if getattr(memory, name) != getattr(before, name)]
    values = {name: getattr(memory, name) for name in differing}
    return {name: canonical(value) if name in _LISTS else value for name, value in values.items()}


def from_row(row: Row) -> Memory:
    """Return the record of a row selected as SELECTED."""
    values = dict(zip(COLUMNS, row, strict=True))
    for name in _LISTS:
        # Most lists are empty, and reading JSON is half the cost of a row.
        values[name] = () if values[name] == "[]" else json.loads(values[name])
    return _memory(values)


def to_json(memory: Memory) -> str:
    """Write a whole record as canonical JSON."""
    return canonical(dict(_items(memory)))


def from_json(text: str) -> Memory:
    """Read a record written by to_json."""
    return _memory(json.loads(text))


def _items(memory: Memory) -> list[tuple[str, Any]]:
    return [(name, getattr(memory, name)) for name in COLUMNS]


def _memory(values: dict[str, Any]) -> Memory:
    for name, words in _WORDS.items():
        values[name] = words(values[name])
    for name in _LISTS:
        values[name] = tuple(values[name])
    return Memory(**values)
