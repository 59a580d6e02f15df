"""Check Host, Origin, token and settings of a request before its body is read."""

import logging
import time
from collections.abc import Callable, Collection
from http import HTTPMethod

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.errors import Conflict, InvalidRequest, Refused
from satchel.interfaces.agents import operator_only
from satchel.interfaces.http.access import ACCESS, Access
from satchel.interfaces.http.answers import RequestRejected, rejection_response
from satchel.interfaces.http.metrics import REFUSED, Metrics

_log = logging.getLogger("satchel.serve")
_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_METHODS = frozenset(HTTPMethod)
_VERSIONS = ("1.0", "1.1")
MAX_HEADERS = 100
MAX_HEADER_BYTES = 64 << 10


class Guard:
    """ASGI middleware: only local requests with a token of this server pass, and none from web pages."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        fingerprint: str,
        routes: Collection[str],
        *,
        for_tokens: Collection[str],
        is_public: Callable[[str], bool],
        metrics: Metrics,
    ) -> None:
        """A path that `is_public` names needs no token; a user's or program's token is good for the paths `for_tokens` alone.

        Browsers have a session at the inspector's paths, which the inspector checks.
        """
        self._app = app
        self._access = access
        self._fingerprint = fingerprint
        self._routes = frozenset(routes)
        self._for_tokens = frozenset(for_tokens)
        self._is_public = is_public
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request, pass it on, log its status and count it."""
        started = time.monotonic()

        async def send_and_log(message: Message) -> None:
            if "status" in message:
                self._record_request(scope, message["status"], time.monotonic() - started)
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, send_and_log)
        except RequestRejected as rejected:
            scope[REFUSED] = rejected.error.code
            await rejection_response(rejected)(scope, receive, send_and_log)

    def _record_request(self, scope: Scope, status: int, seconds: float) -> None:
        # Only known routes are logged: any other path may contain anything.
        route = scope["path"] if scope["path"] in self._routes else "-"
        method = scope["method"] if scope["method"] in _METHODS else "-"
        _log.info("%s %s %d %.0f ms", method, route, status, seconds * 1000)
        self._metrics.record(route, status, seconds, scope.get(REFUSED))

    def _check(self, scope: Scope) -> None:
        if scope["http_version"] not in _VERSIONS:
            # The parser takes any two digits for a version.
            raise RequestRejected(
                400, InvalidRequest("unknown version of HTTP", code="bad_version", hint="use HTTP/1.1")
            )
        headers = scope["headers"]
        # The parser limits only heads that arrive in pieces.
        if len(headers) > MAX_HEADERS or sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES:
            raise RequestRejected(431, InvalidRequest("too many or too long headers", code="large_head"))
        port = (scope["server"] or ("", None))[1]
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or not is_local_host(hosts[0], port):
            raise RequestRejected(
                421, InvalidRequest("unknown Host header", code="bad_host", hint="use localhost and the server's port")
            )
        if any(not _is_own_origin(origin, port) for origin in _values(scope, b"origin")):
            raise RequestRejected(403, Refused("requests from web pages are not allowed", code="bad_origin"))
        sender = self._access.bounds_of(_values(scope, b"authorization"))
        if sender is None and not self._is_public(scope["path"]):
            raise RequestRejected(
                401,
                Refused("the token is missing, wrong, expired or revoked", code="bad_token", hint="read serve.token"),
            )
        if sender is not None and not sender.is_local and scope["path"] not in self._for_tokens:
            raise RequestRejected(403, operator_only("this path", "send the token in serve.token"))
        scope[ACCESS] = sender
        if any(value != self._fingerprint for value in _values(scope, b"satchel-fingerprint")):
            raise RequestRejected(
                412, Conflict("the server was started with other settings", code="other_settings", hint="restart it")
            )


def is_local_host(host: str, port: int | None) -> bool:
    """Return whether a Host header names this server: localhost on a Unix socket, with the port on TCP."""
    names, ending = (("localhost",), "") if port is None else (_HOSTS, f":{port}")
    return host.lower() in {f"{name}{dot}{ending}" for name in names for dot in ("", ".")}


def _is_own_origin(origin: str, port: int | None) -> bool:
    return port is not None and origin in {f"http://{name}:{port}" for name in _HOSTS}


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
