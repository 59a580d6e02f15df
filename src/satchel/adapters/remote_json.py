"""JSON requests to a configured server, bounded in time and size, without redirects."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct, field

from satchel.errors import InvalidRequest, Unavailable

if TYPE_CHECKING:
    from http.client import HTTPConnection

T = TypeVar("T")

_TOO_LONG = re.compile(rb"token|context|length|too long|too large", re.IGNORECASE)
_HINTS = {
    401: "check the api key",
    403: "check the api key",
    404: "check the address and the model name",
    429: "the server is rate limiting: try again later",
}


class BadAnswer(Exception):
    """The answer cannot be used. Raised by its reader; the caller gets the failure of the server."""


class _Exchange(Struct):
    """One request on its own thread, with its answer or problem."""

    connection: HTTPConnection
    path: str
    body: bytes
    headers: dict[str, str]
    limit: int
    status: int = 0
    answer: bytes = b""
    problem: Exception | None = None
    abandoned: threading.Event = field(default_factory=threading.Event)


class RemoteJson:
    """``POST {url}/{path}``. The timeout is for a whole request; errors are raised as `failure`."""

    def __init__(
        self,
        purpose: str,
        url: str,
        path: str,
        api_key: str,
        timeout_seconds: float,
        failure: type[Unavailable],
        *,
        key_header: str = "Authorization",
        setting: str = "",
    ) -> None:
        """`setting` is where a person sets the address."""
        self._address = _address(url, purpose)
        # http.client quotes an invalid header value in its error, but this one is a secret.
        if not (api_key.isascii() and api_key.isprintable()):
            raise InvalidRequest("the api key contains characters that cannot be sent")
        self._purpose = purpose
        self._path = _path(self._address, path)
        self._api_key = api_key
        self._key_header = key_header
        self._timeout = timeout_seconds
        self._failure = failure
        self._hint = f"the address is the setting {setting}" if setting else ""

    def post(self, request: dict[str, object], limit: int, read: Callable[[Any], T]) -> T:
        """Send a request, and return what `read` makes of the answer, which may have up to `limit` bytes."""
        exchange = _Exchange(
            connection=_connection(self._address, self._timeout),
            path=self._path,
            # Replace lone surrogates, since many servers reject the whole request for one.
            body=json.dumps(request, ensure_ascii=False).encode("utf-8", "replace"),
            headers=self._headers(),
            limit=limit,
        )
        self._run(exchange)
        if exchange.status != 200:
            self._refuse(exchange.status, exchange.answer)
        if len(exchange.answer) > limit:
            self._bad("too large")
        try:
            return read(_parse(exchange.answer))
        except BadAnswer as error:
            self._bad(str(error))

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self._api_key:
            bearer = self._key_header == "Authorization"
            headers[self._key_header] = f"Bearer {self._api_key}" if bearer else self._api_key
        return headers

    def _run(self, exchange: _Exchange) -> None:
        # A socket timeout restarts with every byte, and a DNS lookup has none, so a second thread enforces the limit. It
        # is a daemon, so that a lookup which never ends does not keep the program alive.
        thread = threading.Thread(target=_perform, args=(exchange,), daemon=True, name=f"satchel-{self._purpose}")
        thread.start()
        thread.join(self._timeout)
        if thread.is_alive():
            _abandon(exchange)
            self._time_out(None)
        if isinstance(exchange.problem, TimeoutError):
            self._time_out(exchange.problem)
        if isinstance(exchange.problem, OSError):
            reason = exchange.problem.strerror or type(exchange.problem).__name__
            message = f"cannot reach {self._address.netloc}: {reason}"
            raise self._failure(message, code="unreachable", hint=self._hint) from exchange.problem
        if exchange.problem is not None:
            self._bad("not HTTP")

    def _time_out(self, cause: Exception | None) -> NoReturn:
        message = f"{self._address.netloc} did not answer within {self._timeout:g} s"
        raise self._failure(message, code="timeout", hint=self._hint) from cause

    def _refuse(self, status: int, answer: bytes) -> NoReturn:
        # The answer is never quoted, since servers may repeat the text or the key in it.
        if status in (400, 413) and _TOO_LONG.search(answer):
            raise self._failure(f"the server rejects a text as too long (HTTP {status})", code="input_too_long")
        if 300 <= status < 400:
            message = f"the server answered with a redirect (HTTP {status}), which is not followed"
            raise self._failure(message, code="http_error", hint="configure the final address")
        message = f"the server answered HTTP {status}"
        raise self._failure(message, code="http_error", hint=_HINTS.get(status, ""))

    def _bad(self, reason: str) -> NoReturn:
        message = f"unusable answer of the {self._purpose} server: {reason}"
        raise self._failure(message, code="bad_answer")


def read_results(answer: Any, name: str, count: int, read: Callable[[dict[str, Any]], T]) -> list[T]:
    """Read the items of the list `name`, one for each of `count` texts, in the order of their index.

    Without a name the answer itself is the list.
    """
    items = answer
    if name:
        items = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise BadAnswer("no list of results")
    if len(items) != count:
        raise BadAnswer(f"{len(items)} results for {count} texts")
    found: dict[int, T] = {}
    for item in items:
        index = item.get("index") if isinstance(item, dict) else None
        # By exact type, since bool is a subclass of int.
        if type(index) is not int or not 0 <= index < count or index in found:
            raise BadAnswer("an index is missing, duplicate or out of range")
        found[index] = read(item)
    return [found[index] for index in range(count)]


def _address(url: str, purpose: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        sound = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise InvalidRequest(f"the {purpose} address is not a URL") from None
    if parts.scheme not in ("http", "https"):
        raise InvalidRequest(f"the {purpose} address must start with http:// or https://")
    if not sound or not (url.isascii() and url.isprintable()) or " " in url:
        raise InvalidRequest(f"the {purpose} address is not a URL")
    if "@" in parts.netloc:
        # It would appear in every message that names the server.
        raise InvalidRequest(f"the {purpose} address must not contain a password", hint="use the api key setting")
    return parts


def _path(address: SplitResult, path: str) -> str:
    query = f"?{address.query}" if address.query else ""
    return f"{address.path.rstrip('/')}/{path}{query}"


def _connection(address: SplitResult, timeout: float) -> HTTPConnection:
    from http.client import HTTPConnection, HTTPSConnection  # takes 50 ms, not needed for a lexical command

    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    return kind(str(address.hostname), address.port, timeout=timeout)


def _perform(exchange: _Exchange) -> None:
    from http.client import HTTPException

    connection = exchange.connection
    try:
        connection.connect()
        if exchange.abandoned.is_set():
            return
        # http.client does not follow redirects, so the key is sent nowhere else.
        with suppress(BrokenPipeError):  # a server may answer before it has read the whole request
            connection.request("POST", exchange.path, exchange.body, exchange.headers)
        response = connection.getresponse()
        exchange.status = response.status
        exchange.answer = response.read(exchange.limit + 1)
    # ValueError: raised by http.client for some malformed answers.
    except (OSError, HTTPException, ValueError) as error:
        exchange.problem = error
    finally:
        connection.close()


def _abandon(exchange: _Exchange) -> None:
    exchange.abandoned.set()
    sock: socket.socket | None = exchange.connection.sock
    if sock is not None:
        with suppress(OSError):  # the other thread may have closed it
            sock.shutdown(socket.SHUT_RDWR)  # wakes the other thread


def _parse(answer: bytes) -> Any:
    try:
        return json.loads(answer, parse_constant=_reject_constant)
    # RecursionError: for brackets that are nested too deeply.
    except (ValueError, RecursionError):
        raise BadAnswer("not JSON") from None


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
