"""Validate request fields that may hold any JSON value; errors name the field."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from satchel.domain.canonical import canonical
from satchel.domain.moment import parse_moment
from satchel.domain.text import MAX_FIELD_CHARS, check_text, check_writable
from satchel.errors import InvalidRequest

MAX_ITEMS = 200
MAX_OBJECT_CHARS = 50_000

Word = TypeVar("Word", bound=StrEnum)


def text(value: Any, field: str, *, limit: int = MAX_FIELD_CHARS) -> str:
    """Return a storable text."""
    if value is None:
        raise InvalidRequest(f"{field} is missing", code="missing_param")
    return check_text(value, field, limit=limit)


def text_or_none(value: Any, field: str, *, limit: int = MAX_FIELD_CHARS) -> str | None:
    """Return a storable text, or None if missing."""
    return None if value is None else check_text(value, field, limit=limit)


def texts(value: Any, field: str, *, limit: int = MAX_FIELD_CHARS, most: int = MAX_ITEMS) -> tuple[str, ...]:
    """Return a list of texts; a single text becomes a list of one. Blank texts are left out."""
    items = several(value, field, most=most)
    for place, item in enumerate(items):
        if not isinstance(item, str):
            raise InvalidRequest(f"{field}[{place}] must be a string", code="wrong_type", hint="give a list of strings")
    return tuple(check_text(item, f"{field}[{place}]", limit=limit) for place, item in enumerate(items) if item.strip())


def several(value: Any, field: str, *, most: int = MAX_ITEMS) -> Sequence[Any]:
    """Return a list; a single value becomes a list of one."""
    if value is None:
        return ()
    items = value if isinstance(value, (list, tuple)) else (value,)
    if len(items) > most:
        raise InvalidRequest(f"{field} has {len(items)} entries, {most} are allowed", code="too_many")
    return items


def word(words: type[Word], value: Any, field: str) -> Word:
    """Return one of the allowed words."""
    if value is None:
        raise InvalidRequest(f"{field} is missing", code="missing_param", hint=f"one of: {', '.join(words)}")
    if not isinstance(value, str) or value not in list(words):
        raise InvalidRequest(
            f"{field} cannot be {_shown(value)}",
            code="unknown_word",
            hint=f"one of: {', '.join(words)}",
        )
    return words(value)


def share(value: Any, field: str) -> float:
    """Return a number from 0 to 1."""
    found = number(value, field)
    if not 0.0 <= found <= 1.0:
        raise InvalidRequest(f"{field} {_shown(value)} is not a number from 0 to 1", code="out_of_range")
    return float(found)


def clamped(value: Any, field: str) -> float | None:
    """Return a number clamped to 0 to 1, or None if missing."""
    return None if value is None else float(min(1.0, max(0.0, number(value, field))))


def number(value: Any, field: str) -> float:
    """Return a number; NaN is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (type(value) is float and math.isnan(value)):
        raise InvalidRequest(f"{field} must be a number, not {_shown(value)}", code="wrong_type")
    return value


def whole(value: Any, field: str, *, least: int, most: int) -> int:
    """Return a whole number within limits; JSON may write 2 as 2.0."""
    found = number(value, field)
    if not least <= found <= most or found != int(found):
        raise InvalidRequest(
            f"{field} {_shown(value)} is not a whole number from {least} to {most}", code="out_of_range"
        )
    return int(found)


def switch(value: Any, field: str) -> bool:
    """Return true or false; nothing else is accepted."""
    if not isinstance(value, bool):
        raise InvalidRequest(f"{field} must be true or false, not {_shown(value)}", code="wrong_type")
    return value


def moment(value: Any, field: str) -> int | None:
    """Return a time in milliseconds, or None if missing. Without a zone it is UTC."""
    return None if value is None else parse_moment(check_text(value, field), field)


def obj(value: Any, field: str) -> Mapping[str, Any]:
    """Return a JSON object of limited size with storable texts."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{field} must be an object, not {_shown(value)}", code="wrong_type")
    _check_writable(value, field)
    try:
        size = len(canonical(value))
    except (ValueError, TypeError, RecursionError):
        raise InvalidRequest(f"{field} holds a value that JSON cannot represent", code="wrong_type") from None
    if size > MAX_OBJECT_CHARS:
        raise InvalidRequest(f"{field} has {size:,} characters, {MAX_OBJECT_CHARS:,} are allowed", code="text_too_long")
    return value


def _check_writable(value: Any, field: str) -> None:
    # Iterative, because the input may be nested deeper than the recursion limit.
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            check_writable(one, field)
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple)):
            waiting += one


def _shown(value: Any) -> str:
    """Return a value as shown in an error: short and printable."""
    return ascii(value)[:60] if isinstance(value, (str, int, float, bool)) or value is None else type(value).__name__
