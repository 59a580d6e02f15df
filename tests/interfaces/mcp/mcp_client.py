"""Calls to the MCP server through the official client, in this process."""

from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError

from satchel.config import Settings
from satchel.interfaces.agents import Bounds
from satchel.interfaces.mcp.server import make_server, open_session

T = TypeVar("T")
Talk = Callable[[Client], Awaitable[T]]
ME = types.Implementation(name="tester", version="1.0")


class McpClient:
    """Runs conversations with a server over one store. Each conversation is an async function of the client."""

    def __init__(self, settings: Settings, mode: str) -> None:
        self._settings = settings
        self._mode = mode

    def talk(self, conversation: Talk[T], bounds: Bounds | None = None, client_info: Any = ME) -> T:
        """Hold one conversation and return what it returns."""

        async def held() -> T:
            async with self._client(bounds or Bounds(), client_info) as client:
                return await conversation(client)

        return anyio.run(held)

    def call(
        self, tool: str, arguments: dict[str, Any] | None = None, bounds: Bounds | None = None, client_info: Any = ME
    ) -> types.CallToolResult:
        """Call one tool."""
        return self.talk(lambda client: client.call_tool(tool, arguments), bounds, client_info)

    def refusal(self, tool: str, arguments: dict[str, Any], bounds: Bounds | None = None) -> int:
        """Call a tool that is not there, and return the code of the protocol's error."""

        async def refused(client: Client) -> int:
            with pytest.raises(MCPError) as caught:
                await client.call_tool(tool, arguments)
            return caught.value.code

        return self.talk(refused, bounds)

    def tools(self, bounds: Bounds | None = None) -> dict[str, types.Tool]:
        """List the tools."""

        async def listed(client: Client) -> dict[str, types.Tool]:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

        return self.talk(listed, bounds)

    @asynccontextmanager
    async def _client(self, bounds: Bounds, client_info: Any) -> AsyncIterator[Client]:
        session = open_session(self._settings, bounds)
        with ThreadPoolExecutor(1) as worker:
            try:
                server = make_server(session, bounds, worker)
                async with Client(server, mode=self._mode, client_info=client_info) as client:
                    yield client
            finally:
                worker.submit(session.close).result()


def details(answer: types.CallToolResult) -> Any:
    """Return what a tool answered."""
    assert not answer.is_error, answer.structured_content
    return answer.structured_content


def error(answer: types.CallToolResult) -> str:
    """Return the code of a tool's failure."""
    assert answer.is_error, answer.structured_content
    code = answer.structured_content["error"]
    return str(code if isinstance(code, str) else code["code"])


def text(answer: types.CallToolResult) -> str:
    """Return what a model reads."""
    assert isinstance(answer.content[0], types.TextContent)
    return answer.content[0].text
