"""The HTTP API: POST /v1/NAME performs an operation; its parameters are one JSON object. MCP is at /mcp, the inspector at /."""

import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, NotFound
from satchel.interfaces.agents import Bounds, client_label, tool_name
from satchel.interfaces.http import answers
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.body import read_parameters
from satchel.interfaces.http.folder import folder_of
from satchel.interfaces.http.guard import Guard
from satchel.interfaces.http.inspector_route import PATHS as INSPECTOR_PATHS
from satchel.interfaces.http.status import InspectorAddress, ServerStatus
from satchel.interfaces.http.workers import Caller, Workers
from satchel.interfaces.inspector.navigation import is_inspector_path
from satchel.interfaces.operations import OPERATIONS, Operation
from satchel.interfaces.serialization import envelope

OFFERED: dict[str, Operation] = {tool_name(one): one for one in OPERATIONS if not one.terminal_only}
"""The operations available over HTTP, by the name in their path."""
ACTORS = ("http", "cli", "hook", "python")
"""Allowed values of Satchel-Actor; the history of a change records it."""
_OPERATOR = Bounds(operator=True)


def make_app(
    workers: Workers,
    status: Callable[[], ServerStatus],
    agents: Bounds,
    *,
    token: str,
    fingerprint: str,
    stop: Callable[[], None],
    mcp: ASGIApp,
    inspector: ASGIApp,
    open_inspector: Callable[[Mapping[str, Any]], Awaitable[InspectorAddress]],
    in_use: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> ASGIApp:
    """Return the guarded app over the workers, with `mcp` at /mcp; agents' tools run within the bounds `agents`.

    `open_inspector` returns where a browser enters the `inspector`, once.
    Operations are performed inside `in_use()`. Asking for the status is no use.
    """

    async def show_status(request: Request) -> Response:
        return _status_response("serve status", status())

    async def stop_server(request: Request) -> Response:
        await read_parameters(request)
        stop()
        return _status_response("serve stop", status())

    async def open_for_browser(request: Request) -> Response:
        opened = await open_inspector(await read_parameters(request))
        receipt = Receipt("open", asked={}, decided={"port": opened.port}, at=time.time_ns() // 1_000_000)
        return answers.json_response(envelope(Ok(opened, receipt)))

    def endpoint(operation: Operation) -> Callable[[Request], object]:
        bounds = agents if operation.agents_only else _OPERATOR

        async def perform(request: Request) -> Response:
            actor = _actor(request)
            given = await read_parameters(request)
            client = client_label("http", _utf8(request.headers.get("satchel-client", "")))
            caller = Caller(actor, client, folder_of(request))
            with in_use():
                outcome = await workers.perform(operation, bounds, given, caller)
            return answers.operation_response(operation, outcome)

        return perform

    routes = [
        Route("/v1/status", show_status, methods=["GET"]),
        Route("/v1/stop", stop_server, methods=["POST"]),
        Route("/v1/open", open_for_browser, methods=["POST"]),
        *(Route(f"/v1/{name}", endpoint(one), methods=["POST"]) for name, one in OFFERED.items()),
        Route("/mcp", mcp, methods=["POST", "GET", "DELETE"]),
        *(Route(path, inspector) for path in INSPECTOR_PATHS),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _no_route, RequestRejected: _rejected})
    app.router.redirect_slashes = False
    return Guard(app, token, fingerprint, [route.path for route in routes], is_inspector_path)


def _actor(request: Request) -> str:
    actor = request.headers.get("satchel-actor", ACTORS[0])
    if actor not in ACTORS:
        hint = f"one of: {', '.join(ACTORS)}"
        raise RequestRejected(400, InvalidRequest("unknown Satchel-Actor", code="bad_actor", hint=hint))
    return actor


def _utf8(header: str) -> str:
    return header.encode("latin-1").decode("utf-8", "replace")


def _status_response(operation: str, status: ServerStatus) -> Response:
    receipt = Receipt(operation, asked={}, decided={"pid": status.pid}, at=time.time_ns() // 1_000_000)
    return answers.json_response(envelope(Ok(status, receipt)))


async def _rejected(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRejected), "registered for nothing else"
    return answers.rejection_response(error)


async def _no_route(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        wrong = InvalidRequest("method not allowed", code="wrong_method", hint="use POST; for /v1/status GET")
        return answers.rejection_response(RequestRejected(status, wrong))
    return answers.rejection_response(RequestRejected(status, NotFound("no such path", code="no_route")))
