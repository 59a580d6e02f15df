"""Stores that are filled once for the suite, and copies of them."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings, load, sources_of
from satchel.interfaces.operations import Session
from tests.faults.extent import extent
from tests.security.canaries import MINE, Stocked, canary, fill, scope_names

FOREIGN = extent((10,), (100,))[0]
"""Number of foreign scopes."""


class Stock(NamedTuple):
    """A filled store: its folder, the caller's own scope, and the others."""

    home: Path
    mine: Stocked
    foreign: list[Stocked]

    def copy(self, folder: Path) -> Path:
        """Copy the store, so that a test can write to it."""
        return Path(shutil.copytree(self.home, folder))


def settings_of(home: Path) -> Settings:
    """Return settings for a store with the model-free embedder."""
    return load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000})


def open_session(home: Path, actor: str = "tester") -> Session:
    """Open a store as the interfaces do, without output."""
    silent = lambda text: None  # noqa: E731
    return Session(sources_of(settings_of(home)), actor, progress=lambda *done: None, note=silent, tell=silent)


class StillClock:
    """A clock that stands: two stores that take the same steps then score alike."""

    def now(self) -> int:
        return 1_794_800_000_000

    def ticks(self) -> float:
        return 0.0


def open_still(home: Path) -> Session:
    """Open a store in which no time passes."""
    session = open_session(home)
    session.__dict__["memory"] = Satchel(replace(session.memory.parts, clock=StillClock()))
    return session


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """A store with a canary in every kind of record of every scope. Copy it before you write to it."""
    home = tmp_path_factory.mktemp("stock") / "home"
    with Satchel.open(settings=settings_of(home)) as memory:
        mine = fill(memory, MINE, "zqmine")
        foreign = [fill(memory, name, canary(number)) for number, name in enumerate(scope_names(FOREIGN))]
    return Stock(home, mine, foreign)


@pytest.fixture
def opened(stock: Stock, tmp_path: Path) -> Iterator[Callable[[], Session]]:
    """Open fresh copies of the filled store; all are closed at the end."""
    sessions: list[Session] = []

    def another() -> Session:
        sessions.append(open_session(stock.copy(tmp_path / f"copy{len(sessions)}")))
        return sessions[-1]

    yield another
    for one in sessions:
        one.close()
