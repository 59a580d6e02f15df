"""JSON client of the store's server. Commands that must start fast load it, so it imports little."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from satchel.errors import Unavailable
from satchel.interfaces.http import raw_client
from satchel.interfaces.http.raw_client import EXIT_CODE, ConnectionLost, Reply

# Longer than a write waits for the ledger's lock.
ANSWER_SECONDS = 120.0
STATUS_SECONDS = 10.0
_SERVER_ERROR = 500


class ServerAnswer(NamedTuple):
    """An envelope from the server, with its exit code and the HTTP status."""

    exit_code: int
    envelope: dict[str, Any]
    status: int = 200


def call(
    home: Path,
    name: str,
    arguments: Mapping[str, Any],
    *,
    actor: str,
    repeatable: bool,
    seconds: float = ANSWER_SECONDS,
    greeting_seconds: float | None = None,
    folder: str | None = ".",
) -> ServerAnswer | None:
    """Ask the server of a store to perform an operation; None if it did not, so that the caller does it itself.

    The scope auto is the project of `folder`; None means that there is none.

    If the connection is lost after the request was sent, the operation may have been performed: that is an error
    unless the operation is repeatable.
    """
    try:
        body = json.dumps(arguments, allow_nan=False).encode()
        reply = raw_client.post(str(home), name, body, actor, seconds, greeting_seconds, folder)
        return None if reply is None else _answer(reply)
    except (OSError, ValueError):
        return None
    except ConnectionLost:
        if repeatable:
            return None
        raise Unavailable(
            "lost the connection to the server: the operation may or may not have been performed",
            code="server_lost",
            hint="check before you repeat it",
        ) from None


def ask(home: Path, request: str) -> dict[str, Any] | None:
    """Send a request without parameters, such as 'GET /v1/status'; None if no server answers."""
    with suppress(OSError, ValueError, ConnectionLost):
        body = b"" if request.startswith("GET") else b"{}"
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))} if body else {}
        reply = raw_client.exchange(str(home), request, headers, body, STATUS_SECONDS)
        answer = None if reply is None else json.loads(reply[2])
        return answer if isinstance(answer, dict) else None
    return None


def _answer(reply: Reply) -> ServerAnswer | None:
    status, headers, body = reply
    # A response without an exit code was not performed: it was rejected, or the server failed.
    if EXIT_CODE not in headers:
        if status >= _SERVER_ERROR:
            raise ConnectionLost
        return None
    try:
        return ServerAnswer(int(headers[EXIT_CODE]), json.loads(body), status)
    except ValueError:
        raise ConnectionLost from None
