"""Read a request body: one strict JSON object of bounded size, within a time limit."""

import asyncio
from typing import Any

from starlette.requests import ClientDisconnect, Request

from satchel.domain.strict_json import parse_object
from satchel.errors import InvalidRequest, Unavailable
from satchel.interfaces.http.answers import RequestRejected

# Maximum size of a body.
MAX_BYTES = 8 << 20
# Maximum time for a body to arrive.
SECONDS = 10.0


async def read_parameters(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body."""
    if request.url.query:
        # Ignored, a scope that was meant would be another one.
        wrong = InvalidRequest(
            "parameters in the address are not read",
            code="unknown_param",
            hint="send them in the JSON object of the body",
        )
        raise RequestRejected(400, wrong)
    return _parsed(await read_body(request))


async def read_body(request: Request) -> bytes:
    """Return the body, which must be declared as JSON."""
    _check_type(request.headers.getlist("content-type"))
    return await _received(request)


async def read_form_body(request: Request) -> bytes:
    """Return the body of a form that a browser submitted."""
    if request.headers.getlist("content-type") != ["application/x-www-form-urlencoded"]:
        raise RequestRejected(415, InvalidRequest("the body must be a form", code="not_a_form"))
    return await _received(request)


async def _received(request: Request) -> bytes:
    try:
        async with asyncio.timeout(SECONDS):
            return await _data(request)
    except TimeoutError:
        slow = Unavailable(f"the body took longer than {SECONDS:.0f} seconds", code="too_slow", hint="send it at once")
        raise RequestRejected(408, slow) from None


def _check_type(values: list[str]) -> None:
    kind, _, rest = (values[0] if len(values) == 1 else "").lower().partition(";")
    if kind.strip() != "application/json" or rest.strip() not in ("", "charset=utf-8"):
        wrong = InvalidRequest("the body must be JSON", code="not_json", hint="send Content-Type: application/json")
        raise RequestRejected(415, wrong)


async def _data(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    parts, size = [], 0
    _check_size(int(length) if length.isascii() and length.isdigit() and len(length) < 20 else MAX_BYTES + 1)
    try:
        async for part in request.stream():
            size += len(part)
            _check_size(size)
            parts.append(part)
    except ClientDisconnect:
        raise RequestRejected(400, InvalidRequest("the body is incomplete", code="broken_off")) from None
    return b"".join(parts)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise RequestRejected(413, InvalidRequest(f"the body is larger than {MAX_BYTES:,} bytes", code="too_large"))


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        return parse_object(data, "the body")
    except InvalidRequest as error:
        hint = "send one JSON object; without parameters: {}"
        raise RequestRejected(400, InvalidRequest(error.message, code="bad_json", hint=hint)) from None
