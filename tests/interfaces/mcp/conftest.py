"""A desk at which one can talk to the server."""

import pytest

from satchel.config import Settings
from tests.interfaces.mcp.desk import Desk


@pytest.fixture(params=["auto", "legacy"])
def desk(settings: Settings, request: pytest.FixtureRequest) -> Desk:
    """The same conversation in both eras of the protocol: with an envelope on each request, and with a handshake."""
    return Desk(settings, request.param)
