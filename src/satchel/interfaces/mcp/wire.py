"""Standard input and output as an MCP connection.

The SDK's own reader waits for its thread, which a blocked read can hold for ever, and drops a line it cannot parse
without a word, which leaves a client waiting. This one is left behind when the server stops, and answers.
"""

import io
import json
import logging
import threading
from collections.abc import AsyncIterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

import anyio
import anyio.from_thread
import anyio.lowlevel
import mcp_types as types
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from satchel.domain.text import readable

if TYPE_CHECKING:
    # The SDK names the shape of its streams only here.
    from mcp.shared._stream_protocols import ReadStream, WriteStream

Message: TypeAlias = SessionMessage | Exception

STANDARD_INPUT = 0
_log = logging.getLogger(__name__)


@asynccontextmanager
async def standard_streams() -> "AsyncIterator[tuple[ReadStream[Message], WriteStream[SessionMessage]]]":
    """Connect to whoever started this process, until its end of standard input closes."""
    # The SDK guards standard output: while it serves, whatever else is printed goes to standard error.
    async with stdio_server(stdin=anyio.wrap_file(io.StringIO())) as (nothing, outgoing):
        await nothing.aclose()
        send, incoming = anyio.create_memory_object_stream[Message]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, send, outgoing.clone())
            yield incoming, outgoing
            tasks.cancel_scope.cancel()


async def _read(send: MemoryObjectSendStream[Message], outgoing: "WriteStream[SessionMessage]") -> None:
    async with send, outgoing:
        async for line in _lines():
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                _log.warning("a message of %d bytes could not be read", len(line))
                if refusal := refused(line):
                    await outgoing.send(SessionMessage(refusal))
                continue
            await send.send(SessionMessage(message))


async def _lines() -> AsyncIterator[bytes]:
    send, receive = anyio.create_memory_object_stream[bytes]()
    # A daemon: a read from a client that says nothing must not keep the process from ending.
    threading.Thread(target=_pump, args=(send, anyio.lowlevel.current_token()), daemon=True, name="satchel-mcp").start()
    async with receive:
        async for line in receive:
            yield line


def _pump(send: MemoryObjectSendStream[bytes], token: anyio.lowlevel.EventLoopToken) -> None:
    # Once nobody listens any more, the thread has nothing left to do.
    with suppress(anyio.BrokenResourceError, anyio.RunFinishedError, CancelledError, OSError):
        with open(STANDARD_INPUT, "rb", closefd=False) as lines:
            for line in lines:
                anyio.from_thread.run(send.send, line, token=token)
        anyio.from_thread.run(send.aclose, token=token)


def refused(line: bytes) -> types.JSONRPCError | None:
    """Return the answer to a line that is no message; None where no answer is expected."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, types.PARSE_ERROR, "the message is not JSON that can be read")
    if isinstance(asked, list):
        # An older protocol let clients send many at once, and whoever does so waits for something.
        return _error(None, types.INVALID_REQUEST, "the message is a list; send one request to a line")
    if not isinstance(asked, dict) or "method" not in asked or "id" not in asked:
        return None
    id = asked["id"]
    name = readable(id) if isinstance(id, str) else id if type(id) is int else None
    return _error(name, types.INVALID_REQUEST, f"the message {_fault(asked)}")


def _fault(asked: object) -> str:
    try:
        json.dumps(asked, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        return f"holds the unwritable character {half}, half of a surrogate pair; send valid Unicode"
    return "is not a JSON-RPC request"


def _error(id: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=types.ErrorData(code=code, message=message))
