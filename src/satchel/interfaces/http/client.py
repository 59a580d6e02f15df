"""A client of the store's server, for commands that must start at once: a socket, JSON, and nothing else loaded.

A request is handed over only when the server has said that it listens (`100 Continue`). So whatever goes wrong before
that, nothing has been done, and the caller does the work itself.
"""

import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from satchel import __version__
from satchel.config import fingerprint
from satchel.errors import Unavailable
from satchel.interfaces.http.place import Place, is_ours

GREETING_SECONDS = 2.0
# Longer than a write waits for its turn in the ledger.
ANSWER_SECONDS = 120.0
STATUS_SECONDS = 10.0
EXIT_CODE = "satchel-exit-code"
_CONTINUE = 100
_BROKEN = 500
_END = b"\r\n\r\n"


class Answer(NamedTuple):
    """What a server answered, and the exit code it gives the answer."""

    exit_code: int
    envelope: dict[str, Any]


class _Lost(Exception):
    """The connection ended before the answer was whole."""


class _Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


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
    place = Place(home)
    note = place.read_note()
    if note is None:
        return None
    try:
        body = json.dumps(arguments, allow_nan=False).encode()
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Expect": "100-continue",
            "Satchel-Actor": actor,
            # Refused by a server whose settings are not ours: the answer must not depend on who gives it.
            "Satchel-Fingerprint": fingerprint(home, __version__),
        }
        reply = _exchange(place, note, f"POST /v1/{name}", headers, body, seconds)
        return _performed(reply)
    except (OSError, ValueError):
        return None
    except _Lost:
        if repeatable:
            return None
        raise Unavailable(
            "the server took the request and then went away: it may or may not have been done",
            code="server_lost",
            hint="look before you do it again",
        ) from None


def ask(home: Path, request: str) -> dict[str, Any] | None:
    """Send a request without a body, such as 'GET /v1/status'; None when no server answers."""
    place = Place(home)
    note = place.read_note()
    if note is None:
        return None
    with suppress(OSError, ValueError, _Lost):
        body = b"" if request.startswith("GET") else b"{}"
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))} if body else {}
        answer = json.loads(_exchange(place, note, request, headers, body, STATUS_SECONDS).body)
        return answer if isinstance(answer, dict) else None
    return None


def _performed(reply: _Reply) -> Answer | None:
    # Only what was performed has an exit code. Anything else was turned away at the door, unless the server broke.
    if EXIT_CODE not in reply.headers:
        if reply.status >= _BROKEN:
            raise _Lost
        return None
    try:
        return Answer(int(reply.headers[EXIT_CODE]), json.loads(reply.body))
    except ValueError:
        raise _Lost from None


def _exchange(
    place: Place, note: Mapping[str, Any], request: str, headers: Mapping[str, str], body: bytes, seconds: float
) -> _Reply:
    """Send one request and read its answer. Raises OSError or ValueError when it was never handed over, else _Lost."""
    address = Path(note["socket"])
    if not is_ours(address):
        raise ConnectionRefusedError
    token = place.token.read_text(encoding="ascii")
    lines = [f"{request} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(GREETING_SECONDS)
        connection.connect(os.fspath(address))
        head = "\r\n".join([*lines, "", ""]).encode("ascii")
        waits, rest = "Expect" in headers, b""
        connection.sendall(head if waits else head + body)
        if waits:
            status, _, rest = _head(connection, rest)
            if status != _CONTINUE:
                raise ConnectionRefusedError
            connection.sendall(body)
        connection.settimeout(seconds)
        try:
            return _reply(connection, rest)
        except (OSError, ValueError):
            raise _Lost from None


def _reply(connection: socket.socket, rest: bytes) -> _Reply:
    status, headers, body = _head(connection, rest)
    missing = int(headers.get("content-length", "")) - len(body)
    parts = [body]
    while missing > 0:
        parts.append(_received(connection))
        missing -= len(parts[-1])
    return _Reply(status, headers, b"".join(parts))


def _head(connection: socket.socket, data: bytes) -> tuple[int, dict[str, str], bytes]:
    while _END not in data:
        data += _received(connection)
    head, _, rest = data.partition(_END)
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return int(first[9:12]), {name.lower(): value.strip() for name, _, value in pairs}, rest


def _received(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 16)
    if not data:
        raise ConnectionResetError
    return data
