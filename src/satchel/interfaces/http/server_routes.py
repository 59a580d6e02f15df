"""The routes about the server itself: status, stop, health, metrics, and the description of the API."""

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from satchel import __version__
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import SatchelError
from satchel.interfaces.agents import operator_only
from satchel.interfaces.http import answers, metrics
from satchel.interfaces.http.access import sender_of
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.body import read_parameters
from satchel.interfaces.http.metrics import Family
from satchel.interfaces.http.openapi import openapi_document
from satchel.interfaces.http.status import InspectorAddress, ServerStatus
from satchel.interfaces.http.workers import Caller, Workers
from satchel.interfaces.operations import Session
from satchel.interfaces.serialization import envelope
from satchel.maintenance.values import Stats
from satchel.os_calls import resident_bytes

OpenInspector = Callable[[Request, Mapping[str, Any]], Awaitable[InspectorAddress]]
"""Returns where the sender of a request enters the inspector, once."""
HEALTH, METRICS, OPENAPI, OPEN = "/health", "/metrics", "/v1/openapi.json", "/v1/open"
PUBLIC = frozenset({HEALTH})
"""The paths that need no token."""
FOR_TOKENS = (HEALTH, METRICS, OPENAPI, OPEN)
"""The paths about the server that a user's or program's token is good for."""


def server_routes(
    workers: Workers,
    status: Callable[[], ServerStatus],
    stop: Callable[[], None],
    open_inspector: OpenInspector,
    counted: Callable[[], Iterable[Family]],
) -> list[Route]:
    """Return the routes about a server, which none of them counts as used."""
    started = time.monotonic()

    async def show_status(request: Request) -> Response:
        return _status_response("serve status", status())

    async def stop_server(request: Request) -> Response:
        await read_parameters(request)
        stop()
        return _status_response("serve stop", status())

    async def open_for_browser(request: Request) -> Response:
        opened = await open_inspector(request, await read_parameters(request))
        receipt = Receipt("open", asked={}, decided={"port": opened.port}, at=time.time_ns() // 1_000_000)
        return answers.json_response(envelope(Ok(opened, receipt)))

    async def show_health(request: Request) -> Response:
        # Anybody on this machine may ask, so it says nothing about the store.
        return answers.json_response({"ok": True, "version": __version__, "uptime_s": int(time.monotonic() - started)})

    async def show_metrics(request: Request) -> Response:
        if sender_of(request).scopes:
            # They count the records of every scope.
            raise RequestRejected(403, operator_only("/metrics", "use a token that is not fixed to a scope"))
        try:
            store = list(_store_families(await workers.run(_stats, Caller("http", ""))))
        except SatchelError:
            store = []
        own = _process_families(workers.queues(), time.monotonic() - started, is_open=bool(store))
        return answers.text_response(metrics.text_of([*counted(), *store, *own]), metrics.CONTENT_TYPE)

    async def describe_api(request: Request) -> Response:
        return answers.json_response(openapi_document())

    return [
        Route("/v1/status", show_status, methods=["GET"]),
        Route("/v1/stop", stop_server, methods=["POST"]),
        Route(OPEN, open_for_browser, methods=["POST"]),
        Route(HEALTH, show_health, methods=["GET"]),
        Route(METRICS, show_metrics, methods=["GET"]),
        Route(OPENAPI, describe_api, methods=["GET"]),
    ]


def _status_response(operation: str, status: ServerStatus) -> Response:
    receipt = Receipt(operation, asked={}, decided={"pid": status.pid}, at=time.time_ns() // 1_000_000)
    return answers.json_response(envelope(Ok(status, receipt)))


def _stats(session: Session) -> Stats:
    return session.memory.maintenance.stats(all_scopes=True).result


def _store_families(stats: Stats) -> Iterator[Family]:
    yield metrics.gauges("satchel_memories", "Memories by kind.", "kind", stats.tally.by_kind)
    yield metrics.gauge("satchel_embeddings_waiting", "Texts that wait to be embedded.", stats.embeddings_waiting)


def _process_families(queues: dict[str, int], uptime: float, *, is_open: bool) -> Iterator[Family]:
    yield metrics.gauge("satchel_store_open", "Whether the store can be read.", is_open)
    yield metrics.gauges("satchel_worker_requests", "Requests that a worker has or that wait for it.", "worker", queues)
    yield metrics.gauges("satchel_build_info", "The version of the server.", "version", {__version__: 1})
    yield metrics.gauge("satchel_uptime_seconds", "Time since the server started.", uptime)
    resident = resident_bytes()
    if resident is not None:
        yield metrics.gauge("process_resident_memory_bytes", "Memory of the server in use.", resident)
