"""One real server for the tests of a run."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.postgres.server import PostgresServer

_numbers = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    started = PostgresServer(settings={"fsync": "off"})
    yield started
    started.remove()


@pytest.fixture
def address(server: PostgresServer) -> str:
    """The address of a schema that does not exist yet."""
    return server.address(f"own_{next(_numbers)}")
