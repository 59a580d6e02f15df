"""A server per test module, and a browser that entered its inspector."""

from collections.abc import Iterator

import pytest

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on its socket and on TCP."""
    running = Server(tmp_path_factory.mktemp("inspected") / "home", "--port", "0")
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def browser(server: Server) -> Browser:
    """A browser with a session."""
    return Browser(server)
