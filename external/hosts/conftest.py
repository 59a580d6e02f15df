"""What the tests with real hosts get: a mock model and a scratch home, cleaned up after each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from external.hosts.agents import AGENTS, Agent
from external.hosts.model import Model
from external.hosts.scratch import Scratch


@pytest.fixture
def model() -> Iterator[Model]:
    """A mock model on a free port."""
    with Model() as model:
        yield model


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    """A home folder of its own; what was started in it ends with the test."""
    scratch = Scratch(tmp_path / "home")
    scratch.home.mkdir()
    try:
        yield scratch
    finally:
        scratch.clean_up()


@pytest.fixture(params=AGENTS)
def host(request: pytest.FixtureRequest) -> str:
    """Each host that is driven by its command line."""
    return str(request.param)


@pytest.fixture
def agent(host: str, scratch: Scratch, model: Model) -> Agent:
    """The host as its user has it, with Satchel installed."""
    agent = Agent(host, scratch, model)
    agent.configure()
    agent.install()
    return agent
