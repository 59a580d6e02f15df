"""An embedding endpoint on loopback that misbehaves as a test wants, and recovers."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from satchel.adapters.embedders.hashing import Hashing

HUGE = 100 << 20
# Longer than any client waits; the end of the endpoint ends it sooner.
FOREVER = 60.0

Misbehave = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers like an embedding server, or as the endpoint's fault says."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        endpoint = self.server.endpoint  # type: ignore[attr-defined]
        self.texts: list[str] = json.loads(body)["input"]
        self.closing: threading.Event = endpoint.closing
        endpoint.requests += 1
        # The client may hang up whenever it likes.
        with suppress(OSError):
            (endpoint.fault or healthy)(self)

    def answer(self, value: Any, status: int = 200) -> None:
        """Send one JSON value."""
        self.raw(json.dumps(value).encode(), status)

    def raw(self, body: bytes, status: int = 200) -> None:
        """Send bytes as the body of an answer."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def vectors(self, dimensions: int = 16) -> list[list[float]]:
        """Return a proper vector for each text."""
        return [[float(one) for one in vector] for vector in Hashing(dimensions).embed(self.texts)]

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def embeddings(vectors: list[Any]) -> dict[str, Any]:
    return {"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]}


def healthy(handler: Handler) -> None:
    handler.answer(embeddings(handler.vectors()))


def drop(handler: Handler) -> None:
    handler.connection.close()


def hang(handler: Handler) -> None:
    handler.closing.wait(FOREVER)


def drip(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not handler.closing.wait(0.02):
        handler.wfile.write(b" ")


def flood(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % HUGE)
    for _ in range(HUGE >> 20):
        handler.wfile.write(b" " * (1 << 20))


def saying(status: int, body: bytes = b'{"error": "no"}') -> Misbehave:
    return lambda handler: handler.raw(body, status)


def each_vector(value: list[Any]) -> Misbehave:
    return lambda handler: handler.answer(embeddings([value] * len(handler.texts)))


def one_too_few(handler: Handler) -> None:
    handler.answer(embeddings(handler.vectors()[:-1]))


def longer(handler: Handler) -> None:
    """Another model under the same name: its vectors are twice as long."""
    handler.answer(embeddings(handler.vectors(32)))


class Endpoint:
    """An address that refuses connections until it listens."""

    def __init__(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self.server.endpoint = self  # type: ignore[attr-defined]
        self.server.server_bind()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.closing = threading.Event()
        self.fault: Misbehave | None = None
        self.requests = 0
        self._thread: threading.Thread | None = None

    def listen(self, fault: Misbehave | None = None) -> None:
        """Answer from now on, with a fault or without."""
        self.fault = fault
        if self._thread is None:
            self.server.server_activate()
            self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
            self._thread.start()

    def close(self) -> None:
        self.closing.set()
        if self._thread is not None:
            self.server.shutdown()
            self._thread.join()
        self.server.server_close()


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """An endpoint that does not listen yet."""
    opened = Endpoint()
    try:
        yield opened
    finally:
        opened.close()
