"""Records as rows and as JSON: the one place that knows how a memory is written down."""

import json
from enum import StrEnum
from typing import Any

from msgspec.structs import fields

from satchel.adapters.sqlite.database import Row
from satchel.domain.canonical import canonical
from satchel.domain.record import Kind, Label, Memory, SourceKind, State, Trust

COLUMNS = tuple(field.name for field in fields(Memory))
SELECTED = ", ".join(f"m.{name}" for name in COLUMNS)

_LISTS = frozenset({"keywords", "tags", "media_refs"})
_WORDS: dict[str, type[StrEnum]] = {
    "kind": Kind,
    "label": Label,
    "trust": Trust,
    "source_kind": SourceKind,
    "state": State,
}
_KNOWN: dict[type[StrEnum], dict[str, StrEnum]] = {
    words: {word.value: word for word in words} for words in _WORDS.values()
}
_WORD_PLACES = tuple((COLUMNS.index(name), words) for name, words in _WORDS.items())
_LIST_PLACES = tuple(COLUMNS.index(name) for name in sorted(_LISTS))


def to_row(memory: Memory) -> list[Any]:
    """Return the values of a record in the order of COLUMNS."""
    return [canonical(value) if name in _LISTS else value for name, value in _items(memory)]


def changed_values(memory: Memory, before: Memory) -> dict[str, Any]:
    """Return the columns in which a record differs from what it was, with their new values."""
    differing = [name for name in COLUMNS if getattr(memory, name) != getattr(before, name)]
    values = {name: getattr(memory, name) for name in differing}
    return {name: canonical(value) if name in _LISTS else value for name, value in values.items()}


def from_row(row: Row) -> Memory:
    """Return the record of a row selected as SELECTED. A recall reads dozens of them, so nothing is done twice."""
    values = list(row)
    for place, words in _WORD_PLACES:
        # Looked up, and made from scratch only to have the error of a word that is none.
        values[place] = _KNOWN[words].get(values[place]) or words(values[place])
    for place in _LIST_PLACES:
        values[place] = () if values[place] == "[]" else tuple(json.loads(values[place]))
    return Memory(*values)


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
