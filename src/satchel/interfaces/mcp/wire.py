"""An MCP connection over standard input and output.

Replaces the reader of the SDK, which waits for its thread at shutdown (a blocked read never ends) and silently drops
lines that it cannot parse (the client waits forever). This one takes over from the daemon thread of `opening`, and answers
with an error.
"""

import io
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import SessionMessage

from satchel.domain.text import replace_undecodable
from satchel.interfaces.mcp.greeting import REPLAYED_ID
from satchel.interfaces.mcp.opening import Opening
from satchel.interfaces.mcp.passage import Passage

if TYPE_CHECKING:
    # The SDK names the shape of its streams only here.
    from mcp.shared._stream_protocols import ReadStream, WriteStream

Message: TypeAlias = SessionMessage | Exception

_log = logging.getLogger(__name__)


@asynccontextmanager
async def standard_streams(
    opening: Opening,
) -> "AsyncIterator[tuple[ReadStream[Message], WriteStream[SessionMessage]]]":
    """Go on with the conversation that was opened on the standard streams, until standard input closes."""
    # The SDK redirects all other output to standard error meanwhile.
    async with stdio_server(stdin=anyio.wrap_file(io.StringIO())) as (unused, outgoing):
        await unused.aclose()
        send, incoming = anyio.create_memory_object_stream[Message]()
        unanswered = Unanswered()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, opening, send, outgoing.clone(), unanswered)
            yield incoming, Answers(outgoing, unanswered)
            tasks.cancel_scope.cancel()


class Unanswered:
    """The ids of the requests that were read and not answered yet."""

    def __init__(self) -> None:
        self._ids = set[types.RequestId]()
        self._changed = anyio.Event()

    def read(self, message: types.JSONRPCMessage) -> None:
        """Note a request, or that the client waits no longer for one."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(coerce_request_id(message.id))
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._discard(cancelled_request_id_from_params(message.params))

    def answered(self, message: types.JSONRPCMessage) -> None:
        """Note an answer."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._discard(message.id)

    async def wait_until_none(self) -> None:
        """Wait until every request is answered."""
        while self._ids:
            self._changed = anyio.Event()
            await self._changed.wait()

    def _discard(self, id: types.RequestId | None) -> None:
        if id is not None:
            self._ids.discard(coerce_request_id(id))
            self._changed.set()


class Answers:
    """A stream of answers without the one to the opening request, which the client has already."""

    def __init__(self, outgoing: "WriteStream[SessionMessage]", unanswered: Unanswered) -> None:
        self._outgoing = outgoing
        self._unanswered = unanswered
        self._dropped = False

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message on, unless it is that answer."""
        if not self._dropped and getattr(item.message, "id", None) == REPLAYED_ID:
            self._dropped = True
        else:
            await self._outgoing.send(item)
        self._unanswered.answered(item.message)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._outgoing.aclose()

    async def __aenter__(self) -> "Answers":
        """Return itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the stream."""
        await self.aclose()


async def _read(
    opening: Opening,
    send: MemoryObjectSendStream[Message],
    outgoing: "WriteStream[SessionMessage]",
    unanswered: Unanswered,
) -> None:
    async with send, outgoing:
        async for line in _lines(opening):
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                _log.warning("a message of %d bytes could not be read", len(line))
                if error := error_response(line):
                    await outgoing.send(SessionMessage(error))
                continue
            unanswered.read(message)
            await send.send(SessionMessage(message))
        # The SDK drops what is unanswered when its input closes.
        await unanswered.wait_until_none()


async def _lines(opening: Opening) -> AsyncIterator[bytes]:
    passage = Passage()
    waiting = opening.hand_over(passage.put)
    with passage:
        for line in waiting.lines:
            yield line
        if not waiting.ended:
            async for line in passage.lines():
                yield line


def error_response(line: bytes) -> types.JSONRPCError | None:
    """Return the error for an invalid message; None if the client expects no response."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, types.PARSE_ERROR, "the message is not valid JSON")
    if isinstance(message, list):
        # An older protocol had batches; their senders expect a response.
        return _error(None, types.INVALID_REQUEST, "the message is a list; send one request per line")
    if not isinstance(message, dict) or "method" not in message or "id" not in message:
        return None
    id = message["id"]
    name = replace_undecodable(id) if isinstance(id, str) else id if type(id) is int else None
    return _error(name, types.INVALID_REQUEST, f"the message {_problem(message)}")


def _problem(message: object) -> str:
    try:
        json.dumps(message, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        character = f"U+{ord(error.object[error.start]):04X}"
        return f"contains the lone surrogate {character}; send valid Unicode"
    return "is not a JSON-RPC request"


def _error(id: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=types.ErrorData(code=code, message=message))
