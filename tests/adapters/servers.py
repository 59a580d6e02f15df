"""Local servers for the remote adapters: a correct one, and a bare socket for broken ones."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct, field


class Seen(Struct):
    """What a server was asked."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def friendly(respond: Callable[[dict[str, Any]], Any]) -> Iterator[Seen]:
    """Answer each JSON request with what a test's own function makes of it."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.requests.append(request)
            seen.headers.append(dict(self.headers.items()))
            seen.paths.append(self.path)
            body = json.dumps(respond(request)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen = Seen(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Bare(Struct):
    """A listening socket whose every connection is handed to a test's own function."""

    url: str
    connections: int = 0
    closing: threading.Event = field(default_factory=threading.Event)


Serve = Callable[[socket.socket, Bare], None]


@contextmanager
def bare(serve: Serve) -> Iterator[Bare]:
    """Run ``serve`` for each connection, after the request's head and body have arrived."""
    listener = socket.create_server(("127.0.0.1", 0))
    state = Bare(f"http://127.0.0.1:{listener.getsockname()[1]}")
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):  # the listener is shut down
            while True:
                connection, _ = listener.accept()
                state.connections += 1
                threads.append(threading.Thread(target=handle, args=(connection,)))
                threads[-1].start()

    def handle(connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the client may hang up whenever it likes
            connection.settimeout(5)
            _read_request(connection)
            serve(connection, state)

    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield state
    finally:
        state.closing.set()
        listener.shutdown(socket.SHUT_RDWR)
        acceptor.join()
        listener.close()
        for thread in threads:
            thread.join()


def answering(status: str, body: bytes, *headers: str) -> Serve:
    """Return a server function that gives one fixed answer."""
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""])

    def serve(connection: socket.socket, _: Bare) -> None:
        connection.sendall(head.encode() + body)

    return serve


def _read_request(connection: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(int(x.split(b":")[1]) for x in head.splitlines() if x.lower().startswith(b"content-length:"))
    while len(body) < length:
        body += connection.recv(65536)
