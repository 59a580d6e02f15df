"""Hail the store's server: hand it a request and bring back its answer as bytes. The least that a hook has to load.

A request is handed over only when the server has said that it listens (`100 Continue`). So whatever goes wrong before
that, nothing has been done, and the caller does the work itself.
"""

import os
import socket

from satchel import __version__
from satchel.locations import fingerprint

GREETING_SECONDS = 2.0
EXIT_CODE = "satchel-exit-code"
SOCKET, TOKEN, NOTE = "serve.sock", "serve.token", "serve.json"
_CONTINUE = 100
_END = b"\r\n\r\n"

Reply = tuple[int, dict[str, str], bytes]
"""The status of an answer, its headers by their lower-case names, and its body."""


class Lost(Exception):
    """The connection ended before the answer was whole."""


def post(home: str, name: str, body: bytes, actor: str, seconds: float) -> Reply | None:
    """Let the server of a store perform an operation; None when there is none.

    Raises OSError or ValueError when the request was never handed over, else Lost.
    """
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Expect": "100-continue",
        "Satchel-Actor": actor,
        # Refused by a server whose settings are not ours: the answer must not depend on who gives it.
        "Satchel-Fingerprint": fingerprint(home, __version__),
    }
    return exchange(home, f"POST /v1/{name}", headers, body, seconds)


def exchange(home: str, request: str, headers: dict[str, str], body: bytes, seconds: float) -> Reply | None:
    """Send one request and read its answer; None when no server has left an address."""
    address = _address(home)
    if address is None:
        return None
    if not is_ours(address):
        raise ConnectionRefusedError
    with open(os.path.join(home, TOKEN), encoding="ascii") as file:
        token = file.read()
    lines = [f"{request} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(GREETING_SECONDS)
        connection.connect(address)
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
            raise Lost from None


def is_ours(address: str) -> bool:
    """Say whether a socket and its folder belong to this person, so that a token is sent to nobody else."""
    try:
        return all(os.lstat(path).st_uid == os.getuid() for path in (address, os.path.dirname(address)))
    except OSError:
        return False


def _address(home: str) -> str | None:
    """Return where the server listens: beside the store, or where its note says that it had to go."""
    near = os.path.join(home, SOCKET)
    if os.path.lexists(near):
        return near
    try:
        with open(os.path.join(home, NOTE), "rb") as file:
            said = file.read()
    except OSError:
        return None
    import json

    note = json.loads(said)
    found = note.get("socket") if isinstance(note, dict) else None
    return found if isinstance(found, str) else None


def _reply(connection: socket.socket, rest: bytes) -> Reply:
    status, headers, body = _head(connection, rest)
    missing = int(headers.get("content-length", "")) - len(body)
    parts = [body]
    while missing > 0:
        parts.append(_received(connection))
        missing -= len(parts[-1])
    return status, headers, b"".join(parts)


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
