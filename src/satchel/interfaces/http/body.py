"""The body of a request: JSON, no more than was agreed, and nothing that two readers would read differently."""

import asyncio
import json
import math
from typing import Any

from starlette.requests import ClientDisconnect, Request

from satchel.errors import InvalidRequest, Unavailable
from satchel.interfaces.http.answers import Turned

MAX_BYTES = 8 << 20
MAX_DEPTH = 64
SECONDS = 10.0


async def parameters_of(request: Request) -> dict[str, Any]:
    """Return the one JSON object of a request."""
    _check_type(request.headers.getlist("content-type"))
    try:
        async with asyncio.timeout(SECONDS):
            data = await _data(request)
    except TimeoutError:
        raise Turned(
            408, Unavailable("the body did not arrive in time", code="too_slow", hint="send it at once")
        ) from None
    return parsed(data)


def _check_type(said: list[str]) -> None:
    kind, _, rest = (said[0] if len(said) == 1 else "").lower().partition(";")
    if kind.strip() != "application/json" or rest.strip() not in ("", "charset=utf-8"):
        raise Turned(
            415, InvalidRequest("the body must be JSON", code="not_json", hint="Content-Type: application/json")
        )


async def _data(request: Request) -> bytes:
    said = request.headers.get("content-length", "0")
    parts, size = [], 0
    _check_size(int(said) if said.isascii() and said.isdigit() and len(said) < 20 else MAX_BYTES + 1)
    try:
        async for part in request.stream():
            size += len(part)
            _check_size(size)
            parts.append(part)
    except ClientDisconnect:
        raise Turned(400, InvalidRequest("the body broke off", code="broken_off")) from None
    return b"".join(parts)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise Turned(413, InvalidRequest(f"a body has at most {MAX_BYTES:,} bytes", code="too_large"))


def parsed(data: bytes) -> dict[str, Any]:
    """Return the object that stands in a body."""
    try:
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, _Unclear) else "it cannot be read"
        raise _wrong(reason) from None
    if not isinstance(value, dict):
        raise _wrong("it is no object")
    if not _is_shallow(value, MAX_DEPTH):
        raise _wrong("it is nested too deeply")
    return value


class _Unclear(ValueError):
    """JSON that the format allows and we do not."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Unclear("it has a name twice")
    return found


def _no_number(word: str) -> float:
    raise _Unclear(f"{word} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Unclear("a number is too large")
    return number


def _is_shallow(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(item, levels - 1) for item in inner)


def _wrong(reason: str) -> Turned:
    return Turned(400, InvalidRequest(f"the body is not JSON as it should be: {reason}", code="bad_json"))
