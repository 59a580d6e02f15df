"""A client of the MCP server."""

import pytest

from satchel.config import Settings
from tests.interfaces.mcp.mcp_client import McpClient


@pytest.fixture(params=["auto", "legacy"])
def mcp_client(settings: Settings, request: pytest.FixtureRequest) -> McpClient:
    """The same conversation in both eras of the protocol: with an envelope on each request, and with a handshake."""
    return McpClient(settings, request.param)
