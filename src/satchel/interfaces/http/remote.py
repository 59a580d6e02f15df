"""Call a server on another machine: operations over https, with a user's token."""

import http.client
import ipaddress
import json
import ssl
from collections.abc import Mapping
from contextlib import closing
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from satchel.errors import Conflict, InvalidRequest, NotFound, Refused, SatchelError, Unavailable
from satchel.interfaces.http.client import ANSWER_SECONDS, ServerAnswer
from satchel.interfaces.http.raw_client import EXIT_CODE

CONNECT_SECONDS = 10.0
MAX_ANSWER_BYTES = 256 << 20
_KINDS: dict[int, type[SatchelError]] = {
    400: InvalidRequest,
    401: Refused,
    403: Refused,
    404: NotFound,
    409: Conflict,
    413: InvalidRequest,
    429: Unavailable,
}


class RemoteServer(Struct, frozen=True):
    """A server, and the token that it is called with."""

    url: str
    token: str
    ca_file: str = ""
    """Certificates that vouch for the server, in PEM; empty means those of the system."""

    def call(
        self, name: str, arguments: Mapping[str, Any], *, repeatable: bool, seconds: float = ANSWER_SECONDS
    ) -> ServerAnswer:
        """Let the server perform an operation. Raises Unavailable if it does not answer, or what it rejected the request with.

        If the connection is lost after the request was sent, the operation may have been performed; unless it is
        repeatable, the error says so.
        """
        if not self.token:
            raise InvalidRequest(
                f"no token for {self.url}",
                code="no_token",
                hint="set SATCHEL_TOKEN to one that the server's operator made",
            )
        place = parse_url(self.url)
        path, body = f"{place.path.rstrip('/')}/v1/{name}", json.dumps(arguments, allow_nan=False).encode()
        with closing(self._connection(place)) as connection:
            self._connect(connection)
            try:
                assert connection.sock is not None, "connected"
                connection.sock.settimeout(seconds)
                connection.request("POST", path, body, self._headers())
                response = connection.getresponse()
                content = response.read(MAX_ANSWER_BYTES + 1)
            except (OSError, http.client.HTTPException):
                raise _lost(repeatable) from None
        return _answer(response, content)

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Connection": "close"}

    def _connection(self, place: SplitResult) -> http.client.HTTPConnection:
        host = place.hostname or ""
        if place.scheme == "http":
            return http.client.HTTPConnection(host, place.port or 80, timeout=CONNECT_SECONDS)
        try:
            context = ssl.create_default_context(cafile=self.ca_file or None)
        except (OSError, ssl.SSLError):
            raise InvalidRequest(
                f"{self.ca_file} has no certificates", code="bad_ca_file", hint="set SATCHEL_CA_FILE to a file in PEM"
            ) from None
        return http.client.HTTPSConnection(host, place.port or 443, timeout=CONNECT_SECONDS, context=context)

    def _connect(self, connection: http.client.HTTPConnection) -> None:
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as error:
            raise Unavailable(
                f"the certificate of {self.url} is not accepted: {error.verify_message}",
                code="untrusted_server",
                hint="set SATCHEL_CA_FILE to the certificate of your own authority, and use the name in the certificate",
            ) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise Unavailable(
                f"{self.url} cannot be reached: {reason}", code="unreachable", hint="check SATCHEL_URL and the network"
            ) from None


def parse_url(url: str) -> SplitResult:
    """Return the parts of a server's address, or raise if a token sent there could be read on the way."""
    hint = "such as https://memory.example.com"
    try:
        place = urlsplit(url)
        has_host = bool(place.hostname) and place.port != 0
    except ValueError:
        raise InvalidRequest(f"{url[:80]!r} is not an address of a server", code="bad_url", hint=hint) from None
    extra = place.username is not None or place.query or place.fragment
    if place.scheme not in ("http", "https") or not has_host or extra or not url.isascii() or not url.isprintable():
        raise InvalidRequest(f"{url[:80]!r} is not an address of a server", code="bad_url", hint=hint)
    if place.scheme == "http" and not _is_loopback(place.hostname or ""):
        raise Refused(f"{url[:80]!r} would send the token in the clear", code="insecure_url", hint="use https")
    return place


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _answer(response: http.client.HTTPResponse, content: bytes) -> ServerAnswer:
    try:
        code, envelope = response.getheader(EXIT_CODE), _parsed(content)
        if code is None and "error" in envelope:
            _reject(response, envelope["error"])
        # Routes that are not operations have no exit code.
        return ServerAnswer(int(code or 0), envelope, response.status)
    except (ValueError, KeyError, TypeError):
        raise Unavailable(
            f"the answer is not that of a Satchel server (status {response.status})",
            code="no_server",
            hint="check SATCHEL_URL; a proxy in front of the server may say more in its log",
        ) from None


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except RecursionError:
        raise ValueError from None
    if not isinstance(found, dict):
        raise ValueError
    return found


def _reject(response: http.client.HTTPResponse, error: Mapping[str, Any]) -> NoReturn:
    """Raise why the server rejected a request before doing anything."""
    wait = response.getheader("retry-after")
    hint = f"try again in {wait} seconds" if wait else str(error["hint"])
    kind = _KINDS.get(response.status, Unavailable)
    raise kind(str(error["message"]), code=str(error["code"]), hint=hint)


def _lost(repeatable: bool) -> Unavailable:
    if repeatable:
        return Unavailable("lost the connection to the server", code="server_lost", hint="try again")
    return Unavailable(
        "lost the connection to the server: the operation may or may not have been performed",
        code="server_lost",
        hint="check before you repeat it",
    )
