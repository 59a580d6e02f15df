"""MCP at /mcp. The SDK, which takes a second to import, is loaded at the first request."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from satchel.domain.policies import ScopePolicy
from satchel.domain.scope import check_scope
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.errors import InvalidRequest, Refused, Unavailable
from satchel.interfaces.agents import Bounds, as_agent, chosen_tools, in_scope
from satchel.interfaces.http.access import sender_of
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.body import read_body
from satchel.interfaces.http.folder import folder_of
from satchel.interfaces.http.workers import Workers

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

CALLER = "satchel.caller"
"""The key in a request's ASGI scope under which its McpCaller is."""
_OPTIONS = ("scope", "tools")


class McpCaller(NamedTuple):
    """What a request may do, and where its client works."""

    bounds: Bounds
    folder: str | None


class McpRoute:
    """ASGI app: hands requests to the SDK's sessions, within the bounds that the address names."""

    def __init__(
        self,
        workers: Workers,
        agents: Bounds,
        policy: ScopePolicy,
        in_use: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """The address can narrow the bounds `agents`. Requests run inside `in_use()`, open event streams do not."""
        self._workers, self._agents, self._policy, self._in_use = workers, agents, policy, in_use
        self._starting = asyncio.Lock()
        self._sessions: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._requests = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request = Request(scope, receive)
        caller = McpCaller(self._bounds(request), folder_of(request))
        if scope["method"] == "POST":
            receive = _replaying(await read_body(request), receive)
        if self._closing.is_set():
            raise RequestRejected(503, Unavailable("the server is stopping", code="stopping"))
        with self._in_use(), self._counted():
            # A server on demand must not end while it loads the SDK for the first request.
            sessions = await self._started()
            if scope["method"] != "GET":
                await sessions.handle_request({**scope, CALLER: caller}, receive, _closing(send))
                return
        # An event stream stays open until the client or the server ends it.
        await sessions.handle_request({**scope, CALLER: caller}, receive, _closing(send))

    async def close(self) -> None:
        """Finish running requests and end the sessions with their event streams."""
        self._closing.set()
        await self._idle.wait()
        if self._running is not None:
            await self._running

    def _bounds(self, request: Request) -> Bounds:
        given = request.query_params
        if unknown := [name for name in given if name not in _OPTIONS]:
            wrong = InvalidRequest(
                f"unknown option {unknown[0][:40]!r} in the address", code="unknown_param", hint=", ".join(_OPTIONS)
            )
            raise RequestRejected(400, wrong)
        if len(given.getlist("scope")) > 1:
            # Whoever fixed the scope may have looked at another one than the last.
            twice = InvalidRequest("the scope is in the address twice", code="repeated_param", hint="give it once")
            raise RequestRejected(400, twice)
        try:
            bounds = replace(as_agent(sender_of(request), self._agents), only=chosen_tools(given.getlist("tools")))
            if given.get("scope") == AUTO_SCOPE and not bounds.scopes:
                return replace(bounds, scope=AUTO_SCOPE, follows_project=True)
            return in_scope(bounds, check_scope(given["scope"], self._policy)) if "scope" in given else bounds
        except InvalidRequest as error:
            raise RequestRejected(400, error) from None
        except Refused as error:
            raise RequestRejected(403, error) from None

    async def _started(self) -> "StreamableHTTPSessionManager":
        async with self._starting:
            if self._sessions is None:
                make_sessions = await asyncio.to_thread(_load)
                sessions, ready = make_sessions(self._workers), asyncio.Event()
                self._running = asyncio.create_task(self._run(sessions, ready))
                await ready.wait()
                self._sessions = sessions
            return self._sessions

    async def _run(self, sessions: "StreamableHTTPSessionManager", ready: asyncio.Event) -> None:
        async with sessions.run():
            ready.set()
            await self._closing.wait()
            await self._idle.wait()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._requests += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._requests -= 1
            if not self._requests:
                self._idle.set()


def _load() -> "Callable[[Workers], StreamableHTTPSessionManager]":
    from satchel.interfaces.mcp.sessions import make_sessions

    return make_sessions


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return a channel that has the body again, and then what follows it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed


def _closing(send: Send) -> Send:
    """Return a channel whose response closes the connection, as all others of the server."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            headers["connection"], headers["cache-control"] = "close", "no-store"
            message = {**message, "headers": headers.raw}
        await send(message)

    return sent
