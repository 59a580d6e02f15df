"""Strict JSON: no duplicate keys, no NaN or Infinity, bounded nesting. Hooks load it, so it imports only json."""

import json
from typing import Any

from satchel.errors import InvalidRequest

MAX_DEPTH = 64
# The digits of the largest 64-bit integer. Python takes minutes to convert an integer of a million digits.
MAX_DIGITS = 19
_BOM = b"\xef\xbb\xbf"


def parse_object(
    data: bytes | str, what: str, *, padded: bool = False, bounded_integers: bool = False
) -> dict[str, Any]:
    """Parse one JSON object, or raise as `parse_json` does; any other value has the code not_an_object."""
    value = parse_json(data, what, padded=padded, bounded_integers=bounded_integers)
    if not isinstance(value, dict):
        raise InvalidRequest(f"{what} must be a JSON object", code="not_an_object")
    return value


def parse_json(data: bytes | str, what: str, *, padded: bool = False, bounded_integers: bool = False) -> Any:
    """Parse one JSON value, or raise InvalidRequest: not_utf8, not_json, duplicate_key, not_finite or too_deep.

    `what` names the input in messages. `padded` allows a byte order mark and blanks around the value;
    `bounded_integers` refuses integers of more than MAX_DIGITS digits.
    """
    try:
        text = data if isinstance(data, str) else (data.removeprefix(_BOM) if padded else data).decode("utf-8")
        value = (_BOUNDED if bounded_integers else _UNBOUNDED).decode(text.strip() if padded else text)
    except UnicodeDecodeError:
        raise InvalidRequest(f"{what} is not UTF-8", code="not_utf8") from None
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError as error:
        raise InvalidRequest(f"{what} is not valid JSON: {str(error)[:80]}", code="not_json") from None
    except InvalidRequest as error:
        raise InvalidRequest(f"{what} is not valid JSON: {error.message}", code=error.code) from None
    # Fewer brackets cannot nest deeper. Most texts have none of one kind, which is found faster than counted.
    if text.count("{") + (text.count("[") if "[" in text else 0) > MAX_DEPTH and _is_deep(value):
        raise _too_deep(what)
    return value


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return False
    return True


def _children(value: object) -> list[object]:
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for one in values if isinstance(one, (dict, list))]


def _too_deep(what: str) -> InvalidRequest:
    return InvalidRequest(f"{what} is nested more than {MAX_DEPTH} levels deep", code="too_deep")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidRequest("an object has the same key twice", code="duplicate_key")
    return found


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise InvalidRequest(f"the number {digits[:20]} is too large", code="not_finite")
    return value


def _bounded(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InvalidRequest(f"a number has more than {MAX_DIGITS} digits", code="not_finite")
    return int(digits)


def _no_constant(name: str) -> object:
    raise InvalidRequest(f"{name} is not a number", code="not_finite")


_UNBOUNDED = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
_BOUNDED = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant, parse_int=_bounded
)
