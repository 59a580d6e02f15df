"""The MCP server: operations as tools, run one at a time on a worker thread."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from msgspec.structs import replace

from satchel import __version__
from satchel.config import Settings, sources_of
from satchel.domain.envelope import Failed, Ok
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.domain.text import replace_undecodable
from satchel.errors import SatchelError
from satchel.interfaces import agents, toolbox
from satchel.interfaces.mcp import greeting
from satchel.interfaces.mcp.listing import lists
from satchel.interfaces.mcp.opening import Opening
from satchel.interfaces.mcp.reading import Context, Run, Work, reading_handlers
from satchel.interfaces.mcp.wire import standard_streams
from satchel.interfaces.operations import Operation, Session

SHOW_STRUCTURED_CONTENT = ("claude-code", "codex-mcp-client")
"""Clients that show a model the structured content instead of the text, which is shorter and written for it."""
_log = logging.getLogger(__name__)


def go_on(settings: Settings, bounds: agents.Bounds, opening: Opening) -> int:
    """Go on with a conversation until the client disconnects; return the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="satchel mcp: %(message)s")
    session = open_session(settings, bounds)
    with ThreadPoolExecutor(1, "satchel-worker") as worker:
        try:
            anyio.run(_serve, make_server(session, bounds, worker), opening)
        except* BrokenPipeError:
            _log.warning("the client disconnected before it read the answer")
        finally:
            # The worker finishes the running call first.
            worker.submit(session.close).result()
    return 0


def open_session(settings: Settings, bounds: agents.Bounds) -> Session:
    """Return the session that all calls share. If the bounds fix a scope, it becomes the default scope."""
    policy, default = settings.scope_policy, AUTO_SCOPE if bounds.follows_project else bounds.scope
    scoped = policy if default is None else replace(policy, default_scope=default)
    sources = sources_of(replace(settings, scope_policy=scoped))
    return Session(sources, "mcp", progress=lambda done, total, what: None, note=_log.info, tell=_log.info)


async def _serve(server: Server[Any], opening: Opening) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, tasks.cancel_scope)
        async with standard_streams(opening) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _stop_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()


def make_server(session: Session, bounds: agents.Bounds, worker: Executor) -> Server[Any]:
    """Return the server over a session; calls block only the worker."""

    async def run(context: Context, work: Work, *, long: bool = False, writes: bool = False) -> Any:
        return await asyncio.get_running_loop().run_in_executor(worker, work, session, bounds, client_name(context))

    return server_over(lambda context: bounds, run)


def server_over(bounds_of: Callable[[Context], agents.Bounds], run: Run) -> Server[Any]:
    """Return the server whose work is run by a function, within the bounds of each request."""

    async def list_tools(context: Context, request: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return _tools(bounds_of(context))

    async def call_tool(context: Context, request: types.CallToolRequestParams) -> types.CallToolResult:
        operation = agents.TOOLS.get(request.name)
        if operation is None:
            known = ", ".join(tool.name for tool in _tools(bounds_of(context)).tools)
            unknown = f"unknown tool {replace_undecodable(request.name[:80])!r}; this server offers: {known}"
            raise MCPError(types.INVALID_PARAMS, unknown)

        def call(session: Session, bounds: agents.Bounds, client: str) -> Ok[Any] | SatchelError:
            return agents.perform(session, operation, bounds, request.arguments or {}, client)

        try:
            outcome = await run(context, call, long=operation.long, writes=operation.writes)
        except SatchelError as error:
            # The store could not be opened.
            outcome = error
        result = _call_result(operation, outcome)
        return as_text(result) if shows_structured_content(context) else result

    server: Server[Any] = Server(
        greeting.NAME,
        version=__version__,
        title=greeting.TITLE,
        instructions=greeting.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **reading_handlers(bounds_of, run),
    )
    # The SDK's middleware sends every message to OpenTelemetry where that is installed. We send no telemetry.
    server.middleware.clear()
    return server


@lru_cache(maxsize=32)
def _tools(bounds: agents.Bounds) -> types.ListToolsResult:
    return types.ListToolsResult.model_validate(lists(bounds)["tools/list"])


def client_name(context: Context, token: str = "") -> str:
    """Return the name under which the client's actions are recorded, after that of the token it has."""
    about = context.session.client_params
    name = f"{about.client_info.name} {about.client_info.version}" if about else ""
    return agents.client_label("mcp", f"{token} {name}")


def shows_structured_content(context: Context) -> bool:
    """Return whether the client shows a model the structured content instead of the text."""
    about = context.session.client_params
    return about is not None and about.client_info.name in SHOW_STRUCTURED_CONTENT


def as_text(result: types.CallToolResult) -> types.CallToolResult:
    """Return a result without its structured content."""
    return types.CallToolResult(content=result.content, is_error=result.is_error)


def _call_result(operation: Operation, outcome: Ok[Any] | SatchelError) -> types.CallToolResult:
    answer = toolbox.agent_failure(operation.name, outcome) if isinstance(outcome, SatchelError) else outcome
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=toolbox.text_of(answer))],
        structured_content=toolbox.structured_content(operation, answer),
        is_error=isinstance(answer, Failed),
    )
