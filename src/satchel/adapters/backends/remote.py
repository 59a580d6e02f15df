"""Requests to backends that are servers, within the remaining time."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from satchel.adapters.remote_json import RemoteJson
from satchel.domain.routing import RouteErrorCode
from satchel.errors import BackendFailed, InvalidRequest

T = TypeVar("T")

MAX_ANSWER_BYTES = 8 << 20
# Statuses that an operator has to fix: start the server, allow access, create what is missing.
_UNAVAILABLE = tuple(f"HTTP {status}" for status in (401, 402, 403, 404, 502, 503))


def post(
    purpose: str,
    url: str,
    path: str,
    request: dict[str, object],
    deadline: float,
    read: Callable[[Any], T],
    *,
    api_key: str = "",
    key_header: str = "Authorization",
) -> T:
    """Send a request and return what `read` makes of the answer. Errors have a code of the routing contract."""
    left = max(0.01, deadline - time.monotonic())
    try:
        server = RemoteJson(purpose, url, path, api_key, left, BackendFailed, key_header=key_header)
        return server.post(request, MAX_ANSWER_BYTES, read)
    except InvalidRequest as error:
        raise BackendFailed(error.message, code=RouteErrorCode.UNAVAILABLE) from None
    except BackendFailed as error:
        raise BackendFailed(error.message, code=_code(error)) from None


def _code(error: BackendFailed) -> RouteErrorCode:
    if error.code == "timeout":
        return RouteErrorCode.TIMEOUT
    missing = error.code == "unreachable" or any(status in error.message for status in _UNAVAILABLE)
    return RouteErrorCode.UNAVAILABLE if missing else RouteErrorCode.ERROR
