"""The API: every operation of the table under /v1, its parameters as one JSON object."""

import time
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, NotFound
from satchel.interfaces.encode import envelope
from satchel.interfaces.http import answers
from satchel.interfaces.http.answers import Turned
from satchel.interfaces.http.body import parameters_of
from satchel.interfaces.http.guard import Guard
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.http.workers import Desk
from satchel.interfaces.operations import OPERATIONS, Operation
from satchel.interfaces.toolbox import Bounds, signed, tool_name

OFFERED: dict[str, Operation] = {tool_name(one): one for one in OPERATIONS if not one.terminal_only}
"""The operations that are offered over HTTP, by their name in the address."""
ACTORS = ("http", "cli", "hook")
"""Who a request may be from; it stands in the history of what it changes."""
_OPERATOR = Bounds(operator=True)


def make_app(
    desk: Desk, status: ServerStatus, agents: Bounds, *, token: str, fingerprint: str, stop: Callable[[], None]
) -> ASGIApp:
    """Return the guarded API over a desk; agents' tools run within `agents`."""

    async def tell(request: Request) -> Response:
        return _about("serve status", status)

    async def end(request: Request) -> Response:
        await parameters_of(request)
        stop()
        return _about("serve stop", status)

    def performing(operation: Operation) -> Callable[[Request], object]:
        bounds = agents if operation.agents_only else _OPERATOR

        async def perform(request: Request) -> Response:
            actor = _actor(request)
            given = await parameters_of(request)
            client = signed("http", _utf8(request.headers.get("satchel-client", "")))
            outcome = await desk.perform(operation, bounds, given, actor=actor, client=client)
            return answers.performed(operation, outcome)

        return perform

    routes = [
        Route("/v1/status", tell, methods=["GET"]),
        Route("/v1/stop", end, methods=["POST"]),
        *(Route(f"/v1/{name}", performing(one), methods=["POST"]) for name, one in OFFERED.items()),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _unrouted, Turned: _turned})
    # A redirect would be one more answer to have an opinion on.
    app.router.redirect_slashes = False
    return Guard(app, token, fingerprint, [route.path for route in routes])


def _actor(request: Request) -> str:
    said = request.headers.get("satchel-actor", ACTORS[0])
    if said not in ACTORS:
        raise Turned(400, InvalidRequest("nobody is called so", code="bad_actor", hint=f"one of: {', '.join(ACTORS)}"))
    return said


def _utf8(header: str) -> str:
    return header.encode("latin-1").decode("utf-8", "replace")


def _about(operation: str, status: ServerStatus) -> Response:
    receipt = Receipt(operation, asked={}, decided={"pid": status.pid}, at=time.time_ns() // 1_000_000)
    return answers.written(envelope(Ok(status, receipt)))


async def _turned(request: Request, error: Exception) -> Response:
    assert isinstance(error, Turned), "it is registered for nothing else"
    return answers.turned_away(error)


async def _unrouted(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        wrong = InvalidRequest("not with this method", code="wrong_method", hint="POST; for /v1/status GET")
        return answers.turned_away(Turned(status, wrong))
    return answers.turned_away(Turned(status, NotFound("there is nothing here", code="no_route")))
