"""Send a request to the store's server and return the response as bytes. Hooks load it, so it imports very little.

The body is sent only after the server answered `100 Continue`. If anything fails before that, nothing was performed and
the caller does the work itself.
"""

import _socket  # socket without its enumerations and selectors, which take longer to load than to ask a server
import os

from satchel import __version__
from satchel.locations import SOCKET, STATUS, TOKEN, fingerprint
from satchel.os_calls import is_owner

# Default of the maximum time to connect and to get the answer to the headers.
GREETING_SECONDS = 2.0
EXIT_CODE = "satchel-exit-code"
# A server listens on one; without them every command does its own work.
HAS_UNIX_SOCKETS = hasattr(_socket, "AF_UNIX")
_CONTINUE = 100
_END = b"\r\n\r\n"
_PLAIN = b"/-._~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

Reply = tuple[int, dict[str, str], bytes]
"""Status, headers by lower-case name, and body of a response."""


class ConnectionLost(Exception):
    """The connection ended before the response was complete."""


def post(
    home: str,
    name: str,
    body: bytes,
    actor: str,
    seconds: float,
    greeting_seconds: float | None = None,
    folder: str | None = ".",
) -> Reply | None:
    """Ask the server of a store to perform an operation; None if no server runs.

    Raises OSError or ValueError if the request was not sent, ConnectionLost if it was sent and got no response.
    """
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Expect": "100-continue",
        "Satchel-Actor": actor,
        # The server works in another folder, and the scope auto is about the caller's.
        "Satchel-Folder": "" if folder is None else _encoded(folder),
        # A server with other settings refuses: the result must not depend on who performs the operation.
        "Satchel-Fingerprint": fingerprint(home, __version__),
    }
    return exchange(home, f"POST /v1/{name}", headers, body, seconds, greeting_seconds)


def _encoded(folder: str) -> str:
    """Return the absolute path of a folder, percent-encoded; empty if this process is in one that no longer exists."""
    try:
        path = os.fsencode(os.path.abspath(folder))
    except OSError:
        return ""
    return "".join(chr(one) if one in _PLAIN else f"%{one:02X}" for one in path)


def exchange(
    home: str,
    request: str,
    headers: dict[str, str],
    body: bytes,
    seconds: float,
    greeting_seconds: float | None = None,
) -> Reply | None:
    """Send one request and read the response; None if no server runs."""
    address = _address(home) if HAS_UNIX_SOCKETS else None
    if address is None:
        return None
    if not is_ours(address):
        raise ConnectionRefusedError
    with open(os.path.join(home, TOKEN), encoding="ascii") as file:
        token = file.read()
    lines = [f"{request} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(greeting_seconds or GREETING_SECONDS)
        connection.connect(address)
        head = "\r\n".join([*lines, "", ""]).encode("ascii")
        expects, rest = "Expect" in headers, b""
        connection.sendall(head if expects else head + body)
        if expects:
            status, _, rest = _head(connection, rest)
            if status != _CONTINUE:
                raise ConnectionRefusedError
            connection.sendall(body)
        connection.settimeout(seconds)
        try:
            return _reply(connection, rest)
        except (OSError, ValueError):
            raise ConnectionLost from None
    finally:
        connection.close()


def is_ours(address: str) -> bool:
    """Return whether this user owns the socket and its folder, so that the token goes to nobody else."""
    try:
        return all(is_owner(os.lstat(path).st_uid) for path in (address, os.path.dirname(address)))
    except OSError:
        return False


def _address(home: str) -> str | None:
    """Return the path of the socket: in the home folder, or where the status file says."""
    path = os.path.join(home, SOCKET)
    if os.path.lexists(path):
        return path
    try:
        with open(os.path.join(home, STATUS), "rb") as file:
            content = file.read()
    except OSError:
        return None
    import json

    status = json.loads(content)
    found = status.get("socket") if isinstance(status, dict) else None
    return found if isinstance(found, str) else None


def _reply(connection: _socket.socket, rest: bytes) -> Reply:
    status, headers, body = _head(connection, rest)
    missing = int(headers.get("content-length", "")) - len(body)
    parts = [body]
    while missing > 0:
        parts.append(_received(connection))
        missing -= len(parts[-1])
    return status, headers, b"".join(parts)


def _head(connection: _socket.socket, data: bytes) -> tuple[int, dict[str, str], bytes]:
    while _END not in data:
        data += _received(connection)
    head, _, rest = data.partition(_END)
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return int(first[9:12]), {name.lower(): value.strip() for name, _, value in pairs}, rest


def _received(connection: _socket.socket) -> bytes:
    data = connection.recv(1 << 16)
    if not data:
        raise ConnectionResetError
    return data
