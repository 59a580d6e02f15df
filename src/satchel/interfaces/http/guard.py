"""Check Host, Origin, token and settings of a request before its body is read."""

import logging
import secrets
import time
from collections.abc import Callable, Sequence
from http import HTTPMethod

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.errors import Conflict, InvalidRequest, Refused
from satchel.interfaces.http.answers import RequestRejected, rejection_response

_log = logging.getLogger("satchel.serve")
_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_METHODS = frozenset(HTTPMethod)


class Guard:
    """ASGI middleware: only local requests with this server's token pass, and none from web pages."""

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        fingerprint: str,
        routes: Sequence[str],
        has_sessions: Callable[[str], bool] = lambda path: False,
    ) -> None:
        """Requests to paths that `has_sessions` names need no token: browsers have a session there, checked by the app."""
        self._app = app
        self._token = token.encode("ascii")
        self._fingerprint = fingerprint
        self._routes = frozenset(routes)
        self._has_sessions = has_sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request, pass it on, and log its status."""
        started = time.monotonic()

        async def send_and_log(message: Message) -> None:
            if "status" in message:
                self._log_request(scope, message["status"], time.monotonic() - started)
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, send_and_log)
        except RequestRejected as rejected:
            await rejection_response(rejected)(scope, receive, send_and_log)

    def _log_request(self, scope: Scope, status: int, seconds: float) -> None:
        # Only known routes are logged: any other path may contain anything.
        route = scope["path"] if scope["path"] in self._routes else "-"
        method = scope["method"] if scope["method"] in _METHODS else "-"
        _log.info("%s %s %d %.0f ms", method, route, status, seconds * 1000)

    def _check(self, scope: Scope) -> None:
        port = (scope["server"] or ("", None))[1]
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or not is_local_host(hosts[0], port):
            raise RequestRejected(
                421, InvalidRequest("unknown Host header", code="bad_host", hint="use localhost and the server's port")
            )
        if any(not _is_own_origin(origin, port) for origin in _values(scope, b"origin")):
            raise RequestRejected(403, Refused("requests from web pages are not allowed", code="bad_origin"))
        if not (self._has_sessions(scope["path"]) or self._has_token(_values(scope, b"authorization"))):
            raise RequestRejected(
                401, Refused("the token is missing or wrong", code="bad_token", hint="read it from serve.token")
            )
        if any(value != self._fingerprint for value in _values(scope, b"satchel-fingerprint")):
            raise RequestRejected(
                412, Conflict("the server was started with other settings", code="other_settings", hint="restart it")
            )

    def _has_token(self, credentials: Sequence[str]) -> bool:
        kind, _, token = (credentials[0] if len(credentials) == 1 else "").partition(" ")
        # Constant time, so that timing reveals nothing.
        return secrets.compare_digest(token.encode("utf-8"), self._token) and kind.lower() == "bearer"


def is_local_host(host: str, port: int | None) -> bool:
    """Return whether a Host header names this server: localhost on a Unix socket, with the port on TCP."""
    names, ending = (("localhost",), "") if port is None else (_HOSTS, f":{port}")
    return host.lower() in {f"{name}{dot}{ending}" for name in names for dot in ("", ".")}


def _is_own_origin(origin: str, port: int | None) -> bool:
    return port is not None and origin in {f"http://{name}:{port}" for name in _HOSTS}


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
