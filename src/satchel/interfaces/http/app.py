"""The HTTP API: POST /v1/NAME performs an operation; its parameters are one JSON object. MCP is at /mcp, the inspector at /."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.errors import InvalidRequest, LimitReached, NotFound, Refused
from satchel.interfaces.agents import Bounds, as_agent, client_label, tool_name
from satchel.interfaces.http import answers
from satchel.interfaces.http.access import ACCESS, Access, check_local, sender_of
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.body import read_parameters
from satchel.interfaces.http.folder import folder_of
from satchel.interfaces.http.guard import Guard
from satchel.interfaces.http.hosts import Reached
from satchel.interfaces.http.inspector_route import PATHS as INSPECTOR_PATHS
from satchel.interfaces.http.limits import Limits
from satchel.interfaces.http.metrics import REFUSED, Metrics
from satchel.interfaces.http.server_routes import FOR_TOKENS, PUBLIC, OpenInspector, server_routes
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.http.workers import Caller, Workers
from satchel.interfaces.inspector.navigation import is_inspector_path
from satchel.interfaces.operations import OPERATIONS, Operation

OFFERED: dict[str, Operation] = {tool_name(one): one for one in OPERATIONS if not one.terminal_only}
"""The operations available over HTTP, by the name in their path."""
COMMANDS = ("cli", "skill")
ACTORS = ("http", *COMMANDS, "hook", "python")
"""Allowed values of Satchel-Actor; the history of a change records it."""


def make_app(
    workers: Workers,
    status: Callable[[], ServerStatus],
    agents: Bounds,
    *,
    access: Access,
    limits: Limits,
    fingerprint: str,
    stop: Callable[[], None],
    mcp: ASGIApp,
    inspector: ASGIApp,
    open_inspector: OpenInspector,
    reached_at: Callable[[int | None], Reached],
    in_use: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> ASGIApp:
    """Return the guarded app over the workers, with `mcp` at /mcp; agents' tools run within the bounds `agents`.

    `open_inspector` returns where a browser enters the `inspector`, once. `reached_at` returns how requests reach a port.
    Operations are performed inside `in_use()`. Asking about the server is no use.
    """
    metrics = Metrics()

    def endpoint(operation: Operation) -> Callable[[Request], object]:
        async def perform(request: Request) -> Response:
            sender = sender_of(request)
            bounds = as_agent(sender, agents) if operation.agents_only else sender
            actor = _actor(request)
            given = await read_parameters(request)
            client = client_label("http", f"{sender.token} {_utf8(request.headers.get('satchel-client', ''))}")
            caller = Caller(actor, client, folder_of(request))
            with in_use():
                outcome = await workers.perform(operation, bounds, given, caller)
            if isinstance(outcome, Refused | LimitReached):
                request.scope[REFUSED] = outcome.code
            return answers.operation_response(operation, outcome, bounds, for_command=actor in COMMANDS)

        return perform

    about = server_routes(workers, status, stop, open_inspector, lambda: (*metrics.families(), *limits.families()))
    operations = [Route(f"/v1/{name}", endpoint(one), methods=["POST"]) for name, one in OFFERED.items()]
    pages = [Route(path, inspector) for path in INSPECTOR_PATHS]
    routes = [*about, *operations, Route("/mcp", mcp, methods=["POST", "GET", "DELETE"]), *pages]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _no_route, RequestRejected: _rejected})
    app.router.redirect_slashes = False

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        is_browsers = scope[ACCESS] is None and scope["path"] not in PUBLIC
        await (inspector if is_browsers else app)(scope, receive, send)

    return Guard(
        serve,
        access,
        fingerprint,
        [route.path for route in routes],
        # Any other path is the local operator's, and so is one that is added without a thought about tokens.
        for_tokens=[*(route.path for route in operations), "/mcp", *FOR_TOKENS],
        is_public=lambda path: path in PUBLIC or is_inspector_path(path),
        metrics=metrics,
        reached_at=reached_at,
    )


def _actor(request: Request) -> str:
    """Return whom the history names: who has the token, or the channel of the local operator."""
    actor = request.headers.get("satchel-actor", ACTORS[0])
    if actor not in ACTORS:
        hint = f"one of: {', '.join(ACTORS)}"
        raise RequestRejected(400, InvalidRequest("unknown Satchel-Actor", code="bad_actor", hint=hint))
    if actor != ACTORS[0]:
        # The history must not say that somebody with a token was a command or a hook.
        check_local(request, "Satchel-Actor")
    return sender_of(request).actor or actor


def _utf8(header: str) -> str:
    return header.encode("latin-1").decode("utf-8", "replace")


async def _rejected(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRejected), "registered for nothing else"
    request.scope[REFUSED] = error.error.code
    return answers.rejection_response(error)


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for nothing else"
    if error.status_code == 405:
        # Starlette joins a set.
        allowed = ", ".join(sorted((error.headers or {})["Allow"].split(", ")))
        wrong = InvalidRequest("method not allowed", code="wrong_method", hint=f"use {allowed}")
        return answers.rejection_response(RequestRejected(405, wrong), {"allow": allowed})
    missing = NotFound("no such path", code="no_route", hint="GET /v1/openapi.json lists all")
    return answers.rejection_response(RequestRejected(error.status_code, missing))
