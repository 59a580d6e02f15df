"""Strict JSON: one object, nothing twice, no numbers that are none, and not too deep."""

import json

from satchel.errors import InvalidRequest

MAX_DEPTH = 64
_BOM = b"\xef\xbb\xbf"


def read_object(raw: bytes) -> dict[str, object]:
    """Read one JSON object. Raises InvalidRequest, whose code says what is wrong."""
    try:
        text = raw.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest("the line is not UTF-8", code="not_utf8") from None
    try:
        value = _DECODER.decode(text.strip())
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise InvalidRequest(f"the line is not JSON: {str(error)[:80]}", code="not_json") from None
    if not isinstance(value, dict):
        raise InvalidRequest("the line is no JSON object", code="not_an_object")
    check_depth(value)
    return value


def check_depth(value: object) -> None:
    """Refuse what is nested deeper than anything an event says."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for one in level for item in _inside(one)]
        if not level:
            return
    raise _too_deep()


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return [one for one in value.values() if isinstance(one, (dict, list))]
    return [one for one in value if isinstance(one, (dict, list))] if isinstance(value, list) else []


def _too_deep() -> InvalidRequest:
    return InvalidRequest(f"the line is nested deeper than {MAX_DEPTH}", code="too_deep")


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _no_number(text: str) -> object:
    raise ValueError(f"{text[:20]} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is too large a number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_number, parse_float=_finite)
