"""The remote embedder: any server that speaks the OpenAI embeddings protocol."""

import json
import math
import re
import socket
import threading
from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import SplitResult, urlsplit

from satchel.domain.embedding import Vector
from satchel.errors import EmbeddingFailed, InvalidRequest

if TYPE_CHECKING:
    from http.client import HTTPConnection

BATCH = 64
# A vector of 8,192 numbers with all their digits stays under this; anything longer is not an embedding.
MAX_BYTES_PER_TEXT = 256 * 1024
MAX_BYTES_AROUND = 64 * 1024

_TOO_LONG = re.compile(rb"token|context|length|too long|too large", re.IGNORECASE)
_HINTS = {
    401: "check the api key",
    403: "check the api key",
    404: "check the address and the model name",
    429: "the server asks for patience: try again later",
}


@dataclass(slots=True)
class _Exchange:
    """One request on its own thread: what went out, and what came back or went wrong."""

    connection: "HTTPConnection"
    path: str
    body: bytes
    headers: dict[str, str]
    limit: int
    status: int = 0
    answer: bytes = b""
    problem: Exception | None = None
    abandoned: threading.Event = field(default_factory=threading.Event)


class OpenAiCompatible:
    """Vectors from ``POST {url}/embeddings``. The timeout is the whole time that one request of 64 texts may take."""

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str = "",
        dimensions: int | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        self._address = _address(url)
        # http.client quotes a bad header value in its error, and this one is a secret.
        if not (api_key.isascii() and api_key.isprintable()):
            raise InvalidRequest("the api key contains characters that cannot be sent")
        self._model = model
        self._api_key = api_key
        self._asked_dimensions = dimensions
        self._timeout = timeout_seconds
        self.dimensions = dimensions
        self.name = f"openai:{model}" if dimensions is None else f"openai:{model}:{dimensions}"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, in order."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            vectors += self._batch(texts[start : start + BATCH])
        return vectors

    def _batch(self, texts: Sequence[str]) -> list[Vector]:
        vectors = _parse(self._post(texts), len(texts))
        expected = self.dimensions or len(vectors[0])
        if any(len(vector) != expected for vector in vectors):
            _bad(f"a vector has not the expected {expected} dimensions")
        self.dimensions = expected
        return vectors

    def _post(self, texts: Sequence[str]) -> bytes:
        exchange = _Exchange(
            connection=_connection(self._address, self._timeout),
            path=_path(self._address),
            body=self._request(texts),
            headers=self._headers(),
            limit=MAX_BYTES_AROUND + MAX_BYTES_PER_TEXT * len(texts),
        )
        _run(exchange, self._timeout, where=self._address.netloc)
        if exchange.status != 200:
            _refuse(exchange.status, exchange.answer)
        if len(exchange.answer) > exchange.limit:
            _bad("it is larger than any embedding")
        return exchange.answer

    def _request(self, texts: Sequence[str]) -> bytes:
        # Half a surrogate pair is no Unicode; many servers answer it with an error for the whole batch.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        request: dict[str, object] = {"model": self._model, "input": clean}
        if self._asked_dimensions is not None:
            request["dimensions"] = self._asked_dimensions
        return json.dumps(request).encode()

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        return headers


