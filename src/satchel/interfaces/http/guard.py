"""Check Host, Origin, token and settings of a request before its body is read."""

import logging
import time
from collections.abc import Callable, Collection, Sequence
from http import HTTPMethod

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.domain.access import TOKEN_PREFIX
from satchel.errors import Conflict, InvalidRequest, Refused
from satchel.interfaces.agents import operator_only
from satchel.interfaces.http.access import ACCESS, Access
from satchel.interfaces.http.answers import RequestRejected, rejection_response
from satchel.interfaces.http.hosts import REACHED, Reached
from satchel.interfaces.http.metrics import REFUSED, Metrics
from satchel.interfaces.inspector.navigation import COOKIE_PREFIX

_log = logging.getLogger("satchel.serve")
_METHODS = frozenset(HTTPMethod)
_VERSIONS = ("1.0", "1.1")
MAX_HEADERS = 100
MAX_HEADER_BYTES = 64 << 10
_OWN_TOKEN = "send 'Authorization: Bearer TOKEN'; yours is in serve.token"


class Guard:
    """ASGI middleware: only requests to this server with a token of it pass, and none from foreign web pages."""

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
        reached_at: Callable[[int | None], Reached],
    ) -> None:
        """A path that `is_public` names needs no token; a user's or program's token is good for the paths `for_tokens` alone.

        Browsers have a session at the inspector's paths, which the inspector checks. `reached_at` returns how requests
        reach a port; None is the Unix socket.
        """
        self._app = app
        self._access = access
        self._fingerprint = fingerprint
        self._routes = frozenset(routes)
        self._for_tokens = frozenset(for_tokens)
        self._is_public = is_public
        self._metrics = metrics
        self._reached_at = reached_at

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request, pass it on, log its status and count it."""
        started = time.monotonic()

        async def send_and_log(message: Message) -> None:
            if "status" in message:
                self._record_request(scope, message["status"], time.monotonic() - started)
            await send(message)

        try:
            await self._check(scope)
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

    async def _check(self, scope: Scope) -> None:
        if scope["http_version"] not in _VERSIONS:
            # The parser takes any two digits for a version.
            raise RequestRejected(
                400, InvalidRequest("unknown version of HTTP", code="bad_version", hint="use HTTP/1.1")
            )
        headers = scope["headers"]
        # The parser limits only heads that arrive in pieces.
        if len(headers) > MAX_HEADERS or sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES:
            raise RequestRejected(431, InvalidRequest("too many or too long headers", code="large_head"))
        reached = self._reached_at((scope["server"] or ("", None))[1])
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in reached.hosts:
            hint = "add it with --host-name" if reached.by_network else "use localhost and the server's port"
            raise RequestRejected(421, InvalidRequest("unknown Host header", code="bad_host", hint=hint))
        if any(origin not in reached.origins for origin in _values(scope, b"origin")):
            raise RequestRejected(403, Refused("requests from web pages are not allowed", code="bad_origin"))
        sender = await self._access.bounds_of(_values(scope, b"authorization"))
        if sender is not None and sender.is_local and reached.by_network:
            # What is good for everything must not leave this machine.
            sender = None
        if sender is None and not self._is_public(scope["path"]) and not self._is_missing_page(scope):
            raise RequestRejected(401, _bad_token(_values(scope, b"authorization"), by_network=reached.by_network))
        if sender is not None and not sender.is_local and scope["path"] not in self._for_tokens:
            raise RequestRejected(403, operator_only("this path", "a token opens the tools of agents at /v1, and /mcp"))
        if sender is not None:
            self._access.admit(sender)
        scope[ACCESS] = sender
        scope[REACHED] = reached
        if reached.secure:
            # So that cookies are secure behind a proxy too.
            scope["scheme"] = "https"
        if any(value != self._fingerprint for value in _values(scope, b"satchel-fingerprint")):
            raise RequestRejected(
                412, Conflict("the server was started with other settings", code="other_settings", hint="restart it")
            )

    def _is_missing_page(self, scope: Scope) -> bool:
        """Return whether a browser that may have a session asks for a page that does not exist."""
        path = scope["path"]
        is_page = scope["method"] == "GET" and path not in self._routes and not path.startswith("/v1/")
        return is_page and any(COOKIE_PREFIX in one for one in _values(scope, b"cookie"))


def _bad_token(credentials: Sequence[str], *, by_network: bool) -> Refused:
    _, _, secret = (credentials[0] if credentials else "").partition(" ")
    if not secret:
        wrong, ask = "the token is missing", "ask the server's operator for one"
    else:
        wrong, ask = "this token was revoked, has expired or is unknown", "ask the server's operator for a new one"
    # Who has a token of their own must not be sent to the operator's.
    is_persons = not by_network and not secret.startswith(TOKEN_PREFIX)
    return Refused(wrong, code="bad_token", hint=_OWN_TOKEN if is_persons else ask)


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
