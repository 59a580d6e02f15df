"""A running `satchel serve`, and raw HTTP requests to it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

PATIENCE = 60
# Less patient than the real one, so that a test of its patience need not be.
SHORT = (
    "from satchel.interfaces.http import body, timeouts\nbody.SECONDS = timeouts.HEAD_SECONDS = 0.4\n"
    "timeouts.READING_SECONDS = 0.4\n"
)


class Reply(NamedTuple):
    """One answer off the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The answer's one JSON value."""
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The code of a refusal or failure."""
        return str(self.json["error"]["code"])


class Server:
    """A server process of its own, with its own folder and environment."""

    def __init__(self, home: Path, *options: str, script: str = "", **environment: str) -> None:
        self.home = home
        self.log = home.parent / f"{home.name}.log"
        person = {"HOME": str(home.parent), "XDG_DATA_HOME": str(home.parent / "data"), "SATCHEL_EMBEDDER": "hashing"}
        # Unbuffered, it would not matter whether it sends on what it says.
        unwanted = ("SATCHEL_HOME", "SATCHEL_DEBUG", "PYTHONUNBUFFERED")
        inherited = {name: value for name, value in os.environ.items() if name not in unwanted}
        self.environment = inherited | person | environment
        run = "import sys\nfrom satchel.interfaces.cli.main import main\nsys.exit(main(sys.argv[1:]))"
        command = [sys.executable, "-c", script + run, "serve", "--home", str(home), "--json", *options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout is not None
        told = self.process.stdout.readline()
        assert told, self.log.read_text(encoding="utf-8")
        assert b'"ok": true' in told, told
        self.status: dict[str, Any] = json.loads(told)["result"]

    @property
    def token(self) -> str:
        """What it lets in."""
        return (self.home / "serve.token").read_text(encoding="ascii")

    def requests(self, route: str) -> int:
        """Count the requests it has performed on a route."""
        return len(re.findall(rf"POST /v1/{route} (?!412)\d+ \d+ ms", self.log.read_text(encoding="utf-8")))

    def connect(self, *, tcp: bool = False) -> socket.socket:
        """Open a connection."""
        if tcp:
            return socket.create_connection(("127.0.0.1", self.status["port"]), timeout=PATIENCE)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(PATIENCE)
        connection.connect(self.status["socket"])
        return connection

    def send(self, data: bytes, *, tcp: bool = False) -> bytes:
        """Send bytes as they are, and return everything that comes until the server closes."""
        with self.connect(tcp=tcp) as connection:
            # It may answer and go before it has heard everything.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(data)
            return heard(connection)

    def ask(
        self,
        route: str,
        body: Any = None,
        *,
        method: str = "POST",
        headers: Mapping[str, str | None] | None = None,
        tcp: bool = False,
    ) -> Reply:
        """Send a request like a well-behaved client, but for the headers given here; None leaves one out."""
        data = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
        host = f"127.0.0.1:{self.status['port']}" if tcp else "localhost"
        usual: dict[str, str | None] = {"Host": host, "Authorization": f"Bearer {self.token}"}
        if method == "POST":
            usual |= {"Content-Type": "application/json", "Content-Length": str(len(data))}
        return parsed(self.send(request(method, route, usual | dict(headers or {}), data), tcp=tcp))

    def is_well(self) -> bool:
        """Say whether it still answers."""
        return self.process.poll() is None and self.ask("/v1/status", b"", method="GET").status == 200

    def kill(self) -> None:
        """End it without a word."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self._close()

    def stop(self) -> int:
        """Ask it to stop, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self._close()
        return code

    def _close(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()


def request(method: str, route: str, headers: Mapping[str, str | None], body: bytes = b"") -> bytes:
    """Return a request as bytes."""
    lines = [
        f"{method} {route} HTTP/1.1",
        *(f"{name}: {value}" for name, value in headers.items() if value is not None),
    ]
    return "\r\n".join([*lines, "", ""]).encode("utf-8") + body


def heard(connection: socket.socket) -> bytes:
    """Return everything until the other side closes."""
    parts = []
    # Closed with something of ours unread.
    with suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def parsed(data: bytes) -> Reply:
    """Return the one answer in these bytes."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    assert len(body) == int(headers.get("content-length", len(body))), data
    return Reply(int(first.split(" ")[1]), headers, body)