def _address(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        sound = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise InvalidRequest("the embedding address is not a URL") from None
    if parts.scheme not in ("http", "https"):
        raise InvalidRequest("the embedding address must begin with http:// or https://")
    if not sound or not (url.isascii() and url.isprintable()) or " " in url:
        raise InvalidRequest("the embedding address is not a URL")
    if "@" in parts.netloc:
        # It would show up in every message that names the server.
        raise InvalidRequest("the embedding address must not contain a password", hint="use the api key setting")
    return parts


def _path(address: SplitResult) -> str:
    query = f"?{address.query}" if address.query else ""
    return f"{address.path.rstrip('/')}/embeddings{query}"


def _connection(address: SplitResult, timeout: float) -> "HTTPConnection":
    from http.client import HTTPConnection, HTTPSConnection  # 50 ms that a lexical command should not pay

    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    return kind(str(address.hostname), address.port, timeout=timeout)


def _run(exchange: _Exchange, timeout: float, where: str) -> None:
    # A socket's timeout starts again with every byte, and a name look-up has none: only a second thread can keep
    # the whole time. A daemon, so that a look-up which never ends does not keep the program alive.
    thread = threading.Thread(target=_talk, args=(exchange,), daemon=True, name="satchel-embedding")
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        _abandon(exchange)
        raise _timed_out(where, timeout)
    if isinstance(exchange.problem, TimeoutError):
        raise _timed_out(where, timeout) from exchange.problem
    if isinstance(exchange.problem, OSError):
        reason = exchange.problem.strerror or type(exchange.problem).__name__
        raise EmbeddingFailed(f"cannot reach {where}: {reason}", code="unreachable") from exchange.problem
    if exchange.problem is not None:
        _bad("it is not HTTP")


def _talk(exchange: _Exchange) -> None:
    from http.client import HTTPException

    connection = exchange.connection
    try:
        connection.connect()
        if exchange.abandoned.is_set():
            return
        # http.client follows no redirect by itself, so the key goes nowhere else.
        with suppress(BrokenPipeError):  # a server may refuse before it has read everything; its answer still counts
            connection.request("POST", exchange.path, exchange.body, exchange.headers)
        response = connection.getresponse()
        exchange.status = response.status
        exchange.answer = response.read(exchange.limit + 1)
    # ValueError: http.client lets it through for some malformed answers.
    except (OSError, HTTPException, ValueError) as error:
        exchange.problem = error
    finally:
        connection.close()


def _abandon(exchange: _Exchange) -> None:
    exchange.abandoned.set()
    sock: socket.socket | None = exchange.connection.sock
    if sock is not None:
        with suppress(OSError):  # the other thread may just have closed it
            sock.shutdown(socket.SHUT_RDWR)  # wakes that thread, whatever it is waiting for


def _timed_out(where: str, timeout: float) -> EmbeddingFailed:
    return EmbeddingFailed(f"{where} did not answer within {timeout:g} s", code="timeout")


def _refuse(status: int, answer: bytes) -> NoReturn:
    # The answer itself is never quoted: servers like to repeat the text or the key in it.
    if status in (400, 413) and _TOO_LONG.search(answer):
        raise EmbeddingFailed(f"the server finds a text too long (HTTP {status})", code="input_too_long")
    if 300 <= status < 400:
        message = f"the server answered HTTP {status}, a redirect, which is not followed"
        raise EmbeddingFailed(message, code="http_error", hint="configure the final address")
    message = f"the server answered HTTP {status}"
    raise EmbeddingFailed(message, code="http_error", hint=_HINTS.get(status, ""))


def _bad(reason: str) -> NoReturn:
    raise EmbeddingFailed(f"the embedding server's answer cannot be used: {reason}", code="bad_answer")


def _parse(answer: bytes, count: int) -> list[Vector]:
    items = _items(answer)
    if len(items) != count:
        _bad(f"{len(items)} vectors for {count} texts")
    found: list[Vector | None] = [None] * count
    for index, numbers in map(_pair, items):
        if not 0 <= index < count or found[index] is not None:
            _bad("an index is out of range or twice there")
        found[index] = _unit(numbers)
    return [vector for vector in found if vector is not None]


def _items(answer: bytes) -> list[Any]:
    try:
        document = json.loads(answer, parse_constant=_not_a_number)
    # RecursionError: that is how the standard parser reports brackets nested without end.
    except (ValueError, RecursionError):
        document = None
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, list):
        _bad("it is not a JSON object with a list named data")
    return data


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _pair(item: Any) -> tuple[int, list[float]]:
    index = item.get("index") if isinstance(item, dict) else None
    numbers = item.get("embedding") if isinstance(item, dict) else None
    # By exact type: True is an int to Python, but no coordinate.
    if type(index) is not int or not isinstance(numbers, list) or not numbers or set(map(type, numbers)) - {int, float}:
        _bad("an item is not an index with a list of numbers")
    return index, numbers


def _unit(numbers: list[float]) -> Vector:
    try:
        length = math.hypot(*numbers)
        if math.isfinite(length):
            # A zero vector stays one; the core has its own word for it.
            return array("f", [number / (length or 1.0) for number in numbers])
    except OverflowError:  # a whole number beyond every float
        pass
    _bad("a number is not finite")
