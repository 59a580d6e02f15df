"""Look up and change values in plain data by path. What a text edit should result in is computed here."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

Path = Sequence[str | int]


class WrongShape(ValueError):
    """A value on the way to the place to edit is not an object or not a list; the message names it."""


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()
"""Stands for a value that is not there."""


def value_at(data: Any, path: Path) -> Any:
    """Return the value at a path, or MISSING."""
    for key in path:
        if isinstance(key, str):
            data = data.get(key, MISSING) if isinstance(data, dict) else MISSING
        else:
            data = data[key] if isinstance(data, list) and 0 <= key < len(data) else MISSING
        if data is MISSING:
            return MISSING
    return data


def with_value(data: Any, path: Path, value: Any) -> Any:
    """Return the data with a value at a path; objects on the way are created."""
    changed = deepcopy(data)
    holder = _holder(changed, path)
    holder[path[-1]] = deepcopy(value)
    return changed


def with_item(data: Any, path: Path, value: Any) -> Any:
    """Return the data with one more item in the list at a path."""
    found = value_at(data, path)
    items = [] if found is MISSING else found
    if not isinstance(items, list):
        raise WrongShape(f"{path_name(path)} is not a list")
    return with_value(data, path, [*items, value])


def without(data: Any, path: Path) -> Any:
    """Return the data without the value at a path."""
    changed = deepcopy(data)
    if value_at(changed, path) is not MISSING:
        del value_at(changed, path[:-1])[path[-1]]
    return changed


def path_name(path: Path) -> str:
    """Return a path as a person writes it."""
    return ".".join(map(str, path)) or "the whole file"


def _holder(data: Any, path: Path) -> Any:
    for depth, key in enumerate(path):
        kind = dict if isinstance(key, str) else list
        if not isinstance(data, kind):
            what = "an object" if kind is dict else "a list"
            raise WrongShape(f"{path_name(path[:depth])} is not {what}")
        if depth < len(path) - 1:
            data = data.setdefault(key, {}) if isinstance(data, dict) else data[int(key)]
    return data
