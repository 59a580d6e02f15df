"""Starts child processes that end with their test, and the laboratory, which ends with the last one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.children import Child, Start
from tests.faults.filled_store import fill
from tests.faults.warm import Warm, started


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    children: list[Child] = []

    def start_child(script: str, *arguments: object, given: str = "") -> Child:
        children.append(Child(script, home, *arguments, given=given))
        return children[-1]

    yield start_child
    for child in children:
        if child.is_running():
            child.kill()


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with records of every kind: a test copies it."""
    home = tmp_path_factory.mktemp("filled") / "home"
    fill(home)
    return home


@pytest.fixture(scope="session")
def laboratory() -> Iterator[Warm]:
    with started() as warm:
        yield warm
