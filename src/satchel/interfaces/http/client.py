"""A client of the store's server, for commands that must start at once: JSON over `hail`, and nothing else loaded."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from satchel.errors import Unavailable
from satchel.interfaces.http import raw_client as hail
from satchel.interfaces.http.raw_client import EXIT_CODE, Lost, Reply

# Longer than a write waits for its turn in the ledger.
ANSWER_SECONDS = 120.0
STATUS_SECONDS = 10.0
_BROKEN = 500


class Answer(NamedTuple):
    """What a server answered, and the exit code it gives the answer."""

    exit_code: int
    envelope: dict[str, Any]


def call(
    home: Path,
    name: str,
    arguments: Mapping[str, Any],
    *,
    actor: str,
    repeatable: bool,
    seconds: float = ANSWER_SECONDS,
) -> Answer | None:
    """Let the server of a store perform an operation; None when it did not, and the caller has to.

    A request that was handed over and got no answer may have been performed: unless it is one that can be repeated,
    that is an error.
    """
    try:
        body = json.dumps(arguments, allow_nan=False).encode()
        reply = hail.post(str(home), name, body, actor, seconds)
        return None if reply is None else _performed(reply)
    except (OSError, ValueError):
        return None
    except Lost:
        if repeatable:
            return None
        raise Unavailable(
            "the server took the request and then went away: it may or may not have been done",
            code="server_lost",
            hint="look before you do it again",
        ) from None


def ask(home: Path, request: str) -> dict[str, Any] | None:
    """Send a request without a body, such as 'GET /v1/status'; None when no server answers."""
    with suppress(OSError, ValueError, Lost):
        body = b"" if request.startswith("GET") else b"{}"
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))} if body else {}
        reply = hail.exchange(str(home), request, headers, body, STATUS_SECONDS)
        answer = None if reply is None else json.loads(reply[2])
        return answer if isinstance(answer, dict) else None
    return None


def _performed(reply: Reply) -> Answer | None:
    status, headers, body = reply
    # Only what was performed has an exit code. Anything else was turned away at the door, unless the server broke.
    if EXIT_CODE not in headers:
        if status >= _BROKEN:
            raise Lost
        return None
    try:
        return Answer(int(headers[EXIT_CODE]), json.loads(body))
    except ValueError:
        raise Lost from None
