"""The inspector at /. Templates are loaded at the first request."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from msgspec.structs import replace
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.adapters.upload_files import UploadFiles
from satchel.errors import Conflict, InvalidRequest
from satchel.interfaces.http.access import OPERATOR, Access
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.status import InspectorAddress
from satchel.interfaces.http.workers import Workers
from satchel.interfaces.inspector.navigation import ASSETS_PATH, END_PATH, NAVIGATION, OPEN_PATH
from satchel.interfaces.inspector.sessions import BrowserSession, BrowserSessions
from satchel.interfaces.inspector.visit import Ask
from satchel.ports import Clock

MAX_PORT = 65_535
PATHS = (
    OPEN_PATH,
    END_PATH,
    f"{ASSETS_PATH}/{{name}}",
    *(one.path for one in NAVIGATION),
    *(f"{one.path}/{{rest:path}}" for one in NAVIGATION if one.path != "/"),
)
"""The routes whose requests are the inspector's."""


class InspectorRoute:
    """ASGI app: hands requests to the inspector's site."""

    def __init__(
        self,
        workers: Workers,
        clock: Clock,
        access: Access,
        uploads: UploadFiles,
        *,
        read_only: bool = False,
        in_use: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Operations are performed inside `in_use()`."""
        self.sessions = BrowserSessions(clock.ticks)
        self._workers, self._clock, self._access, self._in_use = workers, clock, access, in_use
        self._local = replace(OPERATOR, read_only=read_only)
        self._uploads, self._read_only = uploads, read_only
        self._site: ASGIApp | None = None
        self._end: Callable[[], Awaitable[None]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._site is None:
            from satchel.interfaces.inspector.imports import BrowserImports
            from satchel.interfaces.inspector.site import make_site

            imports = BrowserImports(self._workers, self._uploads, self._in_use, read_only=self._read_only)
            self._end = imports.close
            self._site = make_site(self._ask_for, imports, self.sessions, self._clock.now, self._in_use)
        await self._site(scope, receive, send)

    async def close(self) -> None:
        """Stop the imports that run."""
        if self._end is not None:
            await self._end()

    def entry(self, origin: str, port: int, sender: str = "") -> InspectorAddress:
        """Return an address at which one browser can enter, once. `sender` is the digest of a user's token."""
        token = self.sessions.make_token(sender)
        return InspectorAddress(f"{origin}{OPEN_PATH}?token={token}", port)

    def _ask_for(self, session: BrowserSession) -> Ask | None:
        from satchel.interfaces.inspector.asking import OperationAsker

        # Asked at every request: a session ends with the rights of who opened it.
        bounds = self._access.bounds_of_digest(session.sender) if session.sender else self._local
        if bounds is None or not bounds.may_inspect:
            return None
        self._access.admit(bounds)
        return OperationAsker(self._workers, bounds)


def wanted_port(given: Mapping[str, Any], listening: int | None) -> int | None:
    """Return the port that a request to open the inspector asks for; 0 for any. It must be the one already in use."""
    port = given.get("port")
    if port is None and given.keys() <= {"port"}:
        return None
    if not given.keys() <= {"port"} or type(port) is not int or not 0 <= port <= MAX_PORT:
        raise RequestRejected(400, InvalidRequest("invalid port", code="bad_port", hint=f"0 to {MAX_PORT}; 0 for any"))
    if listening is not None and port not in (0, listening):
        taken = Conflict(
            f"the server already listens on port {listening}",
            code="other_port",
            hint="leave out --port, or stop it with 'satchel serve --stop'",
        )
        raise RequestRejected(409, taken)
    return port
