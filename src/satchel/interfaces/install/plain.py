"""Look up and change values in plain data by path. What a text edit should result in is computed here."""

from collections.abc import Sequence
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
    """Return the data with a value at a path; objects on the way are created. What is not on the way is shared."""
    changed = holder = _copy(data, path[0], ())
    for depth, key in enumerate(path[:-1]):
        inner = holder.get(key, {}) if isinstance(holder, dict) else holder[key]
        holder[key] = _copy(inner, path[depth + 1], path[: depth + 1])
        holder = holder[key]
    holder[path[-1]] = value
    return changed


def _copy(holder: Any, key: str | int, path: Path) -> Any:
    if isinstance(key, str) and not isinstance(holder, dict):
        raise WrongShape(f"{path_name(path)} is not an object")
    if isinstance(key, int) and not isinstance(holder, list):
        raise WrongShape(f"{path_name(path)} is not a list")
    return holder.copy()


def with_item(data: Any, path: Path, value: Any) -> Any:
    """Return the data with one more item in the list at a path."""
    found = value_at(data, path)
    items = [] if found is MISSING else found
    if not isinstance(items, list):
        raise WrongShape(f"{path_name(path)} is not a list")
    return with_value(data, path, [*items, value])


def without(data: Any, path: Path) -> Any:
    """Return the data without the value at a path."""
    holder = value_at(data, path[:-1])
    if value_at(data, path) is MISSING:
        return data
    left = holder.copy()
    del left[path[-1]]
    return with_value(data, path[:-1], left) if len(path) > 1 else left


def path_name(path: Path) -> str:
    """Return a path as a person writes it."""
    return ".".join(map(str, path)) or "the whole file"
