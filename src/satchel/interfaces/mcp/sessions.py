"""MCP over Streamable HTTP: the SDK's sessions, whose calls the workers of a server perform."""

import logging
from functools import partial
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from satchel.config import is_debugging
from satchel.interfaces.agents import Bounds
from satchel.interfaces.http.body import MAX_BYTES
from satchel.interfaces.http.mcp_route import CALLER, McpCaller
from satchel.interfaces.http.workers import Caller, Workers
from satchel.interfaces.mcp.reading import Context, Work
from satchel.interfaces.mcp.server import client_name, server_over
from satchel.interfaces.operations import Session

# A client that went away without ending its session.
IDLE_SECONDS = 1800.0
MAX_SESSIONS = 1_000


def make_sessions(workers: Workers) -> StreamableHTTPSessionManager:
    """Return the sessions over the workers. Its requests carry their caller under the key CALLER."""

    async def run(context: Context, work: Work, *, long: bool = False, writes: bool = False) -> Any:
        asking = _caller(context)
        client = client_name(context, asking.bounds.token)
        caller = Caller(asking.bounds.actor or "mcp", client, asking.folder)
        bound = partial(_bound, work, asking.bounds, client)
        return await workers.run(bound, caller, long=long, writes=writes)

    if not is_debugging():
        # Its messages quote what clients send.
        logging.getLogger("mcp").setLevel(logging.CRITICAL)
    return StreamableHTTPSessionManager(
        server_over(lambda context: _caller(context).bounds, run),
        # No call sends anything but its answer.
        json_response=True,
        max_request_body_size=MAX_BYTES,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MAX_SESSIONS,
    )


def _bound(work: Work, bounds: Bounds, client: str, session: Session) -> Any:
    return work(session, bounds, client)


def _caller(context: Context) -> McpCaller:
    assert context.request is not None, "HTTP has a request for each message"
    caller: McpCaller = context.request.scope[CALLER]
    return caller
