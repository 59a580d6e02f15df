"""The door: who may ask at all. Host, origin, token and settings are looked at before a byte of the body is."""

import logging
import secrets
import time
from collections.abc import Sequence
from http import HTTPMethod

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.errors import Conflict, InvalidRequest, Refused
from satchel.interfaces.http.answers import Turned, turned_away

_log = logging.getLogger("satchel.serve")
_NAMES = ("localhost", "127.0.0.1", "[::1]")
_METHODS = frozenset(HTTPMethod)


class Guard:
    """Lets through what comes from this machine, from no web page, and with the token of this very server."""

    def __init__(self, app: ASGIApp, token: str, fingerprint: str, routes: Sequence[str]) -> None:
        self._app = app
        self._token = token.encode("ascii")
        self._fingerprint = fingerprint
        self._routes = frozenset(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request, hand it on, and note what came of it."""
        started = time.monotonic()

        async def noting(message: Message) -> None:
            if "status" in message:
                self._note(scope, message["status"], time.monotonic() - started)
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, noting)
        except Turned as refusal:
            await turned_away(refusal)(scope, receive, noting)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # The route and no more: a path that is none may hold anything.
        route = scope["path"] if scope["path"] in self._routes else "-"
        method = scope["method"] if scope["method"] in _METHODS else "-"
        _log.info("%s %s %d %.0f ms", method, route, status, seconds * 1000)

    def _check(self, scope: Scope) -> None:
        port = (scope["server"] or ("", None))[1]
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or not is_here(hosts[0], port):
            raise Turned(
                421, InvalidRequest("this server is not called so", code="bad_host", hint="use localhost and its port")
            )
        if any(not _is_own_origin(origin, port) for origin in _values(scope, b"origin")):
            raise Turned(403, Refused("no web page may ask here", code="bad_origin"))
        if not self._is_known(_values(scope, b"authorization")):
            raise Turned(401, Refused("the token is missing or wrong", code="bad_token", hint="it is in serve.token"))
        if any(value != self._fingerprint for value in _values(scope, b"satchel-fingerprint")):
            raise Turned(
                412, Conflict("this server was started with other settings", code="other_settings", hint="restart it")
            )

    def _is_known(self, credentials: Sequence[str]) -> bool:
        kind, _, token = (credentials[0] if len(credentials) == 1 else "").partition(" ")
        # Compared to the end, so that the time it takes tells nothing.
        return secrets.compare_digest(token.encode("utf-8"), self._token) and kind.lower() == "bearer"


def is_here(host: str, port: int | None) -> bool:
    """Say whether a Host header names this machine; on a socket no port belongs to it, on TCP the one that is served."""
    names, ending = (("localhost",), "") if port is None else (_NAMES, f":{port}")
    return host.lower() in {f"{name}{dot}{ending}" for name in names for dot in ("", ".")}


def _is_own_origin(origin: str, port: int | None) -> bool:
    return port is not None and origin in {f"http://{name}:{port}" for name in _NAMES}


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
